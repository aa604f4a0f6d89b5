package io.firn.crash;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Durability;
import io.firn.IsolationLevel;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.Transaction;
import io.firn.file.FileTier;
import io.firn.host.HostedStore;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.CachedEpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A store that is opened read-only after its writer crashed, and before another one opened it: what
 * recovery would accept is shown, and nothing that recovery would cut.
 */
class ReadOnlyAfterCrashTest {
    private static final Path DIRECTORY = Path.of("/sim/store");
    private static final Path SEGMENTS = Path.of("/sim/segments");
    private static final int LENGTH = 1_000;

    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private final CachedEpochClock clock = new CachedEpochClock();

    /** Marks are written rarely, so that much lies above them. */
    private LogStore open(SimulatedFileMedium on, boolean readOnly) {
        var builder =
                StoreBuilder.over(DIRECTORY, on)
                        .tier(FileTier.at(SEGMENTS).withMedium(on))
                        .clock(clock)
                        .markInterval(Duration.ofHours(1))
                        .invokerMode();
        return readOnly ? HostedStore.of(builder.openReadOnly()) : builder.open();
    }

    private static TopicOptions options(Durability durability) {
        return TopicOptions.defaults()
                .withSegmentBytes(64 * 1024)
                .withMaxRecordBytes(2 * LENGTH)
                .withDurability(durability);
    }

    private static void append(LogStore store, Appender appender, int count) {
        for (int i = 0; i < count; i++) {
            appender.append(new byte[LENGTH]);
            if (i % 7 == 0) {
                store.doWork();
            }
        }
    }

    private static int read(Partition partition) {
        int[] count = {0};
        try (Tailer tailer = partition.openTailer()) {
            while (tailer.poll(
                            record -> {
                                assertEquals(count[0]++, record.offset());
                                return Action.CONTINUE;
                            },
                            100)
                    > 0) {
                continue;
            }
        }
        assertEquals(partition.visibleOffset(), count[0]);
        return count[0];
    }

    @ParameterizedTest
    @EnumSource
    void shouldShowEveryAcknowledgedRecordWhenNobodyHoldsTheLock(Durability durability)
            throws IOException {
        try (LogStore store = open(medium, false)) {
            Partition partition = store.createTopic("t", options(durability)).partition(0);
            try (Appender appender = partition.openAppender()) {
                for (int records : new int[] {1, 20, 60, 10, 50, 61, 1, 1}) {
                    append(store, appender, records);
                    partition.force();
                    SimulatedFileMedium crashed = medium.crash(Survival.NONE);
                    long shown;
                    try (LogStore reader = open(crashed, true)) {
                        shown = read(reader.openTopic("t").partition(0));
                        assertEquals(partition.durableOffset(), shown);
                    }
                    try (LogStore writer = open(crashed, false)) {
                        assertEquals(shown, writer.openTopic("t").partition(0).nextOffset());
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldShowTheEndsOfTransactionsAndWhatFollowsThem(Durability durability)
            throws IOException {
        try (LogStore store = open(medium, false)) {
            Topic topic = store.createTopic("t", options(durability));
            Partition partition = topic.partition(0);
            for (String value : new String[] {"first", "second"}) {
                try (Transaction tx = store.beginTransaction()) {
                    tx.append(partition, topic.newBatch().add(value.getBytes(UTF_8)));
                    tx.commit();
                }
            }
            try (Appender appender = partition.openAppender()) {
                appender.append("behind".getBytes(UTF_8));
            }
            partition.force();
            List<String> shown = new ArrayList<>();
            try (LogStore reader = open(medium.crash(Survival.NONE), true);
                    Tailer tailer =
                            reader.openTopic("t")
                                    .openTailer(
                                            TailerOptions.defaults()
                                                    .withIsolation(
                                                            IsolationLevel.READ_COMMITTED))) {
                tailer.poll(
                        record -> {
                            shown.add(new String(record.copy().value(), UTF_8));
                            return Action.CONTINUE;
                        },
                        100);
            }
            assertEquals(List.of("first", "second", "behind"), shown);
        }
    }

    /** Whatever survives of what was not forced. */
    @Test
    void shouldShowWhatRecoveryAcceptsAndNothingThatItCuts() throws IOException {
        try (LogStore store = open(medium, false)) {
            Partition partition = store.createTopic("t", options(Durability.DURABLE)).partition(0);
            try (Appender appender = partition.openAppender()) {
                for (int round = 0; round < 60; round++) {
                    append(store, appender, 5);
                    for (int i = 0; i < 8; i++) {
                        if (appender.tryAppend(new UnsafeBuffer(new byte[LENGTH]), 0, LENGTH) < 0) {
                            store.doWork();
                        }
                    }
                    SimulatedFileMedium crashed = medium.crash(Survival.random(round));
                    long shown;
                    try (LogStore reader = open(crashed, true)) {
                        shown = read(reader.openTopic("t").partition(0));
                    }
                    try (LogStore writer = open(crashed, false)) {
                        assertEquals(shown, writer.openTopic("t").partition(0).nextOffset());
                    }
                }
            }
        }
    }

    @Test
    void shouldShowNothingAboveTheMarkWhileAWriterHasTheLock() {
        try (LogStore store = open(medium, false)) {
            Partition partition = store.createTopic("t", options(Durability.DURABLE)).partition(0);
            try (Appender appender = partition.openAppender()) {
                append(store, appender, 20);
                try (LogStore reader = open(medium, true)) {
                    assertTrue(reader.openTopic("t").partition(0).visibleOffset() < 20);
                }
            }
        }
    }

    /** The reader stays while one writer crashes and another one goes on. */
    @Test
    void shouldGoOnWithTheWriterThatOpensTheStoreNext() throws IOException {
        SimulatedFileMedium crashed;
        try (LogStore store = open(medium, false)) {
            Partition partition = store.createTopic("t", options(Durability.DURABLE)).partition(0);
            try (Appender appender = partition.openAppender()) {
                append(store, appender, 100);
                crashed = medium.crash(Survival.ALL);
            }
        }
        try (LogStore reader = open(crashed, true)) {
            Partition log = reader.openTopic("t").partition(0);
            assertEquals(100, read(log));
            try (LogStore writer = open(crashed, false)) {
                Partition partition = writer.openTopic("t").partition(0);
                try (Appender appender = partition.openAppender()) {
                    append(writer, appender, 100);
                    appender.tryAppend(
                            new UnsafeBuffer(new byte[LENGTH]),
                            0,
                            LENGTH); // not forced, so not to be seen
                    for (int i = 0; i < 50; i++) {
                        reader.doWork();
                        assertTrue(log.visibleOffset() <= partition.durableOffset());
                    }
                }
            }
            for (int i = 0; i < 2 || log.visibleOffset() < 201; i++) {
                assertTrue(i < 1_000_000_000, "never seen");
                reader.doWork();
            }
            assertEquals(201, read(log));
            assertEquals(List.of(), log.damage());
        }
    }
}
