package io.firn.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PoisonedException;
import io.firn.RecordHandler.Action;
import io.firn.RetainUntilRead;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.UnreadableTopicException;
import io.firn.kill.Flaws;
import io.firn.medium.SmallFile;
import io.firn.sim.FirstRunOnly;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Rules O5 and O7: power cuts while a topic comes and goes, and while a cursor runs ahead of what
 * is durable. Each test names the step without which it fails.
 */
@FirstRunOnly
class TopicRulesTest {
    private static final int MIB = 1 << 20;

    /** Images of one moment. */
    private static final int MOST = 10;

    private static final List<Survival> SURVIVALS =
            List.of(Survival.NONE, Survival.ALL, Survival.NAMES, Survival.BYTES);

    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private final Simulation simulation = new Simulation(medium);
    private final List<SimulatedFileMedium> left = new ArrayList<>();
    private int most = MOST;

    @BeforeAll
    static void silence() {
        Simulation.silenceLog();
    }

    /** From here on, a power cut before each operation. */
    private void cutPowerAtEachOperation() {
        medium.onOperation(
                number -> survivals(number).forEach(each -> left.add(medium.crash(each))));
    }

    private void stop() {
        medium.onOperation(number -> {});
        survivals(medium.operations()).forEach(each -> left.add(medium.crash(each)));
    }

    /** All or nothing of a kind, and some where each name survives by itself. */
    private List<Survival> survivals(int seed) {
        List<Survival> all = new ArrayList<>(SURVIVALS);
        for (int i = 0; i < most - SURVIVALS.size(); i++) {
            all.add(Survival.random(31L * seed + i));
        }
        return all;
    }

    /**
     * O8: a store that was closed cleanly has written down what it knows of producers, durably
     * ({@code TopicLog.writeCheckpoints}).
     */
    @Test
    void shouldKeepTheCheckpointsOfACleanCloseWhenPowerIsCutAfterIt() throws IOException {
        Topic topic;
        try (LogStore store = simulation.open()) {
            topic = store.createTopic("t", Simulation.SMALL.withPartitions(3));
            for (int i = 0; i < 3; i++) {
                appendOfProducer(topic, i, 0);
            }
        }
        assertCheckpointed(topic, 3);
    }

    /** O8: the file is written anew, and may be all that tells of a partition's producers. */
    @Test
    void shouldKeepTheCheckpointsOfPartitionsThatDidNotChangeAtTheNextCleanClose()
            throws IOException {
        Topic topic;
        try (LogStore store = simulation.open()) {
            topic = store.createTopic("t", Simulation.SMALL.withPartitions(3));
            for (int i = 0; i < 3; i++) {
                appendOfProducer(topic, i, 0);
            }
        }
        try (LogStore store = simulation.open()) {
            appendOfProducer(store.openTopic("t"), 1, 1);
        }
        assertCheckpointed(topic, 3);
    }

    private static void appendOfProducer(Topic topic, int partition, int sequence) {
        try (Appender appender = topic.partition(partition).openExclusiveAppender()) {
            appender.append(appender.newBatch().producer(7, 0, sequence).add(new byte[100]));
        }
    }

    private void assertCheckpointed(Topic topic, int partitions) throws IOException {
        SimulatedFileMedium cut = medium.crash(Survival.NONE);
        Path files = Simulation.DIRECTORY.resolve("topics").resolve(topic.id().toString());
        Map<String, String> all = SmallFile.read(cut, files.resolve("producers"), "producers", 1);
        for (int i = 0; i < partitions; i++) {
            // A file of its own was written while the store was open.
            boolean hasOwn = cut.exists(files.resolve("producers-" + i));
            assertTrue(hasOwn || all.containsKey(i + ".7"), i + ": " + all);
        }
        assertTrue(all.containsKey(partitions - 1 + ".7"), all.toString());
    }

    /**
     * O5: unless the topic's file is durable before the first block is set aside ({@code
     * Store.createTopic}), a power cut leaves blocks of a topic that nobody knows.
     */
    @Test
    void shouldLeaveNoBlockOfATopicThatAPowerCutTookBack() {
        LogStore store = simulation.open();
        cutPowerAtEachOperation();
        Topic topic = store.createTopic("t", Simulation.SMALL);
        try (Appender appender = topic.partition(0).openExclusiveAppender()) {
            appender.append(new byte[100]);
        }
        stop();
        for (SimulatedFileMedium each : left) {
            try (LogStore again = new Simulation(each).open()) {
                assertEquals(List.of(), Flaws.of(again));
            }
        }
        // What was acknowledged last is in all of the last images.
        for (SimulatedFileMedium each : left.subList(left.size() - MOST, left.size())) {
            try (LogStore again = new Simulation(each).open()) {
                assertEquals(1, again.openTopic("t").partition(0).nextOffset());
            }
        }
    }

