package io.firn.api;

import static io.firn.api.Stores.await;
import static io.firn.api.Stores.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.LogStore.MoveOutcome;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.PartitionReader;
import io.firn.PoisonedException;
import io.firn.StoreMetrics.TierMetrics;
import io.firn.Topic;
import io.firn.file.FileTier;
import io.firn.medium.FileMedium;
import io.firn.open.StoreBuilder;
import io.firn.sim.FirstRunOnly;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Background work that fails in one place, and goes on in all others. */
@FirstRunOnly
class BackgroundTroubleTest {
    private static final int VALUE_BYTES = 30_000; // two to a segment

    @TempDir private Path directory;
    private final ObservedMedium medium = new ObservedMedium();
    private volatile Predicate<Path> refused = path -> false;

    private LogStore open(FileMedium ofStore) {
        medium.beforeDelete(this::refuse);
        medium.beforeRename(this::refuse);
        return StoreBuilder.over(directory.resolve("store"), ofStore)
                .tier("hot", FileTier.at(directory.resolve("hot")).withMedium(medium))
                .tier("cold", FileTier.at(directory.resolve("cold")).withMedium(medium))
                .nanoClock(Stores.FAST)
                .open();
    }

    private void refuse(Path path) throws IOException {
        if (refused.test(path)) {
            throw new IOException("refused: " + path);
        }
    }

    private static void append(Partition partition, int count) {
        try (Appender appender = partition.openExclusiveAppender()) {
            for (int i = 0; i < count; i++) {
                appender.append(new byte[VALUE_BYTES]);
            }
        }
    }

    private static void awaitMovable(LogStore store, int count) {
        await(
                count + " sealed segments",
                () ->
                        store.snapshot().partitions().stream()
                                        .flatMap(each -> each.segments().stream())
                                        .filter(each -> each.isMovable())
                                        .count()
                                >= count);
    }

    @Test
    void shouldGoOnAppendingToOneTierWhileAnotherRefusesToDelete() throws Exception {
        try (LogStore store = open(medium)) {
            Partition partition = store.createTopic("t", Stores.small()).partition(0);
            append(partition, 8);
            awaitMovable(store, 2);
            assertEquals(MoveOutcome.MOVED, store.migrate("t", 0, 0, "cold"));
            refused = path -> path.startsWith(directory.resolve("cold"));
            partition.deleteRecordsBefore(2);
            await("an error", () -> store.metrics().backgroundErrors() > 0);
            Stores.start(
                            () -> {
                                append(partition, 20);
                                return null;
                            })
                    .result();
            assertEquals(28, partition.nextOffset());
            assertFalse(partition.metrics().isPoisoned());
            TierMetrics cold = store.metrics().tiers().get(1);
            String error = cold.lastError().orElseThrow();
            assertTrue(error.contains("refused"), error);
            assertTrue(cold.usedBytes() > 0);
            refused = path -> false;
            await("space", () -> store.metrics().tiers().get(1).usedBytes() == 0);
        }
    }

    @Test
    void shouldEndAMoveOfAPoisonedPartitionWhenTheStoreIsClosed() throws Exception {
        LogStore store = open(medium);
        Partition partition = store.createTopic("t", Stores.small()).partition(0);
        append(partition, 8);
        awaitMovable(store, 2);
        medium.beforeForce(
                file -> {
                    throw new IOException("on purpose");
                });
        assertThrows(PoisonedException.class, () -> append(partition, 1));
        medium.beforeForce(null);
        CountDownLatch begun = new CountDownLatch(1);
        Stores.Task<MoveOutcome> move =
                Stores.start(
                        () ->
                                store.migrate(
                                        "t",
                                        0,
                                        0,
                                        "cold",
                                        (copied, total, next) -> {
                                            begun.countDown();
                                            return TimeUnit.HOURS.toNanos(1);
                                        }));
        begun.await();
        Stores.start(
                        () -> {
                            store.close();
                            return null;
                        })
                .result();
        assertEquals(MoveOutcome.CANCELLED, move.result());
    }

