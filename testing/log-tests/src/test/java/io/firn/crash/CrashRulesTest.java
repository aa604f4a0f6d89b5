package io.firn.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.kill.Flaws;
import io.firn.medium.MediumFile;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rules whose breach takes a crash of a kind that {@link StoreCrashTest} comes upon too rarely.
 * Each test names the step without which it fails.
 */
class CrashRulesTest {
    private static final int PAGE = 4096;
    private static final int MIB = 1 << 20;
    private static final int SEEDS = 60;

    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private final Simulation simulation = new Simulation(medium);

    @BeforeAll
    static void silence() {
        Simulation.silenceLog();
    }

    private static Partition partition(LogStore store, TopicOptions options) {
        return store.ensureTopic("t", options).partition(0);
    }

    private static long tryAppend(LogStore store, Appender appender, int length) {
        byte[] value = new byte[length];
        Arrays.fill(value, (byte) length); // so that all of its pages change
        long offset;
        while ((offset = appender.tryAppend(new UnsafeBuffer(value), 0, length))
                == Appender.BACK_PRESSURED) {
            store.doWork();
        }
        return offset;
    }

    private static long nextOffsetIn(SimulatedFileMedium left) {
        try (LogStore store = new Simulation(left).open()) {
            return store.openTopic("t").partition(0).nextOffset();
        }
    }

    private static List<Long> read(Partition partition) {
        List<Long> offsets = new ArrayList<>();
        try (Tailer tailer = partition.openTailer()) {
            while (tailer.poll(
                            record -> {
                                offsets.add(record.offset());
                                return Action.CONTINUE;
                            },
                            1_000)
                    > 0) {
                continue;
            }
        }
        return offsets;
    }

    /**
     * O1: without a fresh epoch for every term ({@code UnsealedSegment.continueWriting}) a batch
     * that was cut comes back after one that replaced its predecessor.
     */
    @Test
    void shouldNotTakeABatchOfAnEarlierTermForOneOfThis() {
        TopicOptions large =
                Simulation.SMALL_WRITTEN.withSegmentBytes(4 * MIB).withMaxRecordBytes(2 * MIB);
        LogStore first = simulation.open();
        Partition partition = partition(first, large);
        int lost;
        int pages;
        try (Appender appender = partition.openExclusiveAppender()) {
            tryAppend(first, appender, 100);
            long before = partition.metrics().bytes();
            tryAppend(first, appender, MIB + MIB / 2);
            int overhead = (int) (partition.metrics().bytes() - before) - (MIB + MIB / 2);
            // The next batch is to end with a page, so that the one after it has pages of its own.
            long end = partition.metrics().bytes();
            lost = MIB + MIB / 4;
            lost += PAGE - (int) ((end + overhead + lost) % PAGE);
            partition.force();
            simulation.pass(first, 100);
            tryAppend(first, appender, lost);
            assertEquals(0, partition.metrics().bytes() % PAGE);
            pages = (int) (partition.metrics().bytes() / PAGE - end / PAGE);
            tryAppend(first, appender, 100);
        }
        SimulatedFileMedium torn = medium.crash(Survival.pages(page -> page == pages));
        assertEquals(4, partition.nextOffset());

        LogStore second = new Simulation(torn).open();
        Partition again = partition(second, large);
        assertEquals(2, again.nextOffset());
        try (Appender appender = again.openExclusiveAppender()) {
            assertEquals(2, tryAppend(second, appender, lost));
        }
        SimulatedFileMedium left = torn.crash(Survival.pages(page -> page < pages));
        assertEquals(3, nextOffsetIn(left), "the batch at offset 3 was never sent in this term");
    }

    /**
     * O1: without both slots rewritten at recovery ({@code Segment.rewriteMark}) the mark of an
     * earlier term comes back when the newest one rots, and what this term appended is cut.
     */
    @Test
    void shouldBelieveEitherMarkOfATerm() throws IOException {
        LogStore first = simulation.open();
        try (Appender appender = partition(first, Simulation.SMALL).openExclusiveAppender()) {
            appender.append(new byte[100]);
            simulation.pass(first, 100);
            appender.append(new byte[100]);
            simulation.pass(first, 100);
        }
        SimulatedFileMedium left = medium.kill();
        LogStore second = new Simulation(left).open();
        try (Appender appender = partition(second, Simulation.SMALL).openExclusiveAppender()) {
            assertEquals(2, appender.append(new byte[100]));
        }
        Path active = activeIn(left);
        int size = (int) left.open(active, false).size();
        for (int slot = 1; slot <= 2; slot++) {
            SimulatedFileMedium rotten = left.kill();
            rotten.rot(active, size - slot * PAGE, 1);
            assertEquals(3, nextOffsetIn(rotten), "without slot " + slot);
        }
    }

