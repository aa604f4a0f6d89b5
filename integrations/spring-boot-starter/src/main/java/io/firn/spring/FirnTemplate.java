package io.firn.spring;

import io.firn.Batch;
import io.firn.LogStore;
import io.firn.RecordId;
import io.firn.TopicAppender;
import io.firn.UnknownTopicException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Appends objects to topics. Opens an appender for a topic when it is first used, and keeps it, so
 * the application cannot have exclusive appenders on that topic.
 *
 * <p>Keys, values and headers are converted by the {@link RecordCodec}; each may be null. The
 * partition is chosen by the key, as Kafka's Java producer does. For batches, transactions and
 * claims use the {@link LogStore}. Thread-safe.
 *
 * @see FirnListener
 */
public final class FirnTemplate implements AutoCloseable {
    private final LogStore store;
    private final RecordCodec codec;
    private final Map<String, TopicAppender> appenders = new ConcurrentHashMap<>();

    /** Creates a template; close it before the store. */
    public FirnTemplate(LogStore store, RecordCodec codec) {
        this.store = store;
        this.codec = codec;
    }

    /**
     * Appends a record without a key; see {@link #append(String, Object, Object, Map)}.
     *
     * @return its place
     */
    public RecordId append(String topic, Object value) {
        return append(topic, null, value);
    }

    /**
     * Appends a record; see {@link #append(String, Object, Object, Map)}.
     *
     * @return its place
     */
    public RecordId append(String topic, Object key, Object value) {
        return append(topic, key, value, Map.of());
    }

    /**
     * Appends a record. Returns when it is durable in a {@code DURABLE} topic, and written in a
     * {@code WRITTEN} one.
     *
     * @return its place
     * @throws UnknownTopicException when there is no such topic
     * @throws RecordConversionException when a part of it cannot be converted
     * @throws io.firn.StoreFullException when no tier has room; it can be tried again later
     * @throws io.firn.RecordTooLargeException when it is larger than the topic allows
     * @throws io.firn.PoisonedException when the medium failed
     */
    public RecordId append(String topic, Object key, Object value, Map<String, ?> headers) {
        return with(topic, appender -> appender.append(batch(appender, key, value, headers)));
    }

    /**
     * Appends a record without a key; see {@link #appendFuture(String, Object, Object, Map)}.
     *
     * @return completes with its place
     */
    public CompletableFuture<RecordId> appendFuture(String topic, Object value) {
        return appendFuture(topic, null, value, Map.of());
    }

    /**
     * Appends a record, without waiting until it is durable. Exceptions before anything is stored
     * are thrown, as by {@link #append(String, Object, Object, Map)}.
     *
     * @return completes with its place when {@code append} would return
     */
    public CompletableFuture<RecordId> appendFuture(
            String topic, Object key, Object value, Map<String, ?> headers) {
        return with(topic, appender -> appender.appendFuture(batch(appender, key, value, headers)));
    }

    private Batch batch(TopicAppender appender, Object key, Object value, Map<String, ?> headers) {
        Batch batch = appender.newBatch().key(codec.toBytes(key)).value(codec.toBytes(value));
        headers.forEach((name, each) -> batch.header(name, codec.toBytes(each)));
        return batch.add();
    }

    /** A topic that was deleted may have been created again since its appender was opened. */
    private <T> T with(String topic, Function<TopicAppender, T> use) {
        TopicAppender appender = appenders.computeIfAbsent(topic, this::open);
        try {
            return use.apply(appender);
        } catch (UnknownTopicException e) {
            if (appenders.remove(topic, appender)) {
                appender.close();
            }
            return use.apply(appenders.computeIfAbsent(topic, this::open));
        }
    }

    private TopicAppender open(String topic) {
        return store.openTopic(topic).openAppender();
    }

    /** Closes the appenders. Idempotent. */
    @Override
    public void close() {
        appenders.values().forEach(TopicAppender::close);
        appenders.clear();
    }
}
