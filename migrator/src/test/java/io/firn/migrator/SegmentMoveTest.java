package io.firn.migrator;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static io.firn.migrator.Tiered.BLOCK_BYTES;
import static io.firn.migrator.Tiered.COLD;
import static io.firn.migrator.Tiered.HOT;
import static io.firn.migrator.Tiered.RECORDS_IN_SEGMENT;
import static io.firn.migrator.Tiered.WARM;
import static io.firn.migrator.Tiered.assertAllThere;
import static io.firn.migrator.Tiered.await;
import static io.firn.migrator.Tiered.awaitMovable;
import static io.firn.migrator.Tiered.segments;
import static io.firn.migrator.Tiered.tier;
import static io.firn.migrator.Tiered.tiersOf;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.LogStore.MoveControl;
import io.firn.LogStore.MoveOutcome;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.StoreFullException;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.UnknownTopicException;
import io.firn.sim.SecondRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Moves by hand: what stays the same, what is refused, and who wins when two want a segment. */
class SegmentMoveTest {
    private static final int HOT_SEGMENTS = 6;

    /** Of a store that is open: what is written to, and the block ahead, are hidden. */
    private static final String ITS_FILES =
            "tier|lock|readers|[0-9]{20}\\..*|\\.[0-9a-f]{16}\\.(active|seal)";

    @TempDir private Path directory;
    private LogStore store;