    private static Path activeIn(SimulatedFileMedium medium) throws IOException {
        Path topic = Simulation.SEGMENTS.resolve(onlyTopicIn(medium)).resolve("0");
        for (String name : medium.list(topic)) {
            if (name.endsWith(".active")) {
                return topic.resolve(name);
            }
        }
        throw new AssertionError(medium);
    }

    private static String onlyTopicIn(SimulatedFileMedium medium) throws IOException {
        return medium.list(Simulation.DIRECTORY.resolve("topics")).get(0);
    }

    /**
     * O1: without the force of the store's directory ({@code StoreOpener.openWritable}) a second
     * process gives the tier an id that a power cut takes back.
     */
    @Test
    void shouldBecomeAStoreHoweverOftenItsCreationIsCutShort() {
        medium.onOperation(
                number -> {
                    SimulatedFileMedium killed = medium.kill();
                    killed.onOperation(
                            again -> {
                                new Simulation(killed.crash(Survival.NONE)).open().close();
                                new Simulation(killed.crash(Survival.NAMES)).open().close();
                            });
                    new Simulation(killed).open().close();
                });
        simulation.open().close();
    }

    /**
     * O1, §2: without the mark being taken from what was forced ({@code SegmentMarks.write}) a tear
     * is reported as rot.
     */
    @Test
    void shouldMarkOnlyWhatWasForced() {
        TopicOptions lazy = Simulation.SMALL_WRITTEN.withForce(MIB, Duration.ofHours(1));
        LogStore store = simulation.open();
        Partition partition = partition(store, lazy);
        try (Appender appender = partition.openExclusiveAppender()) {
            tryAppend(store, appender, 100);
            partition.force();
            tryAppend(store, appender, 10_000);
        }
        simulation.pass(store, 200);
        try (LogStore again = new Simulation(medium.crash(Survival.NONE)).open()) {
            assertEquals(List.of(), again.openTopic("t").partition(0).damage());
            assertEquals(1, again.openTopic("t").partition(0).nextOffset());
        }
    }

    /**
     * O1: without the wiping of what was cut ({@code UnsealedSegment.makeDurable}) every later open
     * reports the same torn bytes again.
     */
    @Test
    void shouldLeaveNothingOfWhatRecoveryCut() throws IOException {
        TopicOptions lazy = Simulation.SMALL_WRITTEN.withForce(MIB, Duration.ofHours(1));
        LogStore store = simulation.open();
        try (Appender appender = partition(store, lazy).openExclusiveAppender()) {
            tryAppend(store, appender, 100);
            partition(store, lazy).force();
            for (int i = 0; i < 3; i++) {
                tryAppend(store, appender, 10_000);
            }
        }
        SimulatedFileMedium torn = medium.crash(Survival.pages(page -> page != 1));
        assertTrue(lastByteOf(torn) > PAGE, "nothing to be cut");
        LogStore again = new Simulation(torn).open();
        Partition found = again.openTopic("t").partition(0);
        assertEquals(1, found.nextOffset());
        int end = (int) found.metrics().bytes();
        assertTrue(lastByteOf(torn) < end, "torn after the end, " + end);
        assertTrue(lastByteOf(torn.crash(Survival.NONE)) < end, "comes back");
    }

