package io.firn.forward;

import io.firn.BatchTooLargeException;
import io.firn.BusyException;
import io.firn.Cursor;
import io.firn.DamagedRangeException;
import io.firn.LogRecord;
import io.firn.MissingCodecException;
import io.firn.OffsetOutOfRangeException;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.forward.ForwardException.Reason;
import io.firn.forward.cluster.OutgoingRecord;
import io.firn.forward.cluster.Position;
import io.firn.forward.cluster.TargetPartition;
import io.firn.forward.cluster.TargetTopic;
import io.firn.host.HostedPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A partition of the store on its way to the cluster: what is read, and what is committed there.
 * For the thread of Forward, but for {@link #forwardedTo} and the counters.
 */
final class SourcePartition implements AutoCloseable {
    private static final int MOST_BYTES = 1 << 20;
    private static final int MOST_RECORDS = 100_000;
    private static final long MOST_NS = 20_000_000;
    private static final int LOOKS_AT_TIME_EVERY = 64;

    private final Mapping mapping;
    private final HostedPartition partition;
    private final Cursor cursor;
    private final Cursor.Reservation reservation;
    private final Tailer tailer;
    private final boolean dropsOldest;

    /** Where it begins if nothing was forwarded before: what is deleted later was to be sent. */
    private final long firstOffset;

    private TargetTopic target;

    /** The last record of the transaction under way; null if it has none of this partition. */
    private OutgoingRecord sent;

    private long sentRecords;
    private long sentBytes;

    /** Offset and checksum of the last record that was committed, as in the position. */
    private long last = -1;

    private int checksum;

    private volatile long forwardedTo = -1;
    private final AtomicLong forwardedRecords = new AtomicLong();
    private final AtomicLong forwardedBytes = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();

    SourcePartition(Mapping mapping, Partition partition, Cursor cursor, boolean dropsOldest) {
        this.mapping = mapping;
        this.partition = HostedPartition.of(partition);
        this.cursor = cursor;
        this.dropsOldest = dropsOldest;
        this.reservation = cursor.reserve(partition.index());
        this.tailer = partition.openTailer();
        this.firstOffset = partition.logStartOffset();
    }

    Mapping mapping() {
        return mapping;
    }

    HostedPartition partition() {
        return partition;
    }

    /** Where the cluster keeps the position. */
    TargetPartition key() {
        return new TargetPartition(mapping.target(), partition.index());
    }

    UUID topicId() {
        return partition.topic().id();
    }

    long cursorOffset() {
        return cursor.offset(partition.index());
    }

    long firstOffset() {
        return firstOffset;
    }

    TargetTopic target() {
        return target;
    }

    void target(TargetTopic value) {
        target = value;
    }

    /** Begins at a position, of which the cluster knows, or will before anything else. */
    void seek(Position from) {
        tailer.seek(from.offset());
        last = from.last();
        checksum = from.checksum();
        sent = null;
        sentRecords = 0;
        sentBytes = 0;
    }

    /** Whether there is something to read. Only what is durable is sent: it stays what it is. */
    boolean hasNews() {
        return tailer.offset() < readableTo();
    }

    /** Whether the position has changed, with or without records that are to be sent. */
    boolean hasMoved() {
        return tailer.offset() > forwardedTo;
    }

    private long readableTo() {
        return Math.min(partition.visibleOffset(), partition.durableOffset());
    }

    /**
     * Reads the next records, of 1 MiB or of 20 ms.
     *
     * @throws ForwardException when they were deleted, or cannot be read
     */
    List<OutgoingRecord> read() {
        List<OutgoingRecord> records = new ArrayList<>();
        Reading reading = new Reading(records, readableTo());
        try {
            tailer.poll(reading::onRecord, MOST_RECORDS);
        } catch (OffsetOutOfRangeException e) {
            onDeleted();
        } catch (BusyException e) {
            return records; // no memory to decompress now
        } catch (DamagedRangeException | BatchTooLargeException | MissingCodecException e) {
            if (records.isEmpty()) { // or else these are sent first
                throw unreadable(e);
            }
        } catch (ForwardException e) {
            if (records.isEmpty()) {
                throw e;
            }
        }
        if (!records.isEmpty()) {
            sent = records.get(records.size() - 1);
            sentRecords += records.size();
        }
        return records;
    }

    private ForwardException unreadable(RuntimeException e) {
        return new ForwardException(
                Reason.RECORDS_UNREADABLE,
                "the next record of "
                        + this
                        + " cannot be forwarded: "
                        + e.getMessage()
                        + "; to go on after it, delete the records up to there"
                        + " (Partition.deleteRecordsBefore), with OnFull.DROP_OLDEST",
                e);
    }

    /** Copies records of one poll. */
    private final class Reading {
        private final List<OutgoingRecord> records;
        private final long end;
        private final long untilNs = System.nanoTime() + MOST_NS;
        private int bytes;

        Reading(List<OutgoingRecord> records, long end) {
            this.records = records;
            this.end = end;
        }

        Action onRecord(LogRecord record) {
            if (record.offset() >= end) {
                return Action.RETRY; // it is not durable yet
            }
            OutgoingRecord copy = OutgoingRecord.copyOf(record, partitionOf(record));
            records.add(copy);
            bytes += copy.bytes();
            sentBytes += copy.bytes();
            boolean isLate =
                    records.size() % LOOKS_AT_TIME_EVERY == 0 && System.nanoTime() - untilNs > 0;
            return bytes >= MOST_BYTES || isLate ? Action.STOP : Action.CONTINUE;
        }
    }

    private int partitionOf(LogRecord record) {
        if (mapping.partitioner() == null) {
            return partition.index();
        }
        int chosen = mapping.partitioner().applyAsInt(record);
        if (chosen < 0 || chosen >= target.partitions()) {
            throw new ForwardException(
                    Reason.CONFIGURATION,
                    "the function that chooses the partition returned "
                            + chosen
                            + " for record "
                            + record.offset()
                            + " of "
                            + this
                            + ": "
                            + target.name()
                            + " has the partitions 0 to "
                            + (target.partitions() - 1));
        }
        return chosen;
    }

    /**
     * Goes on at the log start, if records may be dropped.
     *
     * @throws ForwardException otherwise
     */
    void onDeleted() {
        long from = tailer.offset();
        long to = partition.logStartOffset();
        if (to <= from) {
            return; // it is above the end: the session finds out
        }
        if (!dropsOldest) {
            throw new ForwardException(
                    Reason.RECORDS_DELETED,
                    "the records "
                            + from
                            + " to "
                            + (to - 1)
                            + " of "
                            + this
                            + " were deleted before they were forwarded; to go on after them,"
                            + " choose OnFull.DROP_OLDEST. Retention waits for the cursor '"
                            + cursor.name()
                            + "', up to the limits of RetainUntilRead");
        }
        dropped.addAndGet(to - from);
        tailer.seek(to);
    }

    /** The position after what was read. */
    Position position(Instance instance) {
        return new Position(
                tailer.offset(),
                instance.id(),
                instance.place(),
                topicId(),
                target.id(),
                sent == null ? last : sent.offset(),
                sent == null ? checksum : sent.checksum());
    }

    /**
     * Called after the cluster has committed a position, and never before: then retention may
     * delete the records below it.
     */
    void onCommitted(Position committed) {
        cursor.commit(partition.index(), committed.offset());
        last = committed.last();
        checksum = committed.checksum();
        forwardedRecords.addAndGet(sentRecords);
        forwardedBytes.addAndGet(sentBytes);
        sent = null;
        sentRecords = 0;
        sentBytes = 0;
        forwardedTo = committed.offset();
    }

    long forwardedTo() {
        return forwardedTo;
    }

    long forwardedRecords() {
        return forwardedRecords.get();
    }

    long forwardedBytes() {
        return forwardedBytes.get();
    }

    long dropped() {
        return dropped.get();
    }

    @Override
    public String toString() {
        return mapping.topic() + "-" + partition.index();
    }

    @Override
    public void close() {
        tailer.close();
        reservation.close();
    }
}
