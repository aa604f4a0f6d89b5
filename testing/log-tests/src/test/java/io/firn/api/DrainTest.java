package io.firn.api;

import static io.firn.api.Stores.await;
import static io.firn.api.Stores.bytes;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Claim;
import io.firn.CleanupPolicy;
import io.firn.ExclusiveAppender;
import io.firn.InvalidOptionException;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.LogStore.MoveControl;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.StoreFullException;
import io.firn.StoreMetrics.Drain;
import io.firn.StoreMetrics.TierMetrics;
import io.firn.StoreOpenException;
import io.firn.StoreSnapshot.PartitionPlace;
import io.firn.StoreSnapshot.SegmentPlace;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.Transaction;
import io.firn.file.FileTier;
import io.firn.open.StoreBuilder;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** A tier that is drained gets nothing more, and the store can be opened without it. */
class DrainTest {
    private static final int RECORDS = 40;
    private static final int LENGTH = 10_000;

    @TempDir private Path directory;

    private LogStore store;

    private LogStoreBuilder at(String... tiers) {
        ObservedMedium medium = new ObservedMedium();
        LogStoreBuilder builder = StoreBuilder.over(directory.resolve("store"), medium);
        for (String tier : tiers) {
            builder.tier(tier, tier(tier, medium));
        }
        return builder;
    }

    private FileTier tier(String name, ObservedMedium medium) {
        return FileTier.at(directory.resolve(name)).withMedium(medium).withDeclaredDurable();
    }

