package io.firn.spring;

import io.firn.LogStore;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.spring.FirnProperties.ListenerProperties;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.springframework.context.SmartLifecycle;

/**
 * The listeners of the application. They start last, when all beans are ready, and stop first: each
 * ends with the record that it is handling, and commits its cursor. Thread-safe.
 *
 * @see FirnListener
 */
public final class FirnListeners implements SmartLifecycle {
    /** Higher than that of the server and of web servers. */
    static final int PHASE = Integer.MAX_VALUE - 100;

    private final LogStore store;
    private final RecordCodec codec;
    private final ListenerMethods methods;
    private final ListenerProperties properties;
    private List<ListenerThread> threads = List.of();
    private Map<ListenerThread, String> names = Map.of();

    FirnListeners(
            LogStore store,
            RecordCodec codec,
            ListenerMethods methods,
            ListenerProperties properties) {
        this.store = store;
        this.codec = codec;
        this.methods = methods;
        this.properties = properties;
    }

    @Override
    public synchronized void start() {
        if (isRunning()) {
            return;
        }
        List<Thread> toStart = new ArrayList<>();
        Map<ListenerThread, String> started = new LinkedHashMap<>();
        List<Tailer> opened = new ArrayList<>();
        boolean isReady = false;
        try {
            DeadLetters deadLetters = new DeadLetters(store, properties.deadLetterSuffix());
            for (ListenerMethod each : methods.all()) {
                Topic topic = topic(each);
                int partitions = topic.options().partitions();
                int count = Math.min(each.concurrency(), partitions);
                for (int i = 0; i < count; i++) {
                    int first = i;
                    int[] own =
                            IntStream.range(0, partitions)
                                    .filter(p -> p % count == first)
                                    .toArray();
                    Tailer tailer =
                            topic.openTailer(TailerOptions.at(each.cursor()).withPartitions(own));
                    opened.add(tailer);
                    ListenerThread thread =
                            new ListenerThread(each, codec, properties, deadLetters, tailer);
                    String name = "firn-" + each.topic() + "-" + each.cursor() + "-" + i;
                    started.put(thread, name);
                    toStart.add(new Thread(thread, name));
                }
            }
            isReady = true;
        } finally {
            if (!isReady) {
                opened.forEach(Tailer::close);
            }
        }
        names = started;
        threads = List.copyOf(started.keySet());
        toStart.forEach(Thread::start);
    }

    private Topic topic(ListenerMethod method) {
        if (!store.hasTopic(method.topic())) {
            throw new IllegalStateException(
                    "the listener "
                            + method
                            + " reads the topic '"
                            + method.topic()
                            + "', which does not exist: name it in firn.topics, or create it before"
                            + " the application has started. Found "
                            + store.topicNames());
        }
        return store.openTopic(method.topic());
    }

    @Override
    public void stop() {
        stopAll().join();
    }

    /** All end in parallel; Spring waits for the callback as long as it waits for a phase. */
    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the callback is its end
    public void stop(Runnable callback) {
        stopAll().thenRun(callback);
    }

    private synchronized CompletableFuture<Void> stopAll() {
        threads.forEach(ListenerThread::stop);
        return CompletableFuture.allOf(
                threads.stream().map(ListenerThread::ended).toArray(CompletableFuture<?>[]::new));
    }

    @Override
    public synchronized boolean isRunning() {
        return threads.stream().anyMatch(each -> !each.ended().isDone());
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /** Returns the threads that have ended with an error, by name, and the error of each. */
    public synchronized Map<String, String> failures() {
        Map<String, String> failures = new TreeMap<>();
        names.forEach(
                (thread, name) -> {
                    if (thread.failure() != null) {
                        failures.put(name, thread.failure());
                    }
                });
        return failures;
    }
}
