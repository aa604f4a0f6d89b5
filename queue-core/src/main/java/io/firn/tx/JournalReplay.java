package io.firn.tx;

import io.firn.LogRecord;
import io.firn.RecordHandler;
import io.firn.RecordHandler.Action;
import io.firn.StoredRecord;
import io.firn.Transaction.State;
import io.firn.tx.JournalEntry.AddedCommits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Finds what the journal says of each producer, from its records in order. Not thread-safe. */
final class JournalReplay implements RecordHandler {
    private static final int RECORD_BYTES = 100;

    private final Map<String, Found> found = new LinkedHashMap<>();

    /**
     * Producers of which added commits were read, but not the entry before: it was dropped, since
     * there is a later one. By key, the offset of such commits.
     */
    private final Map<String, Long> withoutEntry = new HashMap<>();

    private IOException failure;
    private long bytes;

    /**
     * The last entry of a producer.
     *
     * @param offset where it is
     * @param added what was added to its open transaction after it, in that order
     */
    record Found(long offset, JournalEntry entry, List<CursorCommit> added) {
        /** Returns the commits of the open transaction, of which the last one of a place counts. */
        List<CursorCommit> openCommits() {
            List<CursorCommit> all = new ArrayList<>(entry.openCommits());
            all.addAll(added);
            return all;
        }

        boolean isOf(AddedCommits commits) {
            return entry.state() == State.ONGOING
                    && entry.id() == commits.id()
                    && entry.epoch() == commits.epoch();
        }
    }

    @Override
    public Action onRecord(LogRecord record) {
        StoredRecord copy = record.copy();
        try {
            take(new String(copy.key(), StandardCharsets.UTF_8), copy.value(), record.offset());
            return Action.CONTINUE;
        } catch (IOException e) {
            failure = e;
            return Action.STOP;
        }
    }

    /** Takes a record; a value of null says that the producer is forgotten. */
    void take(String key, byte[] value, long offset) throws IOException {
        bytes += RECORD_BYTES + (value == null ? 0 : value.length);
        if (value != null && AddedCommits.isIn(value)) {
            add(key, AddedCommits.decode(value, offset), offset);
            return;
        }
        found.remove(key); // so that the order is that of the last entries
        withoutEntry.remove(key);
        if (value != null) {
            JournalEntry entry = JournalEntry.decode(value, offset);
            found.put(key, new Found(offset, entry, new ArrayList<>(0)));
        }
    }

    private void add(String key, AddedCommits commits, long offset) throws IOException {
        Found last = found.get(key);
        if (last == null) {
            withoutEntry.put(key, offset);
        } else if (last.isOf(commits)) {
            last.added.addAll(commits.commits());
        } else {
            throw isLost(offset);
        }
    }

    private static IOException isLost(long offset) {
        return new IOException(
                "the journal of transactions adds cursor commits at offset "
                        + offset
                        + " to a transaction that is not open before: an entry is missing, restore"
                        + " the store from a backup");
    }

    /** Returns about how long the records are that were read. */
    long bytes() {
        return bytes;
    }

    /** Called when all records were read. */
    Map<String, Found> end() throws IOException {
        if (failure != null) {
            throw failure;
        }
        if (!withoutEntry.isEmpty()) {
            throw isLost(withoutEntry.values().iterator().next());
        }
        return found;
    }
}
