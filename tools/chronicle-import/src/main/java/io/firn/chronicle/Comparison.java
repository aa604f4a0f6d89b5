package io.firn.chronicle;

import io.firn.Cursor;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.LogRecord;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.RefusedException;
import io.firn.Tailer;
import io.firn.Topic;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Compares a topic with the queue that it was imported from, record by record, and finds the
 * offsets of named tailers on the way. For one thread, and one run.
 */
final class Comparison {
    private static final int RECORDS_AT_ONCE = 10_000;

    private final Partition partition;
    private final QueueReader reader;
    private final Map<String, Long> tailers;
    private final Map<String, Long> cursors = new TreeMap<>();
    private boolean isInQueue;
    private long skipped;
    private long compared;

    Comparison(Partition partition, QueueReader reader) {
        this.partition = partition;
        this.reader = reader;
        this.tailers = reader.namedTailers();
    }

    /**
     * Reads both.
     *
     * @param progress receives the number of records compared so far
     * @throws FirnException at the first difference
     */
    void run(LongConsumer progress) {
        reader.toStart();
        try (Tailer tailer = partition.openTailer()) {
            while (tailer.poll(this::compare, RECORDS_AT_ONCE) > 0) {
                progress.accept(compared);
            }
        }
        if (compared == 0 && hasMore()) {
            throw different(
                    "is the end, and the queue has index %x".formatted(reader.ahead().index()),
                    partition.nextOffset());
        }
        tailers.forEach((name, index) -> cursors.put(name, partition.nextOffset()));
    }

    private Action compare(LogRecord record) {
        long index = ImportedTopic.indexOf(record);
        if (index != ImportedTopic.NO_INDEX) {
            isInQueue = isInQueue(index, record.offset());
        }
        if (!isInQueue) {
            skipped++;
            return Action.CONTINUE;
        }
        if (!reader.next()) {
            throw different("has a record, the queue ends", record.offset());
        }
        Document document = reader.current();
        if (!ByteBuffer.wrap(document.bytes(), 0, document.length()).equals(record.value())) {
            throw different(
                    "has other bytes than the document at index %x".formatted(document.index()),
                    record.offset());
        }
        compared++;
        place(document.index(), record.offset());
        return Action.CONTINUE;
    }

    /**
     * Whether the queue has the document at an index, which then is its next one. If not, its file
     * must have been deleted since; a file's documents are in batches of their own.
     */
    private boolean isInQueue(long index, long offset) {
        Document next = reader.ahead();
        if (next != null && next.index() != index && compared == 0 && reader.hasFileOf(index)) {
            reader.moveTo(index); // the first records of the topic were deleted
            next = reader.ahead();
        }
        if (next != null && next.index() == index) {
            return true;
        }
        if (!reader.hasFileOf(index) && (next == null || next.index() > index)) {
            return false;
        }
        throw different(
                next == null
                        ? "has index %x, the queue ends".formatted(index)
                        : "has index %x, the queue %x".formatted(index, next.index()),
                offset);
    }

    private void place(long index, long offset) {
        tailers.entrySet()
                .removeIf(
                        tailer -> {
                            boolean isHere = index >= tailer.getValue();
                            if (isHere) {
                                cursors.put(tailer.getKey(), offset);
                            }
                            return isHere;
                        });
    }

    private FirnException different(String what, long offset) {
        StringBuilder text = new StringBuilder();
        reader.unread().forEach(line -> text.append("%n  ".formatted()).append(line));
        return new RefusedException(
                "NOT EQUAL: topic %s, offset %,d %s%s"
                        .formatted(partition.topic().name(), offset, what, text));
    }

    /** The number of records that were compared. */
    long compared() {
        return compared;
    }

    /** The number of records whose documents are no longer in the queue. */
    long skipped() {
        return skipped;
    }

    /** Whether the queue has documents after those of the topic. */
    boolean hasMore() {
        return reader.ahead() != null;
    }

    /**
     * Gives each named tailer of the queue a cursor of its name, if that was never advanced.
     *
     * @param refused receives a line for each name that no cursor can have
     * @return how many
     */
    int placeCursors(Consumer<String> refused) {
        int placed = 0;
        Topic topic = partition.topic();
        for (Map.Entry<String, Long> each : cursors.entrySet()) {
            Cursor cursor;
            try {
                cursor = topic.cursor(each.getKey());
            } catch (InvalidOptionException e) {
                refused.accept(
                        "The named tailer %s, at offset %d, does not become a cursor: %s."
                                .formatted(each.getKey(), each.getValue(), e.getMessage()));
                continue;
            }
            if (cursor.offset(partition.index()) < 0) {
                cursor.commit(partition.index(), each.getValue());
                cursor.force();
                placed++;
            }
        }
        return placed;
    }
}
