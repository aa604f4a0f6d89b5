package io.firn;

import io.firn.RecordHandler.Action;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.ToIntFunction;

/** Copies what a tailer reads, one record at a time. Not thread-safe. */
final class RecordIterator implements Iterator<StoredRecord>, RecordHandler {
    private final ToIntFunction<RecordHandler> pollOne;
    private StoredRecord next;

    /**
     * Creates an iterator.
     *
     * @param pollOne hands out a record if there is one
     */
    RecordIterator(ToIntFunction<RecordHandler> pollOne) {
        this.pollOne = pollOne;
    }

    @Override
    public Action onRecord(LogRecord record) {
        next = record.copy();
        return Action.CONTINUE;
    }

    @Override
    public boolean hasNext() {
        return next != null || pollOne.applyAsInt(this) > 0;
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
