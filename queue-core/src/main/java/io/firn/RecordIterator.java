package io.firn;

import java.util.Iterator;
import java.util.NoSuchElementException;

/** Copies what a tailer reads, one record at a time. Not thread-safe. */
final class RecordIterator implements Iterator<StoredRecord>, RecordHandler {
    private final Tailer tailer;
    private StoredRecord next;

    RecordIterator(Tailer tailer) {
        this.tailer = tailer;
    }

    @Override
    public Verdict onRecord(Record record) {
        next = record.copy();
        return Verdict.CONTINUE;
    }

    @Override
    public boolean hasNext() {
        return next != null || tailer.poll(this, 1) > 0;
    }

    @Override
    public StoredRecord next() {
        if (!hasNext()) {
            throw new NoSuchElementException("no more records are visible");
        }
        StoredRecord result = next;
        next = null;
        return result;
    }
}
