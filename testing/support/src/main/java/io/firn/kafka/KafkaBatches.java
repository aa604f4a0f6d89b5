package io.firn.kafka;

import io.firn.Compression;
import io.firn.StoredRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.Utils;

/** Record batches as Kafka's Java client makes and reads them. */
public final class KafkaBatches {
    private static final long CLIENT_TIME = -1;

    private final Compression codec;
    private final long appendTimeMs;
    private final long producerId;
    private final short producerEpoch;
    private final int baseSequence;
    private final boolean transactional;

    private KafkaBatches(
            Compression codec,
            long appendTimeMs,
            long producerId,
            short producerEpoch,
            int baseSequence,
            boolean transactional) {
        this.codec = codec;
        this.appendTimeMs = appendTimeMs;
        this.producerId = producerId;
        this.producerEpoch = producerEpoch;
        this.baseSequence = baseSequence;
        this.transactional = transactional;
    }

    /** Batches with the records' own timestamps and no producer. */
    public static KafkaBatches of(Compression codec) {
        return new KafkaBatches(
                codec,
                CLIENT_TIME,
                RecordBatch.NO_PRODUCER_ID,
                RecordBatch.NO_PRODUCER_EPOCH,
                RecordBatch.NO_SEQUENCE,
                false);
    }

    /** The same with the log's time for all records. */
    public KafkaBatches appendTime(long timeMs) {
        return new KafkaBatches(
                codec, timeMs, producerId, producerEpoch, baseSequence, transactional);
    }

    /** The same from an idempotent producer. */
    public KafkaBatches producer(long id, int epoch, int sequence) {
        return new KafkaBatches(codec, appendTimeMs, id, (short) epoch, sequence, transactional);
    }

    /** The same as part of a transaction. */
    public KafkaBatches transactional() {
        return new KafkaBatches(codec, appendTimeMs, producerId, producerEpoch, baseSequence, true);
    }

    /** One batch of these records; their offsets do not count. */
    public ByteBuffer encode(List<StoredRecord> records) {
        boolean client = appendTimeMs == CLIENT_TIME;
        try (MemoryRecordsBuilder builder =
                MemoryRecords.builder(
                        ByteBuffer.allocate(1024),
                        RecordBatch.CURRENT_MAGIC_VALUE,
                        compression(codec),
                        client ? TimestampType.CREATE_TIME : TimestampType.LOG_APPEND_TIME,
                        0,
                        appendTimeMs,
                        producerId,
                        producerEpoch,
                        baseSequence,
                        transactional,
                        false,
                        RecordBatch.NO_PARTITION_LEADER_EPOCH)) {
            for (StoredRecord record : records) {
                builder.append(record.timestamp(), record.key(), record.value(), headers(record));
            }
            return builder.build().buffer();
        }
    }

    /** One batch of one record. */
    public ByteBuffer encode(byte[] key, byte[] value) {
        return encode(List.of(new StoredRecord(0, 0, 1_000, key, value, List.of())));
    }

    /** All records of a run of batches, each of which must be valid, with nothing between them. */
    public static List<StoredRecord> decode(int partition, ByteBuffer batches) {
        MemoryRecords all = MemoryRecords.readableRecords(batches);
        List<StoredRecord> records = new ArrayList<>();
        int bytes = 0;
        for (MutableRecordBatch batch : all.batches()) {
            batch.ensureValid();
            bytes += batch.sizeInBytes();
            int before = records.size();
            for (Record record : batch) {
                record.ensureValid();
                records.add(stored(partition, record));
            }
            if (batch.countOrNull() != records.size() - before) {
                throw new AssertionError(
                        "a batch of " + batch.countOrNull() + " has " + (records.size() - before));
            }
        }
        if (bytes != all.sizeInBytes()) {
            throw new AssertionError(
                    "batches of " + bytes + " bytes in a run of " + all.sizeInBytes());
        }
        return records;
    }

    /** Kafka's name for a codec. */
    public static org.apache.kafka.common.compress.Compression compression(Compression codec) {
        return org.apache.kafka.common.compress.Compression.of(
                        codec.name().toLowerCase(Locale.ROOT))
                .build();
    }

    static StoredRecord stored(int partition, Record record) {
        List<StoredRecord.Header> headers = new ArrayList<>();
        for (Header header : record.headers()) {
            headers.add(new StoredRecord.Header(header.key(), header.value()));
        }
        return new StoredRecord(
                partition,
                record.offset(),
                record.timestamp(),
                record.hasKey() ? Utils.toArray(record.key()) : null,
                record.hasValue() ? Utils.toArray(record.value()) : null,
                List.copyOf(headers));
    }

    private static Header[] headers(StoredRecord record) {
        return record.headers().stream()
                .map(header -> new RecordHeader(header.key(), header.value()))
                .toArray(Header[]::new);
    }
}
