package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.Compression;
import io.firn.Durability;
import io.firn.LogStore;
import io.firn.PoisonedException;
import io.firn.StoreFullException;
import io.firn.Topic;
import io.firn.file.FileTier;
import io.firn.host.HostedPartition;
import io.firn.host.ReplicaAppender;
import io.firn.kafka.SourceLog;
import io.firn.medium.MediumFile;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.Test;

/**
 * A replicated partition that is truncated while the disk is full, and opened while it still is.
 */
class TruncationOnFullDiskTest {
    private final SourceLog source = new SourceLog(0, 1);

    private static LogStore open(SimulatedFileMedium medium) {
        return StoreBuilder.over(Path.of("/sim/store"), medium)
                .tier(FileTier.at(Path.of("/sim/segments")).withMedium(medium))
                .clock(new CachedEpochClock())
                .open();
    }

    /** Somebody else takes what becomes free before each operation, too. */
    private static void keepFull(SimulatedFileMedium medium) {
        fill(medium);
        medium.onOperation(number -> fill(medium));
    }

    private static void fill(SimulatedFileMedium medium) {
        try {
            medium.faults().limitBytes(Long.MAX_VALUE - 1);
            long usable = medium.usableBytes(Path.of("/sim"));
            medium.faults().limitBytes(Long.MAX_VALUE - 1 - usable);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void makeRoom(SimulatedFileMedium medium) {
        medium.onOperation(number -> {});
        medium.faults().limitBytes(Long.MAX_VALUE - 1);
    }

    private SimulatedFileMedium truncatedHalfWay() {
        SimulatedFileMedium medium = new SimulatedFileMedium();
        LogStore store = open(medium);
        Topic topic =
                store.createTopic(
                        "t",
                        Stores.small().withReplicated(true).withDurability(Durability.WRITTEN));
        for (int i = 0; i < 10; i++) {
            source.append(Compression.NONE, "old " + i);
        }
        SimulatedFileMedium left;
        try (ReplicaAppender appender =
                HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
            ReplicaTest.replicate(source, appender, 10);
            Waiting.await("space for such a case", () -> hasForcedSpare(medium));
            keepFull(medium);
            assertThrows(PoisonedException.class, () -> appender.truncate(5));
            left = medium.kill();
        }
        makeRoom(medium);
        store.close();
        return left;
    }

    /** The background reserves the space of a new store. */
    private static boolean hasForcedSpare(SimulatedFileMedium medium) {
        return medium.history().stream()
                .anyMatch(each -> each.startsWith("force") && each.endsWith("/spare"));
    }

    private static void damageCuts(SimulatedFileMedium medium) throws IOException {
        Path topics = Path.of("/sim/store/topics");
        Path file = topics.resolve(medium.list(topics).get(0)).resolve("truncated-0");
        try (MediumFile open = medium.open(file, true)) {
            open.write(20, new byte[] {1}, 0, 1);
            open.force();
        }
    }

    @Test
    void shouldGoOnAfterADamagedFileOfTruncationsWhenThereIsRoom() throws IOException {
        SimulatedFileMedium medium = truncatedHalfWay();
        damageCuts(medium);
        keepFull(medium);
        for (int i = 0; i < 2; i++) {
            try (LogStore store = open(medium)) {
                Topic topic = store.openTopic("t");
                assertEquals(0, HostedPartition.of(topic.partition(0)).truncatedSince(1));
                try (ReplicaAppender appender =
                        HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
                    source.append(Compression.NONE, "more");
                    assertThrows(
                            StoreFullException.class,
                            () -> appender.append(source.fetch(appender.nextOffset(), 1)));
                }
            }
        }
        makeRoom(medium);
        long known;
        try (LogStore store = open(medium)) {
            Topic topic = store.openTopic("t");
            known = HostedPartition.of(topic.partition(0)).truncations();
            try (ReplicaAppender appender =
                    HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
                ReplicaTest.replicate(source, appender, 10);
            }
            ReplicaTest.assertHolds(source, topic.partition(0));
        }
        try (LogStore store = open(medium)) {
            assertEquals(
                    known, HostedPartition.of(store.openTopic("t").partition(0)).truncations());
        }
    }

    @Test
    void shouldOpenAndGoOnWhenThereIsRoom() {
        SimulatedFileMedium medium = truncatedHalfWay();
        keepFull(medium);
        try (LogStore store = open(medium)) {
            Topic topic = store.openTopic("t");
            assertEquals(1, HostedPartition.of(topic.partition(0)).truncations());
            try (ReplicaAppender appender =
                    HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
                source.append(Compression.NONE, "more");
                assertThrows(
                        StoreFullException.class,
                        () -> appender.append(source.fetch(appender.nextOffset(), 1)));
                assertThrows(StoreFullException.class, () -> appender.fillTo(100));
                makeRoom(medium);
                ReplicaTest.replicate(source, appender, 10);
            }
            ReplicaTest.assertHolds(source, topic.partition(0));
        }
        try (LogStore store = open(medium)) {
            assertEquals(1, HostedPartition.of(store.openTopic("t").partition(0)).truncations());
            ReplicaTest.assertHolds(source, store.openTopic("t").partition(0));
        }
    }
}
