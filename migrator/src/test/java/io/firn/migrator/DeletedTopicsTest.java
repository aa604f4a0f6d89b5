package io.firn.migrator;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static io.firn.migrator.Tiered.COLD;
import static io.firn.migrator.Tiered.WARM;
import static io.firn.migrator.Tiered.assertAllThere;
import static io.firn.migrator.Tiered.await;
import static io.firn.migrator.Tiered.awaitMovable;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.LogStore.MoveOutcome;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.StoreMetrics.TierMetrics;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.sim.FirstRunOnly;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that runs keeps no directory of a topic that was deleted, in none of its tiers. */
@FirstRunOnly
class DeletedTopicsTest {
    private static final int WORKERS = 3;
    private static final int TOPICS_OF_A_WORKER = 12;

    @TempDir private Path directory;
    private LogStore store;

    @BeforeEach
    void open() {
        store = Tiered.at(directory, 6).open();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private Set<String> topicsIn(String place) {
        try (Stream<Path> names = Files.list(directory.resolve(place))) {
            return new TreeSet<>(
                    names.filter(Files::isDirectory)
                            .map(name -> name.getFileName().toString())
                            .toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitOnly(Set<String> topics) {
        for (String place : List.of("ssd", "hdd", "store/topics")) {
            await(
                    "the directories of deleted topics in " + place,
                    () -> topics.containsAll(topicsIn(place)));
        }
    }

    private void assertSound() {
        assertEquals(List.of(), store.findings());
        for (TierMetrics tier : store.metrics().tiers()) {
            assertTrue(tier.isInRotation(), tier.label());
        }
    }

    private static TopicOptions two() {
        return Tiered.small().withPartitions(2).withTiers("ssd", "hdd");
    }

    @Test
    void shouldKeepOnlyTheDirectoriesOfLivingTopics() {
        Topic living = store.createTopic("living", two());
        Tiered.appendSegments(living.partition(1), 1);
        for (int i = 0; i < 20; i++) {
            String name = "t" + i;
            Topic topic = store.createTopic(name, two());
            Tiered.appendSegments(topic.partition(0), 1);
            Tiered.appendSegments(topic.partition(1), 1);
            awaitMovable(store, name, 1);
            assertEquals(MoveOutcome.MOVED, store.migrate(name, 0, 0, COLD));
            store.deleteTopic(name);
        }
        awaitOnly(Set.of(living.id().toString()));
        assertEquals(Set.of(living.id().toString()), topicsIn("ssd"));
        assertSound();
        assertAllThere(living.partition(1));
    }

    @Test
    void shouldKeepTheDirectoriesUntilReadersLetGo() throws Exception {
        Topic topic = store.createTopic("t", two());
        Tiered.appendSegments(topic.partition(0), 1);
        Tiered.appendSegments(topic.partition(1), 1);
        Path partitions = directory.resolve("ssd").resolve(topic.id().toString());
        readWhile(
                topic.partition(1),
                () -> {
                    store.deleteTopic("t");
                    await("the segments nobody reads", () -> isEmpty(partitions.resolve("0")));
                    assertTrue(Files.exists(partitions.resolve("1")));
                });
        awaitOnly(Set.of());
        assertSound();
    }

    /** The file of an unsealed segment does not wait for readers; its mapping does. */
    @Test
    void shouldKeepTheBytesOfAnUnsealedSegmentUntilReadersLetGo() throws Exception {
        Topic topic = store.createTopic("t", two());
        byte[] value = new byte[1000];
        Arrays.fill(value, (byte) 7);
        try (Appender appender = topic.partition(0).openExclusiveAppender()) {
            appender.append(value);
        }
        byte[] found =
                readWhile(
                        topic.partition(0),
                        () -> {
                            store.deleteTopic("t");
                            awaitOnly(Set.of());
                        });
        assertArrayEquals(value, found);
        assertSound();
    }

    /** Returns the first value, which a handler reads after what is done while it holds it. */
    private static byte[] readWhile(Partition partition, Runnable work) throws Exception {
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        AtomicReference<byte[]> found = new AtomicReference<>();
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try {
            Tailer tailer = partition.openTailer();
            Future<?> reader =
                    threads.submit(
                            () ->
                                    tailer.poll(
                                            record -> {
                                                reading.countDown();
                                                awaitLatch(done);
                                                found.set(record.copy().value());
                                                return Action.STOP;
                                            },
                                            1));
            awaitLatch(reading);
            work.run();
            done.countDown();
            reader.get(HANGS_AFTER_S, TimeUnit.SECONDS);
        } finally {
            done.countDown();
            threads.shutdown();
        }
        return found.get();
    }

    private static boolean isEmpty(Path partition) {
        try (Stream<Path> files = Files.list(partition)) {
            return files.findAny().isEmpty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            assertTrue(latch.await(HANGS_AFTER_S, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A topic that retention empties goes on in the directories that it has. */
    @Test
    void shouldKeepTheDirectoryOfALivingTopicWithoutSegments() {
        Topic topic = store.createTopic("t", two());
        Partition partition = topic.partition(0);
        Tiered.appendSegments(partition, 2);
        awaitMovable(store, "t", 2);
        assertEquals(MoveOutcome.MOVED, store.migrate("t", 0, 0, COLD));
        partition.deleteRecordsBefore(2L * Tiered.RECORDS_IN_SEGMENT);
        Path cold = directory.resolve("hdd").resolve(topic.id().toString()).resolve("0");
        await("the deletion", () -> isEmpty(cold));
        Tiered.appendSegments(partition, 1);
        awaitMovable(store, "t", 1);
        long base = 2L * Tiered.RECORDS_IN_SEGMENT;
        assertEquals(MoveOutcome.MOVED, store.migrate("t", 0, base, COLD));
        assertAllThere(partition);
        assertSound();
    }

    /** Topics come and go while segments are read, moved, and reserved, all at the same time. */
    @Test
    void shouldLeaveNothingOfTopicsThatAreDeletedUnderReadersAndMoves() throws Exception {
        Topic living = store.createTopic("living", two());
        AtomicBoolean ended = new AtomicBoolean();
        ExecutorService threads = Executors.newCachedThreadPool();
        List<Future<?>> workers = new ArrayList<>();
        try (Migrator migrator =
                Migrator.of(store)
                        .policy(Policies.threshold(0.3))
                        .interval(Duration.ofMillis(1))
                        .open()) {
            migrator.start();
            for (int i = 0; i < WORKERS; i++) {
                int worker = i;
                workers.add(threads.submit(() -> comeAndGo(worker, threads)));
            }
            Future<?> mover = threads.submit(() -> moveToAndFro(ended));
            for (int i = 0; i < 5; i++) {
                Tiered.appendSegments(living.partition(0), 1);
            }
            for (Future<?> each : workers) {
                assertNull(each.get(HANGS_AFTER_S, TimeUnit.SECONDS));
            }
            ended.set(true);
            mover.get(HANGS_AFTER_S, TimeUnit.SECONDS);
        } finally {
            ended.set(true);
            threads.shutdown();
            assertTrue(threads.awaitTermination(HANGS_AFTER_S, TimeUnit.SECONDS));
        }
        awaitOnly(Set.of(living.id().toString()));
        assertSound();
        assertAllThere(living.partition(0));
        close();
        open();
        assertSound();
        assertAllThere(store.openTopic("living").partition(0));
    }

    private void comeAndGo(int worker, ExecutorService threads) {
        for (int i = 0; i < TOPICS_OF_A_WORKER; i++) {
            String name = "t-" + worker + "-" + i;
            TopicOptions options = i % 2 == 0 ? two() : Tiered.small().withPartitions(2);
            Topic topic = store.createTopic(name, options);
            threads.execute(() -> readToTheEnd(topic.partition(0)));
            Tiered.appendSegments(topic.partition(0), 2);
            Tiered.appendSegments(topic.partition(1), 1);
            store.deleteTopic(name);
        }
    }

    private static void readToTheEnd(Partition partition) {
        try {
            Tailer tailer = partition.openTailer();
            while (partition.visibleOffset() >= 0) {
                tailer.poll(
                        record -> {
                            Thread.onSpinWait();
                            return Action.CONTINUE;
                        },
                        100);
            }
        } catch (FirnException e) {
            // the topic was deleted
        }
    }

    private void moveToAndFro(AtomicBoolean ended) {
        for (int i = 0; !ended.get(); i++) {
            String to = i % 2 == 0 ? COLD : WARM;
            for (String name : store.topicNames()) {
                try {
                    store.migrate(name, 0, 0, to);
                } catch (FirnException e) {
                    // it was deleted
                }
            }
        }
    }
}