    /**
     * O5: unless the tombstone is durable before the first segment goes, and goes itself after the
     * last ({@code Topics.delete}, {@code TopicDeletionDuty}, {@code TopicDirectory.deleteAll}), a
     * power cut leaves half of a topic, or files of which nothing says what they are.
     */
    @Test
    void shouldLeaveAllOfATopicOrNothingWhenItIsDeleted() throws IOException {
        most = 60; // few images have a certain name and lack a certain other one
        LogStore store = simulation.open();
        Topic topic = store.createTopic("t", Simulation.SMALL);
        try (Appender appender = topic.partition(0).openExclusiveAppender()) {
            for (int i = 0; i < 6; i++) {
                appender.append(new byte[25_000]);
            }
        }
        topic.cursor("c").commit(0, 1);
        topic.cursor("c").force();
        simulation.pass(store, 100);
        cutPowerAtEachOperation();
        store.deleteTopic("t");
        int returned = left.size();
        simulation.pass(store, 100);
        stop();
        int there = 0;
        for (int i = 0; i < left.size(); i++) {
            assertNothingWithoutItsTopicFile(topic.id(), left.get(i), i >= left.size() - most);
            try (LogStore again = new Simulation(left.get(i)).open()) {
                assertEquals(List.of(), Flaws.of(again), "power cut " + i);
                boolean exists = again.topicNames().contains("t");
                assertFalse(exists && i >= returned, "it was deleted");
                if (exists) {
                    there++;
                    Partition partition = again.openTopic("t").partition(0);
                    assertEquals(0, partition.logStartOffset());
                    assertEquals(6, partition.nextOffset(), "power cut " + i);
                    assertEquals(List.of(), partition.damage());
                } else {
                    assertNothingOf(topic.id(), left.get(i));
                }
            }
        }
        assertTrue(there > 0 && there < left.size());
    }

    /**
     * While there is anything of a topic, its file says what is going on; at the end nothing is.
     */
    private static void assertNothingWithoutItsTopicFile(
            UUID topic, SimulatedFileMedium medium, boolean isEnd) throws IOException {
        Path directory = Simulation.DIRECTORY.resolve("topics").resolve(topic.toString());
        List<String> names = medium.list(directory);
        assertTrue(names.isEmpty() || names.contains("topic"), () -> "left over: " + names);
        assertFalse(isEnd && medium.exists(directory), "the directory came back");
    }

    private static void assertNothingOf(UUID topic, SimulatedFileMedium medium) throws IOException {
        Path segments = Simulation.SEGMENTS.resolve(topic.toString());
        for (String partition : medium.list(segments)) {
            assertEquals(List.of(), medium.list(segments.resolve(partition)));
        }
    }

    /**
     * O5: a creation that failed may have left its topic file, and so may the attempt to take it
     * away; another creation must not make a second topic of that name ({@code Store.createTopic}).
     */
    @Test
    void shouldNotMakeTwoTopicsOfOneNameWhenACreationFailedAnywhere() throws IOException {
        for (int first = 1; ; first++) {
            SimulatedFileMedium each = medium.kill();
            LogStore store = new Simulation(each).open();
            int from = each.operations() + first;
            each.faults().failOperations(number -> number >= from);
            boolean failed = false;
            try {
                store.createTopic("t", Simulation.SMALL);
            } catch (FirnException e) {
                failed = true;
            }
            each.faults().none();
            if (!failed) {
                assertTrue(first > 4, "each operation was failed");
                return;
            }
            store.createTopic("t", Simulation.SMALL);
            assertEquals(1, topicFiles(each), "failed from operation " + first);
            try (LogStore again = new Simulation(each.crash(Survival.NONE)).open()) {
                assertEquals(List.of("t"), again.topicNames());
                assertEquals(List.of(), Flaws.of(again));
            }
        }
    }

    private static int topicFiles(SimulatedFileMedium medium) throws IOException {
        Path topics = Simulation.DIRECTORY.resolve("topics");
        int files = 0;
        for (String id : medium.list(topics)) {
            files += medium.exists(topics.resolve(id).resolve("topic")) ? 1 : 0;
        }
        return files;
    }

