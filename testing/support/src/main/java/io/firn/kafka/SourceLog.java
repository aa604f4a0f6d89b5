package io.firn.kafka;

import io.firn.Compression;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * A partition as a Kafka broker would have stored it, to be replicated: batches with offsets,
 * leader epochs, producers and markers, made by Kafka's own classes. Not thread-safe.
 */
public final class SourceLog {
    private static final long TIME = 1_700_000_000_000L;

    /** A batch, and where it is. */
    public record Stored(long base, long next, int epoch, byte[] bytes) {}

    private final List<Stored> batches = new ArrayList<>();
    private long next;
    private int epoch;

    /** Creates an empty log that begins at an offset, in a leader epoch. */
    public SourceLog(long start, int leaderEpoch) {
        next = start;
        epoch = leaderEpoch;
    }

    /** Returns the offset of the next record. */
    public long nextOffset() {
        return next;
    }

    /** Returns the present leader epoch. */
    public int epoch() {
        return epoch;
    }

    /** Returns all batches in order. */
    public List<Stored> batches() {
        return batches;
    }

    /** Another leader was elected. */
    public SourceLog epoch(int leaderEpoch) {
        epoch = leaderEpoch;
        return this;
    }

    /** Leaves out offsets, as if compaction had removed them. */
    public SourceLog gap(long offsets) {
        next += offsets;
        return this;
    }

    /** Appends a batch of these values. */
    public SourceLog append(Compression codec, String... values) {
        return append(codec, RecordBatch.NO_PRODUCER_ID, RecordBatch.NO_SEQUENCE, false, values);
    }

    /** Appends a batch of an idempotent producer. */
    public SourceLog append(Compression codec, long producer, int sequence, String... values) {
        return append(codec, producer, sequence, false, values);
    }

    /** Appends a batch of a transaction. */
    public SourceLog transactional(long producer, int sequence, String... values) {
        return append(Compression.NONE, producer, sequence, true, values);
    }

    private SourceLog append(
            Compression codec, long producer, int sequence, boolean inTransaction, String[] all) {
        short producerEpoch = (short) (producer < 0 ? -1 : 0);
        try (MemoryRecordsBuilder builder =
                MemoryRecords.builder(
                        ByteBuffer.allocate(1024),
                        RecordBatch.CURRENT_MAGIC_VALUE,
                        KafkaBatches.compression(codec),
                        TimestampType.CREATE_TIME,
                        next,
                        TIME,
                        producer,
                        producerEpoch,
                        sequence,
                        inTransaction,
                        false,
                        epoch)) {
            for (String value : all) {
                builder.append(TIME, null, value.getBytes(StandardCharsets.UTF_8));
            }
            return add(builder.build().buffer(), all.length);
        }
    }

    /** Appends the marker that ends a transaction. */
    public SourceLog marker(long producer, boolean commits) {
        ControlRecordType type = commits ? ControlRecordType.COMMIT : ControlRecordType.ABORT;
        MemoryRecords records =
                MemoryRecords.withEndTransactionMarker(
                        next, TIME, epoch, producer, (short) 0, new EndTransactionMarker(type, 7));
        return add(records.buffer(), 1);
    }

    private SourceLog add(ByteBuffer buffer, int offsets) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        batches.add(new Stored(next, next + offsets, epoch, bytes));
        next += offsets;
        return this;
    }

    /** An unclean election lost the batch with an offset, and what is above it. */
    public SourceLog truncate(long offset) {
        next = Math.min(next, offset);
        for (Stored batch : batches) {
            if (batch.next > offset) {
                next = Math.min(next, batch.base);
            }
        }
        batches.removeIf(batch -> batch.next > offset);
        return this;
    }

    /** Returns the batches from an offset on, one after the other, up to so many. */
    public ByteBuffer fetch(long offset, int most) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int left = most;
        for (Stored batch : batches) {
            if (batch.next > offset && left-- > 0) {
                out.writeBytes(batch.bytes);
            }
        }
        return ByteBuffer.wrap(out.toByteArray());
    }
}