    /**
     * O1: a power cut took a page, and recovery does not look for the batches behind it, because in
     * every other partition it would read a hole. Without a fresh epoch they would count as soon as
     * the log has grown to them, if another power cut takes the zeros behind its end.
     */
    @Test
    void shouldNeverCountWhatIsLeftBehindALostPage() throws IOException {
        TopicOptions lazy = Simulation.SMALL_WRITTEN.withForce(MIB, Duration.ofHours(1));
        LogStore store = simulation.open();
        int untilNextPage;
        try (Appender appender = partition(store, lazy).openExclusiveAppender()) {
            tryAppend(store, appender, 100);
            int end = (int) partition(store, lazy).metrics().bytes();
            untilNextPage = PAGE - end - (end - 100);
            partition(store, lazy).force();
            tryAppend(store, appender, untilNextPage);
            assertEquals(PAGE, partition(store, lazy).metrics().bytes());
            tryAppend(store, appender, 1_000);
        }
        SimulatedFileMedium torn = medium.crash(Survival.pages(page -> page > 0));
        assertTrue(lastByteOf(torn) > PAGE, "nothing is left");
        LogStore again = new Simulation(torn).open();
        Partition found = partition(again, lazy);
        assertEquals(1, found.nextOffset());
        try (Appender appender = found.openExclusiveAppender()) {
            tryAppend(again, appender, untilNextPage);
        }
        for (Survival each : List.of(Survival.pages(page -> page == 0), Survival.ALL)) {
            SimulatedFileMedium cut = torn.crash(each);
            try (LogStore last = new Simulation(cut).open()) {
                assertEquals(2, partition(last, lazy).nextOffset());
                assertEquals(2, read(partition(last, lazy)).size());
            }
        }
    }

    /** The last byte of the active file's batches that is not zero. */
    private static int lastByteOf(SimulatedFileMedium left) throws IOException {
        byte[] bytes = new byte[64 * 1024];
        try (MediumFile file = left.open(activeIn(left), false)) {
            file.read(0, bytes, 0, bytes.length);
        }
        int last = bytes.length - 1;
        while (last >= 0 && bytes[last] == 0) {
            last--;
        }
        return last;
    }

    /**
     * O2: without the seal before the next segment counts ({@code PartitionForcer.forceSegments})
     * rot at the end of the old one is taken for a tear, and what was acknowledged after it is
     * dropped.
     */
    @Test
    void shouldKeepWhatWasAcknowledgedAfterASegmentWhoseEndRots() throws IOException {
        LogStore store = simulation.open();
        Partition partition = partition(store, Simulation.SMALL);
        try (Appender appender = partition.openExclusiveAppender()) {
            for (int i = 0; i < 3; i++) {
                appender.append(new byte[25_000]); // the third one in another segment
            }
        }
        assertEquals(1, partition.metrics().rolls());
        SimulatedFileMedium left = medium.kill();
        left.rot(activeIn(left), 40_000, 1);
        try (LogStore again = new Simulation(left).open()) {
            assertEquals(3, again.openTopic("t").partition(0).nextOffset());
            Tailer tailer = again.openTopic("t").openTailer();
            tailer.seek(2);
            assertEquals(1, tailer.poll(record -> Action.CONTINUE, 10));
        }
    }