    /**
     * O5: a deletion that failed may have left its tombstone. What is acknowledged afterwards must
     * not be taken away by it ({@code Topics.delete}).
     */
    @Test
    void shouldKeepWhatIsAcknowledgedAfterADeletionThatFailedAnywhere() {
        for (int first = 1; ; first++) {
            for (int length : new int[] {1, Integer.MAX_VALUE}) {
                SimulatedFileMedium each = medium.kill();
                LogStore store = new Simulation(each).open();
                Partition partition = store.createTopic("t", Simulation.SMALL).partition(0);
                int from = each.operations() + first;
                each.faults().failOperations(number -> number >= from && number - from < length);
                boolean failed = false;
                try {
                    store.deleteTopic("t");
                } catch (FirnException e) {
                    failed = true;
                }
                each.faults().none();
                if (!failed) {
                    assertTrue(first > 3, "each operation was failed");
                    return;
                }
                boolean acknowledged = true;
                try (Appender appender = partition.openExclusiveAppender()) {
                    appender.append(new byte[100]);
                } catch (PoisonedException e) {
                    acknowledged = false;
                }
                for (Survival survival : SURVIVALS) {
                    try (LogStore again = new Simulation(each.crash(survival)).open()) {
                        assertTrue(
                                !acknowledged
                                        || again.openTopic("t").partition(0).nextOffset() == 1,
                                "failed from operation " + first);
                    }
                }
            }
        }
    }

    /** A tombstone, too, can be damaged: nothing of its topic goes until it can be read. */
    @Test
    void shouldDeleteNothingOfATopicWhoseTombstoneIsDamaged() throws IOException {
        LogStore store = simulation.open();
        Topic topic = store.createTopic("t", Simulation.SMALL);
        try (Appender appender = topic.partition(0).openExclusiveAppender()) {
            appender.append(new byte[100]);
        }
        store.deleteTopic("t");
        SimulatedFileMedium rotten = medium.kill();
        Path directory = Simulation.DIRECTORY.resolve("topics").resolve(topic.id().toString());
        rotten.rot(directory.resolve("topic"), 20, 1);
        try (LogStore again = new Simulation(rotten).open()) {
            assertEquals(Set.of(topic.id()), again.unreadableTopics().keySet());
            assertThrows(
                    UnreadableTopicException.class, () -> again.createTopic("t", Simulation.SMALL));
        }
        assertFalse(rotten.list(Simulation.SEGMENTS.resolve(topic.id().toString())).isEmpty());
        rotten.rot(directory.resolve("topic"), 20, 1);
        try (LogStore again = new Simulation(rotten).open()) {
            assertEquals(Map.of(), again.unreadableTopics());
            again.createTopic("t", Simulation.SMALL);
        }
        assertNothingOf(topic.id(), rotten);
    }

    /**
     * O7: without the force of the directory ({@code TopicDirectory.deleteDurably}) a cursor that
     * was deleted comes back where it stood.
     */
    @Test
    void shouldNotBringADeletedCursorBack() {
        LogStore store = simulation.open();
        Topic topic = store.createTopic("t", Simulation.SMALL);
        try (Appender appender = topic.partition(0).openExclusiveAppender()) {
            appender.append(new byte[100]);
        }
        topic.cursor("c").commit(0, 1);
        topic.cursor("c").force();
        topic.deleteCursor("c");
        SimulatedFileMedium left = simulation.medium.crash(Survival.NONE);
        try (LogStore again = new Simulation(left).open()) {
            assertEquals(-1, again.openTopic("t").cursor("c").offset(0));
        }
    }

    /**
     * O24: unless retention goes by the persisted position ({@code CursorPositions.unreadFrom}), a
     * power cut leaves a cursor in front of the log start, and its reader loses records.
     */
    @Test
    void shouldNeverFindTheLogStartAfterACursorThatRetentionWaitsFor() {
        TopicOptions waiting =
                Simulation.SMALL.withRetentionBytes(0).withRetainUntilRead(RetainUntilRead.byAll());
        LogStore store = simulation.open();
        Topic topic = store.createTopic("t", waiting);
        Partition partition = topic.partition(0);
        topic.cursor("c").commit(0, 0);
        topic.cursor("c").force();
        cutPowerAtEachOperation();
        try (Appender appender = partition.openExclusiveAppender()) {
            for (int i = 0; i < 12; i++) {
                appender.append(new byte[25_000]);
                topic.cursor("c").commit(0, i == 7 ? 3 : i);
                simulation.pass(store, i % 3 == 0 ? 100 : 30);
            }
        }
        stop();
        assertTrue(partition.logStartOffset() > 3, "something was deleted");
        for (int i = 0; i < left.size(); i++) {
            try (LogStore again = new Simulation(left.get(i)).open()) {
                long cursor = again.openTopic("t").cursor("c").offset(0);
                long start = again.openTopic("t").partition(0).logStartOffset();
                assertTrue(cursor == 3 || start <= cursor, start + " > " + cursor + " at " + i);
            }
        }
    }