    @BeforeEach
    void open() {
        store = at("ssd", "hdd").open();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void reopen(String... tiers) {
        store.close();
        store = at(tiers).open();
    }

    private Partition filled(String topic, TopicOptions options) {
        Partition partition = store.createTopic(topic, options).partition(0);
        append(partition);
        return partition;
    }

    private static void append(Partition partition) {
        try (Appender appender = partition.openAppender()) {
            for (int i = 0; i < RECORDS; i++) {
                appender.append(Stores.numbered(partition.nextOffset(), LENGTH));
            }
        }
    }

    private void assertAllThere(String topic, int records) {
        List<byte[]> values =
                Stores.readAll(store.openTopic(topic).partition(0).openTailer()).stream()
                        .map(record -> record.value())
                        .toList();
        assertEquals(records, values.size());
        for (int i = 0; i < records; i++) {
            assertArrayEquals(Stores.numbered(i, LENGTH), values.get(i));
        }
    }

    private TierMetrics ssd() {
        return store.metrics().tier("ssd");
    }

    private void assertNothingInSsd() {
        assertEquals(Drain.DONE, ssd().drain());
        assertEquals(0, ssd().usedBytes());
        assertFalse(ssd().isInRotation());
        for (PartitionPlace place : store.snapshot().partitions()) {
            assertEquals(List.of("hdd"), place.tiers());
            place.segments().forEach(segment -> assertEquals("hdd", segment.tier()));
        }
    }

    @Test
    void shouldMoveEverythingAndOpenWithoutTheTier() {
        filled("t", Stores.small());
        Partition idle = filled("idle", Stores.small());
        try (ExclusiveAppender appender = idle.openExclusiveAppender();
                Transaction transaction = store.beginTransaction()) {
            transaction.append(store.openTopic("t").partition(0), Stores.numbered(RECORDS, LENGTH));
            transaction.commit();
            long[] last = new long[2];
            assertTrue(
                    store.drain(
                            "ssd",
                            (copied, total, next) -> {
                                last[0] = copied;
                                last[1] = total;
                                return 0;
                            }));
            assertTrue(last[0] > RECORDS * LENGTH && last[0] <= last[1], last[0] + ", " + last[1]);
            assertNothingInSsd();
            appender.append(Stores.numbered(RECORDS, LENGTH));
            assertNothingInSsd();
        }
        assertTrue(store.findings().toString().contains("was drained"), store.findings()::toString);
        reopen("hdd");
        assertEquals(List.of(), store.findings());
        Stores.readAll(store.openTopic("t").partition(0).openTailer());
        assertAllThere("idle", RECORDS + 1);
        store.beginTransaction().abort();
    }

    @Test
    void shouldRefuseToOpenWithoutATierThatIsNotEmptyYet() {
        filled("t", Stores.small());
        assertFalse(store.drain("ssd", (copied, total, next) -> MoveControl.CANCEL));
        store.close();
        assertThrows(StoreOpenException.class, () -> at("hdd").open());
        open();
        assertAllThere("t", RECORDS);
    }

    @Test
    void shouldPutNothingIntoTheTierAfterAnotherOpenAndContinueWhenCalledAgain() {
        Partition partition = filled("t", Stores.small());
        AtomicBoolean hasMoved = new AtomicBoolean();
        assertFalse(
                store.drain(
                        "ssd",
                        (copied, total, next) -> {
                            boolean isSecond = copied > 64 * 1024;
                            hasMoved.compareAndSet(false, isSecond);
                            return isSecond ? MoveControl.CANCEL : 0;
                        }));
        assertTrue(hasMoved.get());
        long used = ssd().usedBytes();
        assertEquals(Drain.IN_PROGRESS, ssd().drain());
        append(partition);
        assertTrue(ssd().usedBytes() <= used);
        reopen("ssd", "hdd");
        assertEquals(Drain.IN_PROGRESS, ssd().drain());
        assertTrue(store.findings().toString().contains("is being drained"));
        append(store.openTopic("t").partition(0));
        assertTrue(ssd().usedBytes() <= used);
        assertTrue(store.drain("ssd"));
        assertNothingInSsd();
        reopen("hdd");
        assertAllThere("t", 3 * RECORDS);
    }

    @Test
    void shouldLetATopicKeepTheLabelOfATierThatIsGone() {
        TopicOptions both = Stores.small().withTiers("ssd", "hdd");
        filled("t", both);
        assertTrue(store.drain("ssd"));
        store.ensureTopic("t", both);
        InvalidOptionException refusal =
                assertThrows(
                        InvalidOptionException.class,
                        () -> store.createTopic("u", Stores.small().withTiers("ssd")));
        assertTrue(refusal.getMessage().contains("drained"), refusal.getMessage());
        reopen("hdd");
        assertAllThere("t", RECORDS);
        assertEquals(Set.of("ssd", "hdd"), store.ensureTopic("t", both).options().tiers());
        assertThrows(
                InvalidOptionException.class,
                () -> store.createTopic("u", Stores.small().withTiers("ssd")));
        reopen("ssd", "hdd");
        assertEquals(Drain.NONE, ssd().drain(), "it is a new tier");
        append(store.openTopic("t").partition(0));
        assertTrue(ssd().usedBytes() > 0);
    }

    @Test
    void shouldNotUseADrainedTierThatIsStillNamed() {
        filled("t", Stores.small());
        assertTrue(store.drain("ssd"));
        assertTrue(store.drain("ssd"), "again");
        reopen("ssd", "hdd");
        append(store.openTopic("t").partition(0));
        assertNothingInSsd();
        assertThrows(InvalidOptionException.class, () -> store.migrate("t", 0, 0, "ssd"));
        reopen("ssd", "hdd");
        store.cancelDrain("ssd");
        assertEquals(Drain.NONE, ssd().drain());
        filled("u", Stores.small());
        assertTrue(ssd().usedBytes() > 0);
        store.close();
        assertThrows(StoreOpenException.class, () -> at("hdd").open(), "it is a tier again");
        open();
        assertAllThere("t", 2 * RECORDS);
    }

    @Test
    void shouldRefuseToDrainWhatATopicCannotDoWithout() {
        filled("only", Stores.small().withTiers("ssd"));
        assertRefused("topic only may be in no other tier", () -> store.drain("ssd"));
        assertRefused("none is 'tape'", () -> store.drain("tape"));
        assertEquals(Drain.NONE, ssd().drain());
        store.deleteTopic("only");
        assertTrue(store.drain("ssd"));
        assertRefused("the store has no other tier", () -> store.drain("hdd"));
        assertTrue(store.findings().stream().noneMatch(each -> each.text().contains("hdd")));
    }

    private static void assertRefused(String part, Executable call) {
        InvalidOptionException refusal = assertThrows(InvalidOptionException.class, call);
        assertTrue(refusal.getMessage().contains(part), refusal.getMessage());
    }

    @Test
    void shouldSayThatThereIsNoRoomAndContinueWhenThereIs() {
        store.close();
        ObservedMedium medium = new ObservedMedium();
        store =
                StoreBuilder.over(directory.resolve("store"), medium)
                        .tier("ssd", tier("ssd", medium))
                        .tier("hdd", tier("hdd", medium).withCapacityBytes(150_000))
                        .open();
        filled("t", Stores.small());
        StoreFullException full = assertThrows(StoreFullException.class, () -> store.drain("ssd"));
        assertTrue(full.getMessage().startsWith("tier ssd is not empty yet"), full.getMessage());
        assertEquals(Drain.IN_PROGRESS, ssd().drain());
        assertTrue(store.metrics().tier("hdd").segments() > 0, "what fits was moved");
        reopen("ssd", "hdd");
        assertTrue(store.drain("ssd"));
        assertAllThere("t", RECORDS);
    }

    /** What the tier's topics append then goes to the others, which have little room. */
    @Test
    void shouldRefuseAppendsWhenTheOthersAreFullAndTakeThemWhenThereIsRoom() {
        store.close();
        ObservedMedium medium = new ObservedMedium();
        store =
                StoreBuilder.over(directory.resolve("store"), medium)
                        .tier("ssd", tier("ssd", medium))
                        .tier("hdd", tier("hdd", medium).withCapacityBytes(150_000))
                        .open();
        Partition partition = filled("t", Stores.small());
        assertThrows(StoreFullException.class, () -> store.drain("ssd"));
        assertThrows(StoreFullException.class, () -> append(partition));
        long end = partition.nextOffset();
        assertThrows(StoreFullException.class, () -> store.drain("ssd"), "it is tried again");
        partition.deleteRecordsBefore(partition.durableOffset());
        await("a drain when there is room", this::isDrained);
        try (Appender appender = partition.openAppender()) {
            assertEquals(end, appender.append(Stores.numbered(end, LENGTH)));
        }
        assertNothingInSsd();
    }

    private boolean isDrained() {
        try {
            return store.drain("ssd");
        } catch (StoreFullException e) {
            return false; // what was deleted is freed in the background
        }
    }

    @Test
    void shouldWaitForACompactionAndMoveWhatItLeaves() throws Exception {
        TopicOptions compacted =
                Stores.small().withCleanup(CleanupPolicy.COMPACT).withMinDirtyRatio(1);
        Partition partition = store.createTopic("t", compacted).partition(0);
        try (Appender appender = partition.openAppender()) {
            for (int i = 0; i < RECORDS; i++) {
                appender.append(bytes("key " + i % 3), Stores.numbered(i, LENGTH));
            }
        }
        await("sealed segments", () -> sealed() > 2);
        AtomicBoolean isWaiting = new AtomicBoolean();
        List<Stores.Task<Boolean>> drains = new ArrayList<>();
        store.compact(
                "t",
                0,
                (copied, total, next) -> {
                    if (drains.isEmpty()) {
                        drains.add(Stores.start(() -> store.drain("ssd", waiting(isWaiting))));
                        await("the drain to wait", isWaiting::get);
                    }
                    return 0;
                });
        assertTrue(drains.get(0).result());
        assertNothingInSsd();
        reopen("hdd");
        Set<String> keys =
                Stores.readAll(store.openTopic("t").partition(0).openTailer()).stream()
                        .map(record -> new String(record.key(), UTF_8))
                        .collect(Collectors.toSet());
        assertEquals(Set.of("key 0", "key 1", "key 2"), keys);
    }

    private long sealed() {
        return store.snapshot().partitions().get(0).segments().stream()
                .filter(SegmentPlace::isMovable)
                .count();
    }

    private static MoveControl waiting(AtomicBoolean isWaiting) {
        return (copied, total, next) -> {
            isWaiting.set(next == 0);
            return 0;
        };
    }

    @Test
    void shouldDrainPersistentMemory() {
        store.close();
        ObservedMedium medium = new ObservedMedium();
        PmemTier memory =
                PmemTier.at(directory.resolve("pmem"))
                        .withBlockBytes(2 << 20)
                        .withCapacityBytes(24 << 20)
                        .withEmulation(Emulation.FORCED);
        store =
                StoreBuilder.over(directory.resolve("two"), medium)
                        .tier("ssd", memory)
                        .tier("hdd", tier("other", medium))
                        .open();
        filled("t", Stores.small());
        assertTrue(ssd().segments() > 2);
        assertTrue(store.drain("ssd"));
        assertNothingInSsd();
        store.close();
        store =
                StoreBuilder.over(directory.resolve("two"), medium)
                        .tier("hdd", tier("other", medium))
                        .open();
        assertAllThere("t", RECORDS);
    }

    @Test
    void shouldWaitForAClaimAndAReader() throws Exception {
        Partition partition = filled("t", Stores.small());
        Stores.Task<Boolean> drain;
        AtomicBoolean isWaiting = new AtomicBoolean();
        try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
            Claim claim = appender.claim(LENGTH);
            drain =
                    Stores.start(
                            () ->
                                    store.drain(
                                            "ssd",
                                            (copied, total, next) -> {
                                                isWaiting.set(next == 0);
                                                return 0;
                                            }));
            await("the drain to wait for the claim", isWaiting::get);
            assertEquals(Drain.IN_PROGRESS, ssd().drain());
            claim.buffer().put(Stores.numbered(RECORDS, LENGTH));
            claim.commit();
        }
        assertTrue(drain.result());
        assertAllThere("t", RECORDS + 1);
    }

