package io.firn.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Batch;
import io.firn.LogStore;
import io.firn.RecordId;
import io.firn.StoredRecord;
import io.firn.Topic;
import io.firn.TopicAppender;
import io.firn.TopicOptions;

/**
 * Appends records that a listener has given up to the dead-letter topic of their topic: key, value
 * and headers as they were, and headers that say why, and where they were.
 */
final class DeadLetters {
    private static final int MOST_TEXT = 4_000;

    /** Room for the headers that are added. */
    private static final int MORE_BYTES = 64 << 10;

    private static final int MOST_SEGMENT_BYTES = 1 << 30;

    private final LogStore store;
    private final String suffix;

    DeadLetters(LogStore store, String suffix) {
        this.store = store;
        this.suffix = suffix;
    }

    /**
     * Returns when the record is durable. It is rare, so no appender is kept.
     *
     * @return its place
     */
    RecordId append(ListenerMethod method, ListenerFailure failed, int attempts) {
        StoredRecord record = failed.record();
        try (TopicAppender appender = topic(method.topic()).openAppender()) {
            Batch batch =
                    appender.newBatch()
                            .key(record.key())
                            .value(record.value())
                            .headers(record.headers());
            header(batch, "firn-origin-topic", method.topic());
            header(batch, "firn-origin-partition", Integer.toString(record.partition()));
            header(batch, "firn-origin-offset", Long.toString(record.offset()));
            header(batch, "firn-origin-timestamp", Long.toString(record.timestamp()));
            header(batch, "firn-cursor", method.cursor());
            header(batch, "firn-listener", method.toString());
            header(batch, "firn-attempts", Integer.toString(attempts));
            header(batch, "firn-cause", failed.getCause().getClass().getName());
            header(batch, "firn-message", failed.getCause().getMessage());
            RecordId place = appender.append(batch.add());
            appender.awaitDurable(place); // also in a topic that is only written
            return place;
        }
    }

    private static void header(Batch batch, String name, String value) {
        String text =
                value == null || value.length() <= MOST_TEXT
                        ? value
                        : value.substring(0, MOST_TEXT);
        batch.header(name, text == null ? null : text.getBytes(UTF_8));
    }

    private Topic topic(String origin) {
        String name = origin + suffix;
        if (store.hasTopic(name)) {
            return store.openTopic(name);
        }
        TopicOptions options = store.openTopic(origin).options();
        int segment =
                Math.min(
                        MOST_SEGMENT_BYTES,
                        Math.max(
                                options.segmentBytes(), options.maxRecordBytes() + 2 * MORE_BYTES));
        return store.ensureTopic(
                name,
                TopicOptions.defaults()
                        .withPartitions(options.partitions())
                        .withSegmentBytes(segment)
                        .withMaxRecordBytes(
                                Math.min(segment - 1, options.maxRecordBytes() + MORE_BYTES)));
    }
}
