package io.firn.chronicle;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.FirnException;
import io.firn.LogRecord;
import io.firn.Partition;
import io.firn.RecordTooLargeException;
import io.firn.RefusedException;
import io.firn.StoredRecord;
import io.firn.Tailer;
import java.util.function.LongConsumer;

/**
 * The partition that a queue is imported into. The first and the last record of each batch have the
 * index of their document as a header. Since a batch is there as a whole or not at all, the last
 * record says where an import that was killed has to go on.
 */
final class ImportedTopic {
    /** The header's key; its value is the index in hexadecimal digits, as Chronicle prints it. */
    static final String INDEX = "chronicle.index";

    /** The index of a record that has no such header. */
    static final long NO_INDEX = -1;

    private static final int BATCH_BYTES = 1 << 20;

    /** So that little of a segment's end stays empty. A larger document is a batch of its own. */
    private static final int BATCHES_IN_SEGMENT = 4;

    private static final int BATCH_RECORDS = 10_000;

    /** More than a record adds to its value. */
    private static final int OVERHEAD = 64;

    private final Partition partition;
    private final boolean marksAll;
    private final int batchBytes;

    /**
     * Creates it.
     *
     * @param marksAll whether every record gets the header
     */
    ImportedTopic(Partition partition, boolean marksAll) {
        this.partition = partition;
        this.marksAll = marksAll;
        batchBytes =
                Math.min(
                        BATCH_BYTES,
                        partition.topic().options().segmentBytes() / BATCHES_IN_SEGMENT);
    }

    Partition partition() {
        return partition;
    }

    /**
     * Returns the last record, a copy; null when the topic is empty.
     *
     * @throws FirnException when the records are not those of an import
     */
    StoredRecord last() {
        if (partition.nextOffset() == 0) {
            return null;
        }
        partition.force();
        StoredRecord[] last = new StoredRecord[1];
        try (Tailer tailer = partition.openTailer()) {
            tailer.seekToLast(1);
            tailer.forEach(record -> last[0] = record.copy(), 1);
        }
        if (last[0] == null || indexOf(last[0]) == NO_INDEX) {
            throw new RefusedException(
                    "topic "
                            + partition.topic().name()
                            + " ends at offset "
                            + partition.nextOffset()
                            + (last[0] == null
                                    ? ", and all of its records were deleted: nothing says where"
                                            + " the import stands"
                                    : " with a record that no import has written: it lacks the"
                                            + " header "
                                            + INDEX)
                            + "; import into another topic");
        }
        return last[0];
    }

    /** Returns the index in a record's headers. */
    static long indexOf(StoredRecord record) {
        for (StoredRecord.Header header : record.headers()) {
            if (header.key().equals(INDEX)) {
                return parse(new String(header.value(), US_ASCII), record.offset());
            }
        }
        return NO_INDEX;
    }

    /** Returns the index in a record's headers; makes garbage only if it has headers. */
    static long indexOf(LogRecord record) {
        if (record.headerCount() > 0) {
            LogRecord.Headers headers = record.headers();
            while (headers.next()) {
                if (headers.key().equals(INDEX)) {
                    return parse(UTF_8.decode(headers.value()).toString(), record.offset());
                }
            }
        }
        return NO_INDEX;
    }

    private static long parse(String text, long offset) {
        try {
            return Long.parseLong(text, 16);
        } catch (NumberFormatException e) {
            throw new RefusedException(
                    "offset " + offset + ": the header " + INDEX + " is no index: " + text, e);
        }
    }

    /**
     * Appends all documents that the reader still has.
     *
     * @param progress receives the number of documents after each batch
     * @return the number of documents
     */
    long append(QueueReader reader, LongConsumer progress) {
        long count = 0;
        try (Appender appender = partition.openExclusiveAppender()) {
            Batch batch = appender.newBatch();
            while (reader.next()) {
                Document document = reader.current();
                boolean isLast = isLast(batch, document, reader.ahead());
                if (batch.count() == 0 || isLast || marksAll) {
                    batch.header(INDEX, Long.toHexString(document.index()).getBytes(US_ASCII));
                }
                try {
                    batch.timestamp(reader.timestampMs(document.cycle()))
                            .value(document.bytes(), 0, document.length())
                            .add();
                    if (isLast) {
                        appender.append(batch);
                        batch.clear();
                    }
                } catch (RecordTooLargeException e) {
                    throw tooLarge(document, e);
                }
                count++;
                if (isLast) {
                    progress.accept(count);
                }
            }
        }
        return count;
    }

    /** A batch has documents of one file only, so that each file begins with a marked record. */
    private boolean isLast(Batch batch, Document document, Document next) {
        return next == null
                || next.cycle() != document.cycle()
                || batch.count() + 1 == BATCH_RECORDS
                || (long) batch.sizeBytes() + document.length() + next.length() + 2 * OVERHEAD
                        > batchBytes;
    }

    private static FirnException tooLarge(Document document, RecordTooLargeException cause) {
        return new RefusedException(
                "the document at index %x, %,d bytes: %s; import into a topic with larger segments (--segment-bytes)"
                        .formatted(document.index(), document.length(), cause.getMessage()),
                cause);
    }
}