    @Test
    void shouldGiveBackASegmentInWhichAClaimWasAborted() {
        Partition partition = store.createTopic("t", Stores.small()).partition(0);
        try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
            appender.claim(LENGTH).abort();
            assertTrue(store.drain("ssd"));
            assertNothingInSsd();
            appender.append(Stores.numbered(0, LENGTH));
        }
        reopen("hdd");
        assertAllThere("t", 1);
    }

    @Test
    void shouldKeepWhatAReaderHoldsUntilItLetsGo() throws Exception {
        Partition partition = filled("t", Stores.small());
        AtomicBoolean isWaiting = new AtomicBoolean();
        Stores.Task<?>[] drain = new Stores.Task<?>[1];
        try (Tailer tailer = partition.openTailer()) {
            tailer.poll(
                    record -> {
                        drain[0] =
                                Stores.start(
                                        () ->
                                                store.drain(
                                                        "ssd",
                                                        (copied, total, next) -> {
                                                            isWaiting.set(next == 0);
                                                            return 0;
                                                        }));
                        await("the drain", () -> isWaiting.get() && ssd().segments() == 0);
                        assertEquals(Drain.IN_PROGRESS, ssd().drain());
                        assertEquals(0, record.offset());
                        return Action.STOP;
                    },
                    1);
        }
        assertEquals(true, drain[0].result());
        assertNothingInSsd();
    }

    @Test
    void shouldBeFollowedByReadersInOtherProcesses() {
        filled("t", Stores.small());
        try (LogReader reader = at("ssd", "hdd").openReadOnly()) {
            assertTrue(store.drain("ssd"));
            assertEquals(
                    RECORDS,
                    Stores.read(reader.openTopic("t").partition(0).openTailer(), RECORDS).size());
        }
    }

    @Test
    void shouldDrainInInvokerModeAndRefuseInAControl() {
        store.close();
        store = at("ssd", "hdd").invokerMode().open();
        Partition partition = store.createTopic("t", Stores.small()).partition(0);
        partition.openAppender().append(bytes("one"));
        assertTrue(
                store.drain(
                        "ssd",
                        (copied, total, next) -> {
                            if (next > 0) {
                                assertThrows(IllegalStateException.class, () -> store.drain("hdd"));
                            }
                            return 0;
                        }));
        assertNothingInSsd();
    }
}