    /**
     * O7: whatever a tailer has committed by itself, and however much of that a crash takes back,
     * who goes on at the cursor skips no record; and none comes again that was committed by hand.
     */
    @Test
    void shouldSkipNoRecordAndRepeatNoneThatWasCommittedByHand() {
        LogStore store = simulation.open();
        Topic topic = store.createTopic("t", Simulation.SMALL);
        long[] handled = {0};
        long[] committed = {0};
        List<long[]> known = new ArrayList<>();
        medium.onOperation(
                number -> {
                    for (Survival each : survivals(number)) {
                        left.add(medium.crash(each));
                        known.add(new long[] {handled[0], committed[0]});
                    }
                });
        try (Appender appender = topic.partition(0).openExclusiveAppender();
                Tailer tailer = topic.openTailer(TailerOptions.at("c").withCommitEvery(2))) {
            for (int i = 0; i < 9; i++) {
                appender.append(new byte[100]);
                appender.append(new byte[100]);
                tailer.poll(
                        record -> {
                            handled[0] = record.offset() + 1;
                            return Action.CONTINUE;
                        },
                        i % 3 + 1);
                if (i % 4 == 2) {
                    tailer.commit();
                    committed[0] = handled[0];
                }
                simulation.pass(store, i % 2 == 0 ? 100 : 10);
            }
        }
        medium.onOperation(number -> {});
        int behind = 0;
        for (int i = 0; i < left.size(); i++) {
            try (LogStore again = new Simulation(left.get(i)).open()) {
                Topic found = again.openTopic("t");
                Tailer tailer = found.openTailer(TailerOptions.at("c"));
                long first = tailer.offset();
                long[] then = known.get(i);
                assertTrue(first <= then[0], first + " skips from " + then[0] + " at " + i);
                assertTrue(first >= then[1], first + " repeats from " + then[1] + " at " + i);
                behind += first < then[0] ? 1 : 0;
                long[] next = {first};
                tailer.forEach(record -> assertEquals(next[0]++, record.offset()), 1_000);
                assertEquals(found.partition(0).nextOffset(), next[0], "power cut " + i);
            }
        }
        assertTrue(behind > 0, "a crash takes something back");
    }

    /**
     * O7: unless a cursor is written down up to the durable offset only ({@code
     * CursorLog.beginWrite}), it stands, after a power cut, after records that nobody has read.
     */
    @Test
    void shouldNeverFindACursorAfterTheEnd() {
        TopicOptions lazy = Simulation.SMALL_WRITTEN.withForce(64 * MIB, Duration.ofHours(1));
        LogStore store = simulation.open();
        Topic topic = store.createTopic("t", lazy);
        Partition partition = topic.partition(0);
        cutPowerAtEachOperation();
        try (Appender appender = partition.openExclusiveAppender()) {
            for (int i = 0; i < 5; i++) {
                appender.append(new byte[100]);
                topic.cursor("c").commit(0, partition.nextOffset());
                simulation.pass(store, 1_000);
            }
            appender.append(new byte[100]);
            topic.cursor("c").commit(0, partition.nextOffset());
            topic.cursor("c").force();
        }
        stop();
        long highest = -1;
        for (SimulatedFileMedium each : left) {
            try (LogStore again = new Simulation(each).open()) {
                if (again.topicNames().isEmpty()) {
                    continue;
                }
                Topic found = again.openTopic("t");
                long cursor = found.cursor("c").offset(0);
                long next = found.partition(0).nextOffset();
                assertTrue(cursor <= next, () -> "cursor at " + cursor + ", next is " + next);
                highest = Math.max(highest, cursor);
            }
        }
        assertEquals(6, highest);
    }

    /**
     * O7: the cursors that a clean close writes together are each the old or the new one whenever
     * power is cut, and the new one once the store is closed ({@code WholeFile.writeAll}).
     */
    @Test
    void shouldFindEachCursorWholeThatIsWrittenTogetherWithOthers() {
        int cursors = 5;
        LogStore store = simulation.open();
        Topic topic = store.createTopic("t", Simulation.SMALL);
        try (Appender appender = topic.partition(0).openExclusiveAppender()) {
            for (int i = 0; i < 2 * cursors; i++) {
                appender.append(new byte[100]);
            }
        }
        for (int i = 0; i < cursors; i++) {
            topic.cursor("c" + i).commit(0, i);
            topic.cursor("c" + i).force();
            topic.cursor("c" + i).commit(0, i + cursors);
        }
        cutPowerAtEachOperation();
        store.close();
        int first = left.size();
        stop();
        for (int at = 0; at < left.size(); at++) {
            try (LogStore again = new Simulation(left.get(at)).open()) {
                for (int i = 0; i < cursors; i++) {
                    long offset = again.openTopic("t").cursor("c" + i).offset(0);
                    assertTrue(
                            offset == i + cursors || (offset == i && at < first),
                            i + " is at " + offset + " after power cut " + at + " of " + first);
                }
            }
        }
    }
}