    /**
     * O2: without dropping, durably, what follows a gap ({@code SegmentChain.take}) a segment of
     * which nothing was acknowledged is served after a hole, or comes back when the hole is filled.
     */
    @Test
    void shouldDropASegmentThatFollowsAGap() {
        LogStore store = simulation.open();
        Partition partition = partition(store, Simulation.SMALL_WRITTEN);
        try (Appender appender = partition.openExclusiveAppender()) {
            tryAppend(store, appender, 100);
            partition.force();
            for (int i = 0; i < 2; i++) {
                tryAppend(store, appender, 25_000);
            }
            tryAppend(store, appender, 25_000); // in another segment
            tryAppend(store, appender, 100);
        }
        int pagesOfFirst = 13; // of 4 KiB; all of them have changed
        int gaps = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            // The first segment's last pages are lost, those of the second one survive.
            int firstLost = 3 + seed % 8;
            Survival survival = Survival.pages(page -> page < firstLost || page >= pagesOfFirst);
            SimulatedFileMedium left = medium.crash(survival);
            try (LogStore again = new Simulation(left).open()) {
                assertEquals(List.of(), Flaws.of(again));
                Partition found = again.openTopic("t").partition(0);
                assertEquals(List.of(), found.damage());
                long next = found.nextOffset();
                gaps += next < 3 ? 1 : 0;
                assertEquals(next, read(found).size());
                try (Appender appender = found.openExclusiveAppender()) {
                    while (found.nextOffset() < 3) {
                        tryAppend(again, appender, 100);
                    }
                }
                found.force();
                // It is gone for good, although nothing else of the directory was forced since.
                SimulatedFileMedium cut = left.crash(Survival.NONE);
                assertEquals(gaps > 0 ? 3 : 5, nextOffsetIn(cut), "seed " + seed);
            }
            assertEquals(gaps > 0 ? 3 : 5, nextOffsetIn(left), "seed " + seed);
        }
        assertTrue(gaps > 0);
    }

    /**
     * O2: without dropping what follows a segment that lost even its first batch ({@code
     * SegmentChain.followsLostSegment}) a topic of which nothing was ever acknowledged reports
     * damage, and so does one whose sealed segments are all there.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldReportNoDamageWhenASegmentThatWasNeverSealedLostItsFirstBatch(boolean behindSealed) {
        LogStore store = simulation.open();
        Partition partition =
                partition(store, Simulation.SMALL_WRITTEN.withRollAge(Duration.ofSeconds(1)));
        long acknowledged = 0;
        if (behindSealed) {
            try (Appender appender = partition.openAppender()) {
                tryAppend(store, appender, 100);
            }
            partition.force();
            simulation.pass(store, 1_000);
            simulation.pass(store, 1_000); // it is rolled by age, and sealed
            acknowledged = 1;
        }
        try (Appender appender = partition.openExclusiveAppender()) {
            for (int i = 0; i < 2; i++) {
                tryAppend(store, appender, 25_000);
            }
            tryAppend(store, appender, 25_000); // rolls
            tryAppend(store, appender, 100);
        }
        long sent = acknowledged + 4;
        assertEquals(sent, partition.nextOffset());
        int dropped = 0;
        for (int lost = 0; lost < 16; lost++) {
            int lostPage = lost;
            // Even without the first page of the first segment, the pages of the second one may
            // have been written back.
            SimulatedFileMedium left = medium.crash(Survival.pages(page -> page != lostPage));
            dropped += checkUndamaged(left.kill(), acknowledged, sent) == acknowledged ? 1 : 0;
            List<SimulatedFileMedium> cutAgain = new ArrayList<>();
            left.onOperation(
                    number -> {
                        cutAgain.add(left.crash(Survival.NONE));
                        cutAgain.add(left.crash(Survival.ALL));
                    });
            new Simulation(left).open();
            left.ignoreOperations();
            cutAgain.add(left.kill());
            for (SimulatedFileMedium again : cutAgain) {
                checkUndamaged(again, acknowledged, sent);
            }
        }
        assertTrue(dropped > 0, "the first batch of the segment that was rolled was never lost");
    }

    /**
     * A torn write may leave all of the first batch of a segment but the word with its offset,
     * which the CRC does not cover: the block then begins with an offset that an older segment has.
     */
    @ParameterizedTest
    @ValueSource(longs = {0, 1})
    void shouldDropASegmentWhoseFirstBatchHasAnOlderOffset(long stale) throws IOException {
        LogStore store = simulation.open();
        Partition partition = partition(store, Simulation.SMALL_WRITTEN);
        try (Appender appender = partition.openExclusiveAppender()) {
            for (int i = 0; i < 2; i++) {
                tryAppend(store, appender, 25_000);
            }
            tryAppend(store, appender, 25_000); // rolls
        }
        partition.force(); // seals the first segment; the torn write of the second is made below
        SimulatedFileMedium left = medium.crash(Survival.ALL);
        Path second = activeWith(left, 2);
        try (MediumFile file = left.open(second, true)) {
            byte[] word = ByteBuffer.allocate(Long.BYTES).putLong(stale).array();
            file.write(0, word, 0, word.length);
        }
        assertEquals(2, checkUndamaged(left, 2, 3));
        assertFalse(left.exists(second), "the block was given back");
    }

    /** The file of a segment that is not sealed. */
    private static Path activeWith(SimulatedFileMedium left, long baseOffset) throws IOException {
        Path directory = activeIn(left).getParent();
        for (String name : left.list(directory)) {
            byte[] word = new byte[Long.BYTES];
            try (MediumFile file = left.open(directory.resolve(name), false)) {
                file.read(0, word, 0, word.length);
            }
            if (name.endsWith(".active") && ByteBuffer.wrap(word).getLong() == baseOffset) {
                return directory.resolve(name);
            }
        }
        throw new AssertionError("no segment begins with " + baseOffset);
    }

    private static long checkUndamaged(SimulatedFileMedium left, long acknowledged, long sent) {
        LogStore store = new Simulation(left).open();
        assertEquals(List.of(), Flaws.of(store));
        Partition found = store.openTopic("t").partition(0);
        assertEquals(List.of(), found.damage());
        long next = found.nextOffset();
        assertTrue(next >= acknowledged && next <= sent, "next offset " + next);
        assertEquals(next, read(found).size());
        assertEquals(usedBySegments(store), store.metrics().tiers().get(0).usedBytes());
        return next;
    }

    /**
     * O2: without taking back what holds no valid first batch ({@code SegmentChain.candidates})
     * each crash leaves one more block in use.
     */
    @Test
    void shouldTakeBackTheBlockThatWasSetAside() {
        SimulatedFileMedium left = medium;
        for (int life = 0; life < 3; life++) {
            LogStore store = new Simulation(left).open(); // is not closed: the power is cut
            assertEquals(usedBySegments(store), store.metrics().tiers().get(0).usedBytes());
            try (Appender appender = partition(store, Simulation.SMALL).openExclusiveAppender()) {
                tryAppend(store, appender, 10_000);
            }
            partition(store, Simulation.SMALL).force();
            store.doWork();
            long used = store.metrics().tiers().get(0).usedBytes();
            assertTrue(used > usedBySegments(store), "a block is set aside");
            left = left.crash(Survival.NONE);
        }
    }

    private static long usedBySegments(LogStore store) {
        return store.snapshot().partitions().stream()
                .flatMap(partition -> partition.segments().stream())
                .mapToLong(segment -> segment.usedBytes())
                .sum();
    }

    /**
     * O3: without {@code nextOffset = max(logStartOffset, end)} ({@code
     * PartitionRecovery.nextOffset}) a partition that retention emptied gives its offsets again.
     */
    @Test
    void shouldNotGiveOffsetsAgainWhenRetentionTookEverything() {
        TopicOptions brief =
                Simulation.SMALL
                        .withRollAge(Duration.ofSeconds(1))
                        .withRetentionAge(Duration.ofSeconds(1));
        LogStore store = simulation.open();
        Partition partition = partition(store, brief);
        try (Appender appender = partition.openAppender()) {
            appender.append(new byte[100]);
            appender.append(new byte[100]);
        }
        for (int i = 0; i < 10; i++) {
            simulation.pass(store, 1_000);
        }
        assertEquals(0, partition.metrics().segments());
        for (Survival survival : List.of(Survival.NONE, Survival.ALL)) {
            SimulatedFileMedium left = medium.crash(survival);
            assertEquals(2, nextOffsetIn(left));
        }
    }

    /**
     * O8: without the force before the checkpoint ({@code Checkpoints.take}) a batch that a power
     * cut took back is known nonetheless, and refused when it is sent again.
     */
    @Test
    void shouldNotRememberABatchThatAPowerCutTookBack() {
        TopicOptions lazy = Simulation.SMALL_WRITTEN.withForce(MIB, Duration.ofHours(1));
        LogStore store = simulation.open();
        Partition partition = partition(store, lazy);
        Batch batch;
        try (Appender appender = partition.openExclusiveAppender()) {
            for (int i = 0; i < 4; i++) { // enough for a checkpoint
                tryAppend(store, appender, 20_000);
            }
            simulation.pass(store, 1_100);
            batch = appender.newBatch().producer(1, 0, 0).add(new byte[100]);
            appender.append(batch);
        }
        List<SimulatedFileMedium> left = new ArrayList<>();
        medium.onOperation(number -> left.add(medium.crash(Survival.NONE)));
        simulation.pass(store, 1_100);
        medium.onOperation(number -> {});
        left.add(medium.crash(Survival.NONE));
        assertTrue(left.size() > 1);
        for (SimulatedFileMedium each : left) {
            try (LogStore again = new Simulation(each).open()) {
                Partition found = partition(again, lazy);
                assertEquals(List.of(), found.damage());
                try (Appender appender = found.openExclusiveAppender()) {
                    long offset = appender.append(batch);
                    assertEquals(found.nextOffset() - 1, offset);
                }
                assertEquals(found.nextOffset(), read(found).size());
            }
        }
    }

    /**
     * O8: without a checkpoint before a segment goes ({@code PartitionUpkeep.isCheckpointed}), and
     * without a look below the log start ({@code ProducerReplay.restore}), a producer whose batches
     * were deleted is unknown, or known as it was.
     */
    @Test
    void shouldKnowAProducerWhoseBatchesWereDeleted() {
        for (boolean checkpointed : new boolean[] {false, true}) {
            SimulatedFileMedium fresh = new SimulatedFileMedium();
            Simulation life = new Simulation(fresh);
            LogStore store = life.open();
            Partition partition = partition(store, Simulation.SMALL);
            List<Batch> batches = new ArrayList<>();
            List<SimulatedFileMedium> left = new ArrayList<>();
            try (Appender appender = partition.openExclusiveAppender()) {
                for (int i = 0; i < 8; i++) {
                    batches.add(appender.newBatch().producer(1, 0, i).add(new byte[25_000]));
                    appender.append(batches.get(i));
                    if (checkpointed && i == 1) {
                        life.pass(store, 1_100);
                    }
                }
                appender.append(new byte[25_000]); // the segment that stays
                store.doWork();
                fresh.onOperation(number -> left.add(fresh.kill()));
                partition.deleteRecordsBefore(partition.durableOffset());
                life.pass(store, 10);
                fresh.onOperation(number -> {});
                left.add(fresh.kill());
            }
            for (SimulatedFileMedium each : left) {
                checkProducer(each, batches);
            }
        }
    }

    /**
     * O1: a process that dies between the store and the force of a mark leaves it in the cache
     * only. Unless recovery makes it durable ({@code ActiveFile.rewriteMark}) before it writes the
     * other slot, a power cut can tear both.
     */
    @Test
    void shouldFindAMarkWhenPowerIsCutInTheRecoveryOfAProcessThatDiedBesideAMark() {
        LogStore store = simulation.open();
        Partition partition = partition(store, Simulation.SMALL);
        List<SimulatedFileMedium> killed = new ArrayList<>();
        try (Appender appender = partition.openExclusiveAppender()) {
            for (int i = 0; i < 3; i++) {
                appender.append(new byte[100]);
                medium.onOperation(number -> killed.add(medium.kill()));
                simulation.pass(store, 200);
                medium.onOperation(number -> {});
            }
        }
        assertTrue(killed.size() > 2, "no mark was written");
        for (SimulatedFileMedium each : killed) {
            for (int seed = 0; seed < 20; seed++) {
                SimulatedFileMedium again = each.kill();
                List<SimulatedFileMedium> cut = new ArrayList<>();
                Survival survival = Survival.shredded(seed);
                again.onOperation(number -> cut.add(again.crash(survival)));
                new Simulation(again).open();
                again.onOperation(number -> {});
                for (SimulatedFileMedium left : cut) {
                    Partition found = new Simulation(left).open().openTopic("t").partition(0);
                    assertTrue(found.nextOffset() >= 1);
                }
            }
        }
    }

    /** O8: the same when a store that was killed is opened and closed, without a duty cycle. */
    @Test
    void shouldKnowAProducerWhoseBatchesWereDeletedByACloseBeforeTheFirstDutyCycle() {
        LogStore store = simulation.open();
        Partition partition = partition(store, Simulation.SMALL);
        List<Batch> batches = new ArrayList<>();
        try (Appender appender = partition.openExclusiveAppender()) {
            for (int i = 0; i < 8; i++) {
                batches.add(appender.newBatch().producer(1, 0, i).add(new byte[25_000]));
                appender.append(batches.get(i));
            }
            appender.append(new byte[25_000]); // the segment that stays
            store.doWork();
        }
        SimulatedFileMedium killed = medium.kill();
        try (LogStore again = new Simulation(killed).open()) {
            Partition found = again.openTopic("t").partition(0);
            found.deleteRecordsBefore(found.durableOffset());
        }
        checkProducer(killed, batches);
    }

    private static void checkProducer(SimulatedFileMedium left, List<Batch> batches) {
        try (LogStore store = new Simulation(left).open()) {
            Topic topic = store.openTopic("t");
            try (Appender appender = topic.partition(0).openExclusiveAppender()) {
                assertEquals(7, appender.append(batches.get(7)));
                assertEquals(6, appender.append(batches.get(6)));
                Batch next = appender.newBatch().producer(1, 0, 8).add(new byte[100]);
                assertEquals(9, appender.append(next));
            }
        }
    }
}
