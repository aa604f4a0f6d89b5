package io.firn.scrub;

import io.firn.medium.Fields;
import io.firn.medium.FileMedium;
import io.firn.medium.GuardedLog;
import io.firn.medium.SmallFile;
import io.firn.medium.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * How far a pass over all sealed segments is. Partitions are in the order of the topic's id and
 * their number, whatever is created, deleted or moved meanwhile. It is kept in the file {@code
 * STORE/scrub}, which is not forced: without it, a pass begins anew.
 *
 * @param topicId of the partition that is next
 * @param offset the first one that was not verified
 * @param beganMs when the pass began
 * @param lastMs when the last step ended
 * @param lastBytes what it has verified
 * @param completedMs when the last complete pass began; −1 for none
 */
record ScrubPlace(
        UUID topicId,
        int partition,
        long offset,
        long beganMs,
        long lastMs,
        long lastBytes,
        long completedMs) {
    static final UUID FIRST = new UUID(Long.MIN_VALUE, Long.MIN_VALUE);

    private static final GuardedLog LOG = GuardedLog.get();
    private static final String MAGIC = "scrub";
    private static final int VERSION = 1;
    private static final String TOPIC = "topic";
    private static final String PARTITION = "partition";
    private static final String OFFSET = "offset";
    private static final String BEGAN = "beganMs";
    private static final String LAST = "lastMs";
    private static final String BYTES = "lastBytes";
    private static final String COMPLETED = "completedMs";

    /** Returns the beginning of a pass. */
    ScrubPlace newPass(long nowMs, long completed) {
        return new ScrubPlace(FIRST, 0, 0, nowMs, lastMs, lastBytes, completed);
    }

    ScrubPlace at(UUID topic, int index, long next) {
        return new ScrubPlace(topic, index, next, beganMs, lastMs, lastBytes, completedMs);
    }

    ScrubPlace after(long nowMs, long bytes) {
        return new ScrubPlace(topicId, partition, offset, beganMs, nowMs, bytes, completedMs);
    }

    /** Returns whether a partition comes before the one that is next. */
    boolean isAfter(UUID topic, int index) {
        int order = topic.compareTo(topicId);
        return order < 0 || (order == 0 && index < partition);
    }

    boolean isIn(UUID topic, int index) {
        return topic.equals(topicId) && index == partition;
    }

    /** Reads it; what cannot be read counts as missing. */
    static ScrubPlace read(FileMedium medium, Path store, long nowMs, int step) {
        ScrubPlace first = new ScrubPlace(FIRST, 0, 0, nowMs, nowMs, step, -1);
        try {
            Fields fields = Fields.read(medium, store.resolve(MAGIC), MAGIC, VERSION);
            return fields == null
                    ? first
                    : new ScrubPlace(
                            fields.id(TOPIC),
                            fields.integer(PARTITION, 0, Integer.MAX_VALUE),
                            fields.offset(OFFSET),
                            fields.offset(BEGAN),
                            Math.min(nowMs, fields.offset(LAST)),
                            fields.offset(BYTES),
                            fields.number(COMPLETED, -1, Fields.MOST));
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a pass of the scrub begins anew", e);
            return first;
        }
    }

    void write(FileMedium medium, Path store) {
        Map<String, String> values = new LinkedHashMap<>();
        values.put(TOPIC, topicId.toString());
        values.put(PARTITION, Integer.toString(partition));
        values.put(OFFSET, Long.toString(offset));
        values.put(BEGAN, Long.toString(beganMs));
        values.put(LAST, Long.toString(lastMs));
        values.put(BYTES, Long.toString(lastBytes));
        values.put(COMPLETED, Long.toString(completedMs));
        try {
            Path file = store.resolve(MAGIC);
            byte[] content = SmallFile.content(file, MAGIC, VERSION, values);
            WholeFile.replaceUnforced(medium, file, content);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "the place of the scrub was not kept", e);
        }
    }
}
