package io.firn.server.log;

import io.firn.Compression;
import io.firn.format.BatchFormat;
import io.firn.format.ForeignBatch;
import io.firn.host.ProducerIdentity;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.kafka.common.message.ProduceResponseData.BatchIndexAndErrorMessage;
import org.apache.kafka.common.protocol.Errors;

/**
 * The one batch of a produce request, for one partition: what has to be right about its header
 * before the log checks the rest. The bytes are the request's own.
 */
final class ProducedBatch {
    private static final short FIRST_WITH_ZSTD = 7;

    private final ByteBuffer bytes;
    private final int at;

    ProducedBatch(ByteBuffer bytes) {
        this.bytes = bytes;
        this.at = bytes.position();
    }

    /** What is wrong with it, or {@link Errors#NONE}. */
    Errors check(EffectiveTopicConfig settings, short version, long nowMs) {
        if (bytes.remaining() < BatchFormat.HEADER_LENGTH) {
            return Errors.INVALID_RECORD;
        }
        if (bytes.get(at + BatchFormat.MAGIC) != BatchFormat.MAGIC_2) {
            return Errors.INVALID_RECORD; // as a broker says since produce requests have version 3
        }
        long size = (long) bytes.getInt(at + BatchFormat.LENGTH) + BatchFormat.LENGTH_OVERHEAD;
        if (size < BatchFormat.HEADER_LENGTH) {
            return Errors.CORRUPT_MESSAGE;
        }
        if (size != bytes.remaining()) {
            return Errors.INVALID_RECORD; // one batch for a partition, complete, nothing after it
        }
        if (size > settings.maxMessageBytes()) {
            return Errors.MESSAGE_TOO_LARGE;
        }
        int attributes = bytes.getShort(at + BatchFormat.ATTRIBUTES);
        if (hasBitsOfTheLog(attributes)) {
            return Errors.INVALID_RECORD; // as a broker says of control batches
        }
        Compression codec = Compression.ofId(attributes & BatchFormat.COMPRESSION_MASK);
        if (codec == null || (codec == Compression.ZSTD && version < FIRST_WITH_ZSTD)) {
            return Errors.UNSUPPORTED_COMPRESSION_TYPE;
        }
        return settings.isAppendTime() || isTimely(settings, nowMs)
                ? Errors.NONE
                : Errors.INVALID_TIMESTAMP;
    }

    /**
     * A delete horizon would let compaction remove a tombstone before delete.retention.ms, which
     * Kafka does not prevent. Bits without a meaning may have one for a later version that reads
     * the log.
     */
    private static boolean hasBitsOfTheLog(int attributes) {
        return (attributes & ~BatchFormat.CLIENT_MASK) != 0;
    }

    /**
     * Returns what is wrong with a batch whose header was refused; null for the error's own text.
     */
    String aboutHeader() {
        if (bytes.remaining() < BatchFormat.HEADER_LENGTH) {
            return null;
        }
        int attributes = bytes.getShort(at + BatchFormat.ATTRIBUTES);
        return hasBitsOfTheLog(attributes)
                ? String.format(
                        "expected attributes with bits 0 to 4 only, which clients set, found"
                                + " 0x%04X; send the records in a new batch",
                        attributes & 0xFFFF)
                : null;
    }

    private boolean isTimely(EffectiveTopicConfig settings, long nowMs) {
        return !saysAppendTime()
                && settings.acceptsTimestamp(bytes.getLong(at + BatchFormat.MAX_TIMESTAMP), nowMs)
                && (!settings.limitsPast() || untimely(settings, nowMs, 1).isEmpty());
    }

    /** Time is the log's to say only where it does. */
    private boolean saysAppendTime() {
        return (bytes.getShort(at + BatchFormat.ATTRIBUTES) & BatchFormat.APPEND_TIME_FLAG) != 0;
    }

    private List<Integer> untimely(EffectiveTopicConfig settings, long nowMs, int most) {
        return ForeignBatch.outsideTime(
                bytes, timestamp -> settings.acceptsTimestamp(timestamp, nowMs), most);
    }

    /** Returns what is wrong with the timestamps of a batch that was refused for them. */
    String aboutTime(EffectiveTopicConfig settings, long nowMs) {
        return saysAppendTime()
                ? "the batch says that its time is that of the log, but message.timestamp.type of"
                        + " the topic is CreateTime"
                : "the topic accepts timestamps "
                        + settings.acceptedTimestamps(nowMs)
                        + ", and not all of the batch are such";
    }

    /** As {@link #withoutKey}: which records were refused for their timestamps. */
    List<BatchIndexAndErrorMessage> outsideTime(
            EffectiveTopicConfig settings, long nowMs, int most) {
        if (saysAppendTime()) {
            return List.of(); // all of them
        }
        String accepted = "its timestamp is not one " + settings.acceptedTimestamps(nowMs);
        return named(most <= 0 ? List.of() : untimely(settings, nowMs, most + 1), most, accepted);
    }

    /** Returns whether the log decompresses it to count its records, which may take long. */
    boolean isDense() {
        return ForeignBatch.isDense(bytes);
    }

    /** Returns whether it is compressed; its header was checked. */
    boolean isCompressed() {
        return ForeignBatch.isCompressed(bytes);
    }

    /** Returns whether it is a batch of a transaction; before anything of it was checked. */
    boolean isTransactional() {
        return bytes.remaining() >= BatchFormat.HEADER_LENGTH
                && bytes.get(at + BatchFormat.MAGIC) == BatchFormat.MAGIC_2
                && (bytes.getShort(at + BatchFormat.ATTRIBUTES) & BatchFormat.TRANSACTIONAL_FLAG)
                        != 0;
    }

    /** Returns who says to have made it. */
    ProducerIdentity producer() {
        return new ProducerIdentity(
                bytes.getLong(at + BatchFormat.PRODUCER_ID),
                bytes.getShort(at + BatchFormat.PRODUCER_EPOCH));
    }

    /**
     * Returns which records of a refused batch have no key, as the answer names them.
     *
     * @param most how many may be named; if there are more, none is, and the error holds for all
     */
    List<BatchIndexAndErrorMessage> withoutKey(int most) {
        List<Integer> found = most <= 0 ? List.of() : ForeignBatch.withoutKey(bytes, most + 1);
        return named(found, most, "the topic is compacted: each record needs a key");
    }

    private static List<BatchIndexAndErrorMessage> named(
            List<Integer> found, int most, String why) {
        if (found.size() > most) {
            return List.of();
        }
        return found.stream()
                .map(
                        each ->
                                new BatchIndexAndErrorMessage()
                                        .setBatchIndex(each)
                                        .setBatchIndexErrorMessage(why))
                .toList();
    }

    int count() {
        return bytes.getInt(at + BatchFormat.COUNT);
    }

    ByteBuffer bytes() {
        return bytes;
    }

    /** Gives all records our time; false when the batch is not what its maker checksummed. */
    boolean stamp(long nowMs) {
        if (crc() != bytes.getInt(at + BatchFormat.CRC)) {
            return false;
        }
        bytes.putShort(
                at + BatchFormat.ATTRIBUTES,
                (short)
                        (bytes.getShort(at + BatchFormat.ATTRIBUTES)
                                | BatchFormat.APPEND_TIME_FLAG));
        bytes.putLong(at + BatchFormat.MAX_TIMESTAMP, nowMs);
        bytes.putInt(at + BatchFormat.CRC, crc());
        return true;
    }

    private int crc() {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().position(at + BatchFormat.ATTRIBUTES));
        return (int) crc.getValue();
    }
}
