package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Topic;
import io.firn.UnknownTopicException;
import io.firn.file.FileTier;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a store that runs, or ran into trouble, keeps of topics that were deleted. */
class DeletedDirectoriesTest {
    private static final Logger LOG = Logger.getLogger("io.firn");
    private static final Path STORE = Path.of("/sim/store");
    private static final Path SEGMENTS = Path.of("/sim/segments");

    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private final CachedEpochClock clock = new CachedEpochClock();

    @BeforeEach
    void silence() {
        LOG.setLevel(Level.OFF);
    }

    private LogStore open(SimulatedFileMedium on) {
        return StoreBuilder.over(STORE, on)
                .tier(FileTier.at(SEGMENTS).withMedium(on))
                .clock(clock)
                .invokerMode()
                .open();
    }

    private static List<String> directories(SimulatedFileMedium on, Path parent)
            throws IOException {
        List<String> names = new ArrayList<>(on.list(parent));
        names.removeIf(name -> name.length() != 36);
        return names;
    }

    private static void assertOnly(SimulatedFileMedium on, String... topics) throws IOException {
        assertEquals(List.of(topics), directories(on, SEGMENTS));
        assertEquals(List.of(topics), directories(on, STORE.resolve("topics")));
    }

    private void work(LogStore store) {
        for (int i = 0; i < 5; i++) {
            clock.advance(1_000);
            store.doWork();
        }
    }

    private static Topic filled(LogStore store, String name) {
        Topic topic = store.createTopic(name, Disk.SMALL.withPartitions(2));
        Disk.append(topic.partition(0), 14);
        Disk.append(topic.partition(1), 2);
        return topic;
    }

    @Test
    void shouldKeepOnlyTheDirectoriesOfLivingTopics() throws IOException {
        try (LogStore store = open(medium)) {
            Topic living = filled(store, "living");
            for (int i = 0; i < 10; i++) {
                filled(store, "t" + i);
                work(store);
                store.deleteTopic("t" + i);
                work(store);
            }
            assertOnly(medium, living.id().toString());
            assertEquals(List.of(), store.findings());
        }
    }

    /** A failure costs one try, and nothing but the empty directories until the next open. */
    @Test
    void shouldDeleteTheTopicWhenItsDirectoriesCannotBeDeleted() throws IOException {
        try (LogStore store = open(medium)) {
            Partition living = filled(store, "living").partition(0);
            Topic topic = filled(store, "t");
            work(store);
            String path = SEGMENTS.resolve(topic.id().toString()).toString();
            int[] tries = {0};
            medium.faults()
                    .failOperations(
                            number -> {
                                List<String> history = medium.history();
                                String last = history.get(history.size() - 1);
                                boolean fails =
                                        last.startsWith("delete ")
                                                && last.contains(path)
                                                && last.matches(".*/[0-9]+");
                                tries[0] += fails ? 1 : 0;
                                return fails;
                            });
            store.deleteTopic("t");
            for (int i = 0; i < 20; i++) {
                work(store);
            }
            assertEquals(1, tries[0]);
            medium.faults().none();
            assertEquals(2, directories(medium, SEGMENTS).size());
            assertEquals(1, directories(medium, STORE.resolve("topics")).size());
            assertTrue(store.metrics().tiers().get(0).isInRotation());
            assertTrue(store.metrics().tiers().get(0).lastError().isPresent());
            assertFalse(living.metrics().isPoisoned());
            Disk.append(living, 14);
            filled(store, "t");
        }
        try (LogStore again = open(medium)) {
            assertEquals(2, directories(medium, SEGMENTS).size());
            assertEquals(2, again.topicNames().size());
            assertEquals(List.of(), again.findings());
        }
    }

    @Test
    void shouldLeaveNothingWhereverADeletionComesIntoAnAppend() throws IOException {
        int at = 0;
        while (isDeletedAt(at)) {
            at++;
        }
        assertTrue(at > 14, () -> "an append has operations of the medium");
    }

    /** Returns false when the appends have fewer operations. */
    private boolean isDeletedAt(int at) throws IOException {
        SimulatedFileMedium on = new SimulatedFileMedium();
        boolean[] isAppending = {false};
        boolean[] isDeleted = {false};
        int[] operations = {0};
        try (LogStore store = open(on)) {
            Partition partition = store.createTopic("t", Disk.SMALL).partition(0);
            work(store);
            on.onOperation(
                    number -> {
                        if (isAppending[0] && !isDeleted[0] && operations[0]++ == at) {
                            isDeleted[0] = true;
                            store.deleteTopic("t");
                            work(store); // the deletion goes on as far as it can
                        }
                    });
            try (Appender appender = partition.openAppender()) {
                for (int i = 0; i < 30; i++) {
                    isAppending[0] = true;
                    appender.tryAppend(appender.newBatch().add(new byte[9_000]));
                    isAppending[0] = false;
                    store.doWork();
                }
                if (isDeleted[0]) { // in the last one
                    appender.tryAppend(appender.newBatch().add(new byte[1]));
                }
                assertFalse(isDeleted[0], "the topic was deleted");
            } catch (UnknownTopicException e) {
                assertTrue(isDeleted[0], e::toString);
            }
            isAppending[0] = false;
            work(store);
            if (isDeleted[0]) {
                assertOnly(on);
            }
            assertEquals(List.of(), store.findings());
        }
        try (LogStore again = open(on)) {
            assertEquals(List.of(), again.findings());
        }
        return isDeleted[0];
    }

    @Test
    void shouldLoseNothingAndLeaveNothingWhereverThePowerIsCut() throws IOException {
        List<SimulatedFileMedium> left = new ArrayList<>();
        String living;
        try (LogStore store = open(medium)) {
            living = filled(store, "living").id().toString();
            filled(store, "t");
            work(store);
            store.openTopic("living").partition(0).force();
            medium.onOperation(
                    number -> {
                        left.add(medium.crash(Survival.ALL));
                        left.add(medium.crash(Survival.NONE));
                        for (int i = 0; i < 4; i++) {
                            left.add(medium.crash(Survival.random(31L * number + i)));
                        }
                    });
            store.deleteTopic("t");
            work(store);
            medium.onOperation(number -> {});
            left.add(medium.crash(Survival.NONE));
            left.add(medium.crash(Survival.ALL));
        }
        int gone = 0;
        for (SimulatedFileMedium each : left) {
            try (LogStore again = open(each)) {
                work(again);
                assertEquals(List.of(), again.findings());
                assertEquals(14, Found.in(again.openTopic("living").partition(0)).records().size());
                if (!again.topicNames().contains("t")) {
                    gone++;
                    assertOnly(each, living);
                }
            }
        }
        assertTrue(gone > 50, gone + " of " + left.size());
    }
}
