package io.firn.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PartitionReader.TimestampedOffset;
import io.firn.Topic;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A clock that is set back: what is due by time stays due, and timestamps are found as they are.
 */
class BackwardClockTest {
    private static final long DAY_MS = 86_400_000;
    private static final int RECORDS = 300;

    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private final Simulation simulation = new Simulation(medium);

    @BeforeAll
    static void silence() {
        Simulation.silenceLog();
    }

    @Test
    void shouldForceAndWriteDownWhatIsDueAfterTheClockWasSetBack() {
        LogStore store = simulation.open();
        Topic topic = store.createTopic("t", Simulation.SMALL_WRITTEN);
        Partition partition = topic.partition(0);
        Batch batch;
        try (Appender appender = partition.openExclusiveAppender()) {
            appender.append(new byte[100]);
            simulation.pass(store, 2_000);
            for (int day = 1; day <= 3; day++) {
                simulation.clock.advance(-DAY_MS);
                batch = appender.newBatch().producer(day, 0, 0).add(new byte[100]);
                long offset = appender.append(batch);
                topic.cursor("c").commit(0, offset);
                for (int i = 0; i < 12; i++) {
                    simulation.pass(store, 100);
                }
                assertEquals(offset + 1, partition.durableOffset());
                assertEquals(0, partition.metrics().rolls());
                checkAfterAPowerCut(batch, offset);
            }
        }
    }

    private void checkAfterAPowerCut(Batch batch, long offset) {
        try (LogStore store = new Simulation(medium.crash(Survival.NONE)).open()) {
            Topic topic = store.openTopic("t");
            assertEquals(offset + 1, topic.partition(0).nextOffset());
            assertEquals(offset, topic.cursor("c").offset(0));
            try (Appender appender = topic.partition(0).openExclusiveAppender()) {
                assertEquals(offset, appender.append(batch));
            }
        }
    }

    @Test
    void shouldFindTimestampsThatGoBackAndForth() {
        SplittableRandom random = new SplittableRandom(1);
        long[] timestamps = new long[RECORDS];
        LogStore store = simulation.open();
        Partition partition = store.createTopic("t", Simulation.SMALL).partition(0);
        try (Appender appender = partition.openExclusiveAppender()) {
            Batch batch = appender.newBatch();
            int next = 0;
            while (next < RECORDS) {
                batch.clear();
                int count = Math.min(1 + random.nextInt(4), RECORDS - next);
                for (int i = 0; i < count; i++) {
                    timestamps[next] = 1_000L + random.nextInt(500);
                    batch.value(new byte[700]).timestamp(timestamps[next++]).add();
                }
                appender.append(batch);
            }
        }
        checkTimestamps(partition, timestamps);
        simulation.pass(store, 1_000);
        checkTimestamps(partition, timestamps);
        store.close();
        try (LogStore again = simulation.open()) {
            checkTimestamps(again.openTopic("t").partition(0), timestamps);
        }
    }

    private static void checkTimestamps(Partition partition, long[] timestamps) {
        for (long wanted = 990; wanted < 1_510; wanted++) {
            int first = 0;
            while (first < RECORDS && timestamps[first] < wanted) {
                first++;
            }
            TimestampedOffset found = partition.findTimestamp(wanted);
            long offset = found == null ? RECORDS : found.offset();
            assertEquals(first, offset, "timestamp " + wanted);
        }
    }
}