    @Test
    void shouldBringOtherSegmentsIntoTheirFinalFormWhenOneFails() {
        try (LogStore store = open(medium)) {
            Partition partition = store.createTopic("t", Stores.small()).partition(0);
            refused = path -> path.getFileName().toString().equals("00000000000000000000.log");
            append(partition, 9);
            awaitMovable(store, 3);
            refused = path -> false;
            awaitMovable(store, 4);
        }
    }

    @Test
    void shouldTakeOtherPartitionsOfADeletedTopicAwayWhenOneRefuses() {
        try (LogStore store = open(medium)) {
            Topic topic = store.createTopic("t", Stores.small().withPartitions(3));
            for (int i = 0; i < 3; i++) {
                append(topic.partition(i), 5);
            }
            awaitMovable(store, 6);
            refused = path -> path.getParent().endsWith("0");
            store.deleteTopic("t");
            await(
                    "the others",
                    () ->
                            Stores.filesIn(directory.resolve("hot")).stream()
                                    .noneMatch(
                                            file ->
                                                    file.getParent().endsWith("1")
                                                            || file.getParent().endsWith("2")));
            assertTrue(store.metrics().tiers().get(0).usedBytes() > 0);
            refused = path -> false;
            await("the rest", () -> store.metrics().tiers().get(0).usedBytes() == 0);
        }
    }

    @Test
    void shouldWriteOtherCursorsDownWhenOneCannotBe() {
        ObservedMedium ofStore = new ObservedMedium();
        try (LogStore store = open(ofStore)) {
            Topic topic = store.createTopic("t", Stores.small());
            try (Appender appender = topic.partition(0).openExclusiveAppender()) {
                appender.append(bytes("a"));
            }
            ofStore.beforeCreate(
                    file -> {
                        if (file.getFileName().toString().contains("cursor-a")) {
                            throw new IOException("refused: " + file);
                        }
                    });
            for (String name : new String[] {"a", "b"}) {
                topic.cursor(name).commit(0, 1);
            }
            await("the other one", () -> isThere("cursor-b"));
            assertFalse(isThere("cursor-a"));
            ofStore.beforeCreate(null);
            await("that one, too", () -> isThere("cursor-a"));
        }
    }

    @Test
    void shouldFollowOneTierWhileAnotherCannotBeRead() {
        ObservedMedium readers = new ObservedMedium();
        LogStoreBuilder builder =
                LogStore.at(directory.resolve("store"))
                        .tier("hot", FileTier.at(directory.resolve("hot")).withMedium(readers))
                        .tier("cold", FileTier.at(directory.resolve("cold")).withMedium(readers));
        try (LogStore store = open(medium)) {
            Partition written = store.createTopic("t", Stores.small()).partition(0);
            append(written, 8);
            awaitMovable(store, 2);
            assertEquals(MoveOutcome.MOVED, store.migrate("t", 0, 0, "cold"));
            try (LogReader following = builder.openReadOnly()) {
                PartitionReader read = following.openTopic("t").partition(0);
                await("what is there", () -> read.visibleOffset() == 8);
                readers.beforeList(
                        path -> {
                            if (path.startsWith(directory.resolve("cold"))) {
                                throw new IOException("refused: " + path);
                            }
                        });
                await("trouble", () -> following.metrics().tiers().get(1).lastError().isPresent());
                append(written, 8);
                await("what is new", () -> read.visibleOffset() == 16);
                assertEquals(16, Stores.readAll(read.openTailer()).size());
                assertTrue(following.metrics().backgroundErrors() > 0);
            }
        }
    }

    private boolean isThere(String name) {
        return Stores.filesIn(directory.resolve("store")).stream()
                .anyMatch(file -> file.getFileName().toString().equals(name));
    }
}