    @BeforeEach
    void open() {
        store = Tiered.at(directory, HOT_SEGMENTS).open();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private Partition created(TopicOptions options, int segments) {
        Partition partition = store.createTopic("t", options).partition(0);
        Tiered.appendSegments(partition, segments);
        awaitMovable(store, "t", segments);
        return partition;
    }

    private MoveOutcome move(int segment, String tier) {
        return move(segment, tier, MoveControl.UNLIMITED);
    }

    private MoveOutcome move(int segment, String tier, MoveControl control) {
        return store.migrate("t", 0, baseOf(segment), tier, control);
    }

    private static long baseOf(int segment) {
        return (long) segment * RECORDS_IN_SEGMENT;
    }

    private Path logIn(String tier, int segment) {
        Path topic = directory.resolve(tier).resolve(store.openTopic("t").id().toString());
        return topic.resolve("0").resolve(String.format("%020d.log", baseOf(segment)));
    }

    /** What the tiers say they hold is what the segments take, and nothing else lies there. */
    private void assertAccountedFor() throws IOException {
        Map<String, Long> used = Tiered.usedBySegments(store.snapshot());
        await(
                "the space of what was moved",
                () ->
                        isUsed(WARM, used.getOrDefault(WARM, 0L))
                                && tier(store, COLD).usedBytes() == used.getOrDefault(COLD, 0L));
        // The background may be at work on a block that it sets aside.
        for (String name : List.of("ssd", "hdd")) {
            await("nothing else in " + name, () -> hasOnlyItsFiles(directory.resolve(name)));
        }
    }

    private static boolean hasOnlyItsFiles(Path tier) {
        try (Stream<Path> files = Files.walk(tier)) {
            return files.filter(Files::isRegularFile)
                    .allMatch(file -> file.getFileName().toString().matches(ITS_FILES));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (UncheckedIOException e) {
            // A file was renamed while we walked.
            assertEquals(NoSuchFileException.class, e.getCause().getClass());
            return false;
        }
    }

    /** The block that is set aside ahead of the writer may lie there, too. */
    private boolean isUsed(String tier, long bytes) {
        long more = tier(store, tier).usedBytes() - bytes;
        return more == 0 || more == Tiered.SEGMENT_BYTES + 2 * 4096;
    }

    @Test
    void shouldStayByteEqualWhenDemotedAndPromotedTenTimes() throws IOException {
        Partition partition = created(Tiered.small(), 2);
        assertEquals(MoveOutcome.MOVED, move(0, COLD));
        byte[] bytes = Files.readAllBytes(logIn("hdd", 0));
        var sealedAt = segments(store, "t").get(0).sealTime();
        for (int i = 0; i < 10; i++) {
            assertEquals(MoveOutcome.MOVED, move(0, HOT));
            assertEquals(List.of(HOT, HOT, HOT), tiersOf(store, "t"));
            assertEquals(MoveOutcome.MOVED, move(0, WARM));
            assertArrayEquals(bytes, Files.readAllBytes(logIn("ssd", 0)));
            assertEquals(MoveOutcome.MOVED, move(0, COLD));
            assertArrayEquals(bytes, Files.readAllBytes(logIn("hdd", 0)));
            assertEquals(sealedAt, segments(store, "t").get(0).sealTime(), "retention's age");
        }
        assertAllThere(partition);
        assertAccountedFor();
        assertEquals(10L * bytes.length, tier(store, COLD).movedUpBytes());
        assertEquals(11L * bytes.length, tier(store, HOT).movedDownBytes());
        assertEquals(10L * bytes.length, tier(store, WARM).movedDownBytes());
        assertEquals(0, tier(store, COLD).movesInFlight());

        close();
        open();
        assertEquals(List.of(COLD, HOT, HOT), tiersOf(store, "t"));
        assertArrayEquals(bytes, Files.readAllBytes(logIn("hdd", 0)));
        assertAllThere(store.openTopic("t").partition(0));
        assertEquals(List.of(), store.findings());
        assertAccountedFor();
    }

    @Test
    void shouldSayWhyNothingWasMoved() {
        created(Tiered.small().withTiers("pmem", "hdd"), 1);
        assertEquals(MoveOutcome.GONE, move(7, COLD));
        assertEquals(MoveOutcome.GONE, store.migrate("t", 0, 1, COLD), "no segment's first");
        assertEquals(MoveOutcome.NOT_SEALED, move(1, COLD));
        assertEquals(MoveOutcome.ALREADY_THERE, move(0, HOT));
        assertEquals(
                MoveOutcome.CANCELLED, move(0, COLD, (copied, all, next) -> MoveControl.CANCEL));
        InvalidOptionException unknown =
                assertThrows(InvalidOptionException.class, () -> move(0, "tape"));
        assertEquals(
                "the store has the tiers [pmem, ssd, hdd], hottest first, and none is 'tape'",
                unknown.getMessage());
        assertThrows(InvalidOptionException.class, () -> move(0, WARM), "not of its choice");
        assertThrows(InvalidOptionException.class, () -> store.migrate("t", 1, 0, COLD));
        assertThrows(UnknownTopicException.class, () -> store.migrate("u", 0, 0, COLD));
        assertEquals(List.of(HOT, HOT), tiersOf(store, "t"));
        assertEquals(0, tier(store, COLD).usedBytes());
    }

    @Test
    void shouldRefuseToMoveWhereThereIsNoRoom() {
        created(Tiered.small(), HOT_SEGMENTS + 2);
        List<String> before = tiersOf(store, "t");
        assertEquals(WARM, before.get(HOT_SEGMENTS + 1), "spilled");
        assertTrue(tier(store, WARM).spilledBytes() > 0);
        assertThrows(StoreFullException.class, () -> move(HOT_SEGMENTS, HOT));
        assertEquals(before, tiersOf(store, "t"));
        assertTrue(tier(store, HOT).lastError().orElseThrow().contains("in use"));
    }

    @Test
    void shouldKeepATopicInTheTiersThatItChose() {
        InvalidOptionException none =
                assertThrows(
                        InvalidOptionException.class,
                        () -> store.createTopic("t", Tiered.small().withTiers("ssd", "hd")));
        assertTrue(
                none.getMessage().startsWith("topic t: no tier is labelled 'hd'"),
                none::getMessage);
        created(Tiered.small().withTiers("ssd", "hdd"), 2);
        assertEquals(List.of(WARM, WARM, WARM), tiersOf(store, "t"));
        assertEquals(0, tier(store, HOT).usedBytes());
        assertEquals(0, tier(store, WARM).spilledSegments(), "it never wanted to lie elsewhere");
        close();
        open();
        assertEquals(Set.of("ssd", "hdd"), store.openTopic("t").options().tiers());
        assertThrows(InvalidOptionException.class, () -> move(0, HOT));
    }

    @Test
    void shouldLeaveBytesInPlaceForAReaderThatIsInThem() {
        Partition partition = created(Tiered.small(), 1);
        Tailer tailer = partition.openTailer();
        byte[][] seen = new byte[1][];
        tailer.poll(
                record -> {
                    var value = record.value();
                    assertEquals(MoveOutcome.MOVED, move(0, COLD));
                    // Takes every block that is free, and would take the old one.
                    Partition other = store.createTopic("u", Tiered.small()).partition(0);
                    Tiered.appendSegments(other, HOT_SEGMENTS + 1);
                    seen[0] = new byte[value.remaining()];
                    value.get(seen[0]);
                    return Action.STOP;
                },
                1);
        assertArrayEquals(Tiered.value(0), seen[0]);
        assertAllThere(partition);
        assertAllThere(store.openTopic("u").partition(0));
    }

    @Test
    void shouldGiveTheOldBlockBackWhenItsLastReaderHasGone() {
        Partition partition = created(Tiered.small(), 1);
        await("the block ahead", () -> tier(store, HOT).usedBytes() == 3L * BLOCK_BYTES);
        Tailer tailer = partition.openTailer();
        tailer.poll(
                record -> {
                    assertEquals(MoveOutcome.MOVED, move(0, COLD));
                    assertEquals(3L * BLOCK_BYTES, tier(store, HOT).usedBytes(), "it is held");
                    assertEquals(MoveOutcome.BUSY, move(0, HOT), "its old block is there yet");
                    return Action.CONTINUE;
                },
                1);
        await("its block", () -> tier(store, HOT).usedBytes() == 2L * BLOCK_BYTES);
        assertAllThere(partition);
    }

    @Test
    void shouldGiveUpWhenTheSegmentIsDeletedMeanwhile() throws IOException {
        Partition partition = created(Tiered.small(), 3);
        assertEquals(MoveOutcome.GONE, move(0, COLD, once(() -> delete(partition, baseOf(1)))));
        assertEquals(baseOf(1), segments(store, "t").get(0).baseOffset());
        assertAllThere(partition);
        assertAccountedFor();
    }

    private Void delete(Partition partition, long before) {
        partition.deleteRecordsBefore(before);
        await("the deletion", () -> segments(store, "t").get(0).baseOffset() >= before);
        return null;
    }

    @Test
    void shouldGiveUpWhenTheTopicIsDeletedMeanwhile() throws IOException {
        created(Tiered.small(), 3);
        assertEquals(
                MoveOutcome.GONE,
                move(
                        1,
                        COLD,
                        once(
                                () -> {
                                    store.deleteTopic("t");
                                    await("its blocks", () -> tier(store, HOT).usedBytes() == 0);
                                    return null;
                                })));
        await("all of it", () -> tier(store, COLD).usedBytes() == 0);
        close();
        open();
        assertEquals(List.of(), store.topicNames());
        assertEquals(List.of(), store.findings());
        assertEquals(0, tier(store, HOT).usedBytes());
        assertEquals(0, tier(store, COLD).usedBytes());
    }

    @Test
    void shouldGiveUpWhenTheStoreIsClosedMeanwhile() throws Exception {
        created(Tiered.small(), 3);
        AtomicBoolean begun = new AtomicBoolean();
        FutureTask<MoveOutcome> moving =
                start(
                        () ->
                                move(
                                        0,
                                        COLD,
                                        (copied, all, next) -> {
                                            begun.set(true);
                                            return TimeUnit.HOURS.toNanos(1);
                                        }));
        await("the move", begun::get);
        close();
        assertEquals(MoveOutcome.CANCELLED, moving.get(HANGS_AFTER_S, TimeUnit.SECONDS));
        open();
        assertEquals(List.of(HOT, HOT, HOT, HOT), tiersOf(store, "t"));
        assertEquals(0, tier(store, COLD).usedBytes());
        assertEquals(List.of(), store.findings());
        assertAllThere(store.openTopic("t").partition(0));
    }

    @Test
    void shouldMoveASegmentOnceWhenTwoWantIt() {
        created(Tiered.small(), 1);
        MoveOutcome[] other = new MoveOutcome[1];
        MoveOutcome first = move(0, COLD, once(() -> other[0] = move(0, WARM)));
        assertEquals(MoveOutcome.MOVED, first);
        assertEquals(MoveOutcome.BUSY, other[0]);
        assertEquals(List.of(COLD, HOT), tiersOf(store, "t"));
    }

    @Test
    void shouldShowASegmentThatIsOnItsWayWhereItIsGoing() {
        created(Tiered.small(), 1);
        await("the block ahead", () -> tier(store, HOT).usedBytes() == 3L * BLOCK_BYTES);
        long before = store.snapshot().tier(HOT).usedBytes();
        move(
                0,
                COLD,
                once(
                        () -> {
                            assertEquals(List.of(COLD, HOT), tiersOf(store, "t"));
                            assertEquals(false, segments(store, "t").get(0).isMovable());
                            long now = store.snapshot().tier(HOT).usedBytes();
                            assertEquals(BLOCK_BYTES, before - now, "as if it had left");
                            assertEquals(1, tier(store, HOT).movesInFlight());
                            assertEquals(1, tier(store, COLD).movesInFlight());
                            return null;
                        }));
    }

    @Test
    void shouldShowEveryRecordOnceAndInOrderWhileMovesRun() throws Exception {
        Partition partition = created(Tiered.small(), 4);
        AtomicBoolean over = new AtomicBoolean();
        List<FutureTask<Void>> tasks = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            int salt = i;
            tasks.add(
                    start(
                            () -> {
                                for (long n = salt; !over.get(); n += 7) {
                                    var all = segments(store, "t");
                                    var one = all.get((int) (n % all.size()));
                                    migrateAnyhow(
                                            one.baseOffset(),
                                            List.of(HOT, WARM, COLD).get((int) (n % 3)));
                                }
                                return null;
                            }));
            tasks.add(
                    start(
                            () -> {
                                while (!over.get()) {
                                    assertAllThere(partition);
                                }
                                return null;
                            }));
        }
        try (Appender appender = partition.openAppender()) {
            for (int i = 0;
                    i < SecondRun.share(1_500, 3) || (hasMovedLittle() && isAllAtWork(tasks));
                    i++) {
                appender.append(Tiered.value(partition.nextOffset()));
            }
        }
        over.set(true);
        for (FutureTask<Void> task : tasks) {
            task.get(HANGS_AFTER_S, TimeUnit.SECONDS);
        }
        assertAllThere(partition);
        assertAccountedFor();
        close();
        open();
        assertAllThere(store.openTopic("t").partition(0));
        assertAccountedFor();
    }

    private boolean hasMovedLittle() {
        long moved = tier(store, HOT).movedDownBytes() + tier(store, WARM).movedDownBytes();
        return moved < SecondRun.share(10, 3) * (long) Tiered.SEGMENT_BYTES;
    }

    private static boolean isAllAtWork(List<FutureTask<Void>> tasks) {
        return tasks.stream().noneMatch(FutureTask::isDone);
    }

    private void migrateAnyhow(long base, String tier) {
        try {
            store.migrate("t", 0, base, tier);
        } catch (StoreFullException e) {
            return; // for now
        } catch (FirnException e) {
            throw new AssertionError(e);
        }
    }

    private static MoveControl once(Callable<?> action) {
        AtomicBoolean done = new AtomicBoolean();
        return (copied, total, next) -> {
            if (!done.getAndSet(true)) {
                try {
                    action.call();
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }
            return 0;
        };
    }

    private static <T> FutureTask<T> start(Callable<T> callable) {
        FutureTask<T> task = new FutureTask<>(callable);
        Thread thread = new Thread(task, "test");
        thread.setDaemon(true);
        thread.start();
        return task;
    }
}
