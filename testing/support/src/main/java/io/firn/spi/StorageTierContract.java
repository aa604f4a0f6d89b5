package io.firn.spi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.firn.StoreFullException;
import io.firn.StoreLockedException;
import io.firn.spi.Block.Sidecar;
import io.firn.spi.BlockReader.BlockReusedException;
import io.firn.spi.Mark.SegmentState;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What every {@link StorageTier} has to do. A tier passes it by extending it. */
public abstract class StorageTierContract {
    /** Bytes of the segments that are reserved here. */
    protected static final int SEGMENT_BYTES = 64 * 1024;

    private static final UUID STORE = new UUID(1, 2);
    private static final UUID TOPIC = new UUID(0x0F8C_0000_0000_0001L, 0x8000_0000_0000_002AL);
    private static final int PARTITION = 7;
    private static final byte[] INDEX = {0, 0, 0, 1, 0, 0, 0, 99};
    private static final byte[] TIME_INDEX = {5, 6, 7};
    private static final byte[] NOTHING = {};

    private final List<StorageTier> opened = new ArrayList<>();

    /** A tier that is not open; every call during a test gives one in the same place. */
    protected abstract StorageTier newTier() throws IOException;

    /** As {@link #newTier}, in another place, with room for so many segments of SEGMENT_BYTES. */
    protected abstract StorageTier newTierWithRoomFor(int segments) throws IOException;

    /** Returns whether a segment is deleted although another process reads it. */
    protected boolean deletesWhatIsRead() {
        return true;
    }

    @AfterEach
    void closeTiers() throws IOException {
        for (StorageTier tier : opened) {
            tier.close();
        }
    }

    private StorageTier open(StorageTier tier, boolean create, boolean readOnly)
            throws IOException {
        opened.add(tier);
        tier.open(new TierContext(STORE, create, readOnly));
        return tier;
    }

    private StorageTier open() throws IOException {
        return open(newTier(), true, false);
    }

    private StorageTier openReadOnly() throws IOException {
        return open(newTier(), false, true);
    }

    private StorageTier reopen(StorageTier tier) throws IOException {
        tier.close();
        return open(newTier(), false, false);
    }

    private static Block reserve(StorageTier tier, long epoch) throws IOException {
        return tier.reserve(TOPIC, PARTITION, SEGMENT_BYTES, epoch);
    }

    private static Block only(StorageTier tier) throws IOException {
        List<Block> segments = tier.list();
        assertEquals(1, segments.size(), "segments in " + segments);
        return segments.get(0);
    }

    private static byte[] someBytes(int length) {
        byte[] bytes = new byte[length];
        new SplittableRandom(length).nextBytes(bytes);
        return bytes;
    }

    /** Stores, forces and marks so many bytes, as the first life of a segment does. */
    private static Block fill(Block segment, int length) throws IOException {
        segment.prepare(0, length, false);
        segment.memory().put(0, someBytes(length));
        segment.force(0, length);
        Mark begun = segment.mark().active(segment.mark().epoch(), 1000, 0, 1000);
        segment.writeMark(begun);
        segment.writeMark(begun.active(begun.epoch(), 1000, length, 1000 + length));
        return segment;
    }

    private static Block sealed(Block segment, int length) throws IOException {
        fill(segment, length);
        long epoch = segment.mark().epoch();
        segment.seal(segment.mark().sealed(epoch, 1000, length, 1000 + length, 77));
        return segment;
    }

    private static Block finished(Block segment, int length) throws IOException {
        sealed(segment, length).finishSeal(INDEX, TIME_INDEX);
        return segment;
    }

    private static void assertHolds(Block segment, int length) throws IOException {
        byte[] read = new byte[length];
        assertEquals(length, segment.read(0, read, 0, length));
        assertArrayEquals(someBytes(length), read, "read");
        View view = segment.view();
        assertTrue(view.pin());
        view.buffer().get(0, read);
        view.unpin();
        assertArrayEquals(someBytes(length), read, "viewed");
    }

    @Test
    void shouldReserveASegmentWithTheRoomThatWasAskedFor() throws IOException {
        StorageTier tier = open();
        Block segment = tier.reserve(TOPIC, PARTITION, SEGMENT_BYTES - 1, 42);

        assertEquals(SEGMENT_BYTES - 1, segment.capacity());
        assertTrue(segment.memory().capacity() >= SEGMENT_BYTES - 1);
        assertEquals(ByteOrder.BIG_ENDIAN, segment.memory().order());
        assertEquals(Mark.reserved(TOPIC, PARTITION, 42), segment.mark());
        assertFalse(segment.isFinished());
        assertSame(tier, segment.tier());
        assertSame(segment, only(tier));
    }

    @Test
    void shouldServeOtherTopicsWhenOneIsForgotten() throws IOException {
        StorageTier tier = open();
        UUID other = new UUID(9, 9);
        tier.reserve(other, PARTITION, SEGMENT_BYTES, 1);
        reserve(tier, 2).delete();

        tier.forgetTopic(TOPIC);
        tier.forgetTopic(TOPIC);
        tier.forgetTopic(new UUID(7, 7));

        assertEquals(other, only(tier).mark().topicId());
        tier.reserve(other, PARTITION + 1, SEGMENT_BYTES, 3);
        StorageTier again = reopen(tier);
        assertEquals(2, again.list().size());
        assertEquals(List.of(), again.strangers());
    }

    @Test
    void shouldKeepAReservedSegmentWhenReopened() throws IOException {
        StorageTier tier = open();
        reserve(tier, 42);

        Block found = only(reopen(tier));

        assertEquals(Mark.reserved(TOPIC, PARTITION, 42), found.mark());
        assertTrue(found.capacity() >= SEGMENT_BYTES);
    }

    @Test
    void shouldKeepBytesAndMarkOfAnActiveSegmentWhenReopened() throws IOException {
        StorageTier tier = open();
        Mark mark = fill(reserve(tier, 42), 5000).mark();

        Block found = only(reopen(tier));

        assertEquals(mark, found.mark());
        assertHolds(found, 5000);
        found.prepare(5000, 5001, false);
        found.memory().put(5000, (byte) 1);
        found.force(5000, 5001);
    }

    @Test
    void shouldShowReadersOfAnActiveSegmentWhatIsStored() throws IOException {
        Block segment = reserve(open(), 1);
        View view = segment.view();

        segment.prepare(SEGMENT_BYTES - 8, SEGMENT_BYTES, false);
        segment.memory().putLong(SEGMENT_BYTES - 8, 0x1234_5678_9ABCL);

        assertTrue(view.pin());
        assertEquals(0x1234_5678_9ABCL, view.buffer().getLong(SEGMENT_BYTES - 8));
        assertEquals(ByteOrder.BIG_ENDIAN, view.buffer().order());
        view.unpin();
        assertSame(view, segment.view());
    }

    @Test
    void shouldFindTheLastOfManyMarksWhenReopened() throws IOException {
        StorageTier tier = open();
        Block segment = fill(reserve(tier, 42), 100);
        for (int i = 0; i < 5; i++) {
            segment.writeMark(segment.mark().active(50 + i, 1000, 100 + i, 1100 + i));
            assertEquals(segment.mark(), segment.refreshMark());
        }
        Mark last = segment.mark();

        assertEquals(last, only(reopen(tier)).mark());
    }

    @Test
    void shouldLetNoOlderMarkComeBackAfterRewriting() throws IOException {
        StorageTier tier = open();
        Block segment = fill(reserve(tier, 42), 100);
        segment.rewriteMark(segment.mark().active(43, 1000, 60, 1060));
        Mark rewritten = segment.mark();

        segment = only(reopen(tier));
        assertEquals(rewritten, segment.mark());

        segment.writeMark(rewritten.active(43, 1000, 80, 1080));
        assertEquals(80, only(reopen(segment.tier())).mark().position());
    }

    @Test
    void shouldStaySealedAndUnfinishedWhenReopenedBetweenTheTwo() throws IOException {
        StorageTier tier = open();
        Mark mark = sealed(reserve(tier, 42), 5000).mark();

        Block found = only(reopen(tier));
        assertEquals(mark, found.mark());
        assertFalse(found.isFinished());
        assertEquals(5000, found.capacity());
        assertHolds(found, 5000);

        found.finishSeal(INDEX, TIME_INDEX);
        assertTrue(found.isFinished());
        assertHolds(found, 5000);
        assertTrue(only(reopen(found.tier())).isFinished());
    }

    @Test
    void shouldKeepAFinishedSegmentWithItsSidecarsWhenReopened() throws IOException {
        StorageTier tier = open();
        Block segment = finished(reserve(tier, 42), 5000);
        assertTrue(segment.isFinished());
        assertEquals(5000, segment.capacity());
        assertHolds(segment, 5000);

        Block found = only(reopen(tier));

        assertTrue(found.isFinished());
        assertEquals(segment.mark(), found.mark());
        assertEquals(5000, found.capacity());
        assertArrayEquals(INDEX, found.readSidecar(Sidecar.INDEX));
        assertArrayEquals(TIME_INDEX, found.readSidecar(Sidecar.TIMEINDEX));
        assertHolds(found, 5000);
    }

    @Test
    void shouldFinishTwiceWithoutHarm() throws IOException {
        Block segment = finished(reserve(open(), 42), 5000);

        segment.finishSeal(INDEX, TIME_INDEX);

        assertTrue(segment.isFinished());
        assertHolds(segment, 5000);
    }

    @Test
    void shouldSealAnEmptySegment() throws IOException {
        StorageTier tier = open();
        Block segment = reserve(tier, 42);
        segment.seal(segment.mark().sealed(42, 5, 0, 5, 77));
        segment.finishSeal(NOTHING, NOTHING);

        Block found = only(reopen(tier));

        assertEquals(0, found.capacity());
        assertEquals(0, found.view().buffer().capacity());
    }

    @Test
    void shouldTakeANewMarkForASealedSegment() throws IOException {
        StorageTier tier = open();
        Block segment = finished(reserve(tier, 42), 5000);
        Mark better = segment.mark().sealed(42, 1000, 4000, 5000, 78);

        segment.rewriteMark(better);

        assertEquals(better, only(reopen(tier)).mark());
    }

    @Test
    void shouldLeavePinnedReadersInPeaceWhenTheSegmentIsFinished() throws IOException {
        Block segment = fill(reserve(open(), 42), 5000);
        View view = segment.view();
        assertTrue(view.pin());

        segment.seal(segment.mark().sealed(42, 1000, 5000, 6000, 77));
        segment.finishSeal(INDEX, TIME_INDEX);

        byte[] seen = new byte[5000];
        view.buffer().get(0, seen);
        assertArrayEquals(someBytes(5000), seen);
        assertSame(view, segment.detachView());
        assertFalse(view.tryRelease(), "released in spite of a pin");
        view.buffer().get(0, seen);
        assertArrayEquals(someBytes(5000), seen);
        view.unpin();
        assertTrue(view.tryRelease());
    }

    @Test
    void shouldRefuseTheWriterOnceSealed() throws IOException {
        Block segment = sealed(reserve(open(), 42), 5000);

        assertThrows(IllegalStateException.class, segment::memory);
        segment.finishSeal(INDEX, TIME_INDEX);
        assertThrows(IllegalStateException.class, segment::memory);
    }

    @Test
    void shouldLetGoOfAFinishedSegmentsViewAndBringItBack() throws IOException {
        Block segment = finished(reserve(open(), 42), 5000);
        View first = segment.view();

        View detached = segment.detachView();

        assertSame(first, detached);
        assertFalse(detached.pin());
        assertTrue(detached.tryRelease());
        assertNull(segment.detachView());
        assertHolds(segment, 5000);
    }

    @Test
    void shouldKeepTheViewOfASegmentThatIsStillWritten() throws IOException {
        Block segment = fill(reserve(open(), 42), 5000);

        assertNull(segment.detachView());
        assertHolds(segment, 5000);
    }

    @Test
    void shouldReadNoFurtherThanTheSegmentGoes() throws IOException {
        Block segment = finished(reserve(open(), 42), 5000);
        byte[] target = new byte[20];

        assertEquals(20, segment.read(100, target, 0, 20));
        assertEquals(10, segment.read(4990, target, 5, 15));
        assertEquals(0, segment.read(5000, target, 0, 20));
        assertEquals(0, segment.read(9000, target, 0, 20));
    }

    @Test
    void shouldTakeAwayWhatIsDeletedForGood() throws IOException {
        StorageTier tier = open();
        Block reserved = reserve(tier, 1);
        Block active = fill(reserve(tier, 2), 100);
        Block sealed = reserve(tier, 3);
        sealed.seal(sealed.mark().active(3, 5000, 0, 5000).sealed(3, 5000, 0, 5000, 1));
        Block finished = finished(reserve(tier, 4), 100);
        assertEquals(4, tier.list().size());

        for (Block segment : List.of(reserved, active, sealed, finished)) {
            segment.delete();
            segment.delete();
        }

        assertEquals(List.of(), tier.list());
        assertEquals(0, tier.usedBytes());
        StorageTier reopened = reopen(tier);
        assertEquals(List.of(), reopened.list());
        assertEquals(0, reopened.usedBytes());
        assertEquals(List.of(), reopened.strangers());
    }

    @Test
    void shouldCountUsedBytesTheSameWayBeforeAndAfterReopening() throws IOException {
        StorageTier tier = open();
        assertEquals(0, tier.usedBytes());
        reserve(tier, 1);
        long one = tier.usedBytes();
        assertTrue(one >= SEGMENT_BYTES);
        finished(reserve(tier, 2), 5000);
        long used = tier.usedBytes();

        StorageTier reopened = reopen(tier);

        assertEquals(used, reopened.usedBytes());
        for (Block segment : reopened.list()) {
            segment.delete();
        }
        assertEquals(0, reopened.usedBytes());
    }

    @Test
    void shouldSayThatItIsFullAndTakeMoreWhenThereIsRoomAgain() throws IOException {
        StorageTier tier = open(newTierWithRoomFor(2), true, false);
        Block first = reserve(tier, 1);
        reserve(tier, 2);
        long used = tier.usedBytes();
        assertTrue(used <= tier.capacityBytes().orElse(Long.MAX_VALUE));

        StoreFullException full = assertThrows(StoreFullException.class, () -> reserve(tier, 3));
        assertTrue(full.getMessage().matches(".*\\d+ bytes wanted.*"), full.getMessage());
        assertEquals(used, tier.usedBytes());

        first.delete();
        assertNotNull(reserve(tier, 4));
    }

    @Test
    void shouldRefuseASegmentThatNoBlockCanHold() throws IOException {
        StorageTier tier = open();
        int limit = tier.maxSegmentBytes();

        IllegalArgumentException refused =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> tier.reserve(TOPIC, PARTITION, limit + 1, 1));
        assertTrue(refused.getMessage().contains(Integer.toString(limit)), refused.getMessage());
        assertThrows(IllegalArgumentException.class, () -> tier.reserve(TOPIC, PARTITION, 0, 1));
        assertEquals(List.of(), tier.list());
    }

    @Test
    void shouldTellTopicsAndPartitionsApart() throws IOException {
        StorageTier tier = open();
        UUID neighbour =
                new UUID(TOPIC.getMostSignificantBits(), TOPIC.getLeastSignificantBits() + 1);
        tier.reserve(TOPIC, 1, SEGMENT_BYTES, 1);
        tier.reserve(TOPIC, 10, SEGMENT_BYTES, 2);
        tier.reserve(neighbour, 1, SEGMENT_BYTES, 3);

        List<String> found = new ArrayList<>();
        for (Block segment : reopen(tier).list()) {
            Mark mark = segment.mark();
            found.add(mark.epoch() + " " + mark.topicId() + " " + mark.partition());
        }

        found.sort(null);
        assertEquals(
                List.of("1 " + TOPIC + " 1", "2 " + TOPIC + " 10", "3 " + neighbour + " 1"), found);
    }

    @Test
    void shouldKeepItsIdentity() throws IOException {
        StorageTier tier = open();
        UUID id = tier.id();

        assertEquals(id, reopen(tier).id());
        assertNotEquals(id, open(newTierWithRoomFor(1), true, false).id());
    }

    @Test
    void shouldRefuseToServeAnotherStore() throws IOException {
        open().close();
        UUID other = new UUID(3, 4);
        StorageTier tier = newTier();

        IOException refused =
                assertThrows(
                        IOException.class, () -> tier.open(new TierContext(other, true, false)));

        assertTrue(refused.getMessage().contains(STORE.toString()), refused.getMessage());
        assertTrue(refused.getMessage().contains(other.toString()), refused.getMessage());
        open();
    }

    @Test
    void shouldNotBeCreatedUnlessAskedFor() throws IOException {
        StorageTier writable = newTier();
        StorageTier readOnly = newTier();

        assertThrows(IOException.class, () -> writable.open(new TierContext(STORE, false, false)));
        assertThrows(IOException.class, () -> readOnly.open(new TierContext(STORE, true, true)));
    }

    @Test
    void shouldBeOpenForWritingOnlyOnce() throws IOException {
        StorageTier first = open();
        StorageTier second = newTier();
        TierContext context = new TierContext(STORE, false, false);

        assertThrows(StoreLockedException.class, () -> second.open(context));
        reserve(first, 1);
        first.close();
        second.open(context);
        opened.add(second);
        assertEquals(1, second.list().size());
    }

    @Test
    void shouldServeReadersBesideTheWriterAndLetThemChangeNothing() throws IOException {
        StorageTier tier = open();
        fill(reserve(tier, 42), 5000);

        StorageTier reading = openReadOnly();
        Block seen = only(reading);

        assertEquals(tier.id(), reading.id());
        assertEquals(5000, seen.mark().position());
        assertHolds(seen, 5000);
        assertThrows(IllegalStateException.class, seen::memory);
        assertThrows(IllegalStateException.class, seen::delete);
        assertThrows(IllegalStateException.class, () -> seen.writeMark(seen.mark()));
        assertThrows(IllegalStateException.class, () -> reserve(reading, 43));
    }

    @Test
    void shouldLetReadersFollowTheWriter() throws IOException {
        StorageTier tier = open();
        Block segment = reserve(tier, 42);
        StorageTier reading = openReadOnly();
        Block seen = only(reading);
        assertEquals(SegmentState.RESERVED, seen.refreshMark().state());

        fill(segment, 5000);
        assertEquals(segment.mark(), seen.refreshMark());
        assertHolds(seen, 5000);

        segment.seal(segment.mark().sealed(42, 1000, 5000, 6000, 77));
        assertEquals(segment.mark(), seen.refreshMark());
        assertFalse(seen.isFinished());
        assertHolds(seen, 5000);

        segment.finishSeal(INDEX, TIME_INDEX);
        assertEquals(segment.mark(), seen.refreshMark());
        assertTrue(seen.isFinished());
        assertSame(seen, only(reading));
        assertHolds(seen, 5000);
        assertArrayEquals(INDEX, seen.readSidecar(Sidecar.INDEX));

        try {
            segment.delete();
        } catch (IOException e) {
            assertFalse(deletesWhatIsRead(), e.toString());
        }
        assertEquals(List.of(), reading.list());
        reading.close();
        segment.delete();
        assertEquals(List.of(), reopen(tier).list());
    }

    /** A segment that is soon full is sealed before a mark was due. */
    @Test
    void shouldLetReadersFollowASegmentThatIsSealedWithoutAnEarlierMark() throws IOException {
        StorageTier tier = open();
        Block segment = reserve(tier, 42);
        StorageTier reading = openReadOnly();
        Block seen = only(reading);
        assertEquals(SegmentState.RESERVED, seen.refreshMark().state());

        segment.seal(segment.mark().sealed(42, 1000, 5000, 6000, 77));

        assertEquals(segment.mark(), seen.refreshMark());
        assertFalse(seen.isFinished());
    }

    @Test
    void shouldLetReadersFindASegmentThatWasFinishedWhileTheyLookedAway() throws IOException {
        StorageTier tier = open();
        Block segment = reserve(tier, 42);
        StorageTier reading = openReadOnly();
        Block seen = only(reading);

        finished(segment, 5000);

        assertEquals(segment.mark(), seen.refreshMark());
        assertTrue(seen.isFinished());
        assertHolds(seen, 5000);
        assertSame(seen, only(reading));
    }

    @Test
    void shouldShowReadersTheBytesOfASegmentWhereverTheyAre() throws IOException {
        StorageTier tier = open();
        Block segment = fill(reserve(tier, 42), 5000);

        assertTrue(segment.reader().isInPlace(), "pins keep the writing process from reusing it");
        for (Block block : List.of(segment, only(openReadOnly()))) {
            View view = pinned(block);
            BlockReader reader = block.reader();
            ByteBuffer slice = reader.slice(view, 3, 4000);
            for (int position : new int[] {0, 1, 4000}) {
                ByteBuffer bytes = reader.bytes(view, position, 1000);
                if (reader.isInPlace()) {
                    assertSame(view.buffer(), bytes);
                }
                byte[] read = new byte[1000];
                bytes.get(reader.isInPlace() ? position : 0, read);
                byte[] stored = Arrays.copyOfRange(someBytes(5000), position, position + 1000);
                assertArrayEquals(stored, read);
                assertEquals(ByteOrder.BIG_ENDIAN, bytes.order());
            }
            assertShows(slice, 3, 4000);
            int end = view.buffer().capacity();
            assertThrows(IndexOutOfBoundsException.class, () -> reader.bytes(view, end - 9, 10));
            assertThrows(IndexOutOfBoundsException.class, () -> reader.slice(view, end - 9, 10));
            reader.confirm();
            view.unpin();
        }
    }

    @Test
    void shouldNeverShowAReaderBytesOfALaterSegment() throws IOException {
        assumeTrue(deletesWhatIsRead());
        StorageTier tier = open();
        Block segment = sealed(reserve(tier, 42), 5000);
        Block seen = only(openReadOnly());
        View view = pinned(seen);
        BlockReader reader = seen.reader();
        ByteBuffer slice = reader.slice(view, 0, 5000);

        segment.delete();
        for (int i = 1; i <= 8; i++) {
            fill(reserve(tier, 42 + i), 6000);
        }

        assertShows(slice, 0, 5000);
        if (reader.isInPlace()) {
            reader.confirm();
            byte[] read = new byte[5000];
            reader.bytes(view, 0, 5000).get(0, read);
            assertArrayEquals(someBytes(5000), read);
        } else {
            assertThrows(BlockReusedException.class, () -> reader.bytes(view, 0, 5000));
        }
        view.unpin();
    }

    private static View pinned(Block block) throws IOException {
        View view = block.view();
        assertTrue(view.pin());
        return view;
    }

    /** Asserts that a slice contains some of the bytes that {@link #fill} stored, 5000 in all. */
    private static void assertShows(ByteBuffer slice, int position, int length) {
        byte[] shown = new byte[slice.remaining()];
        slice.duplicate().get(shown);
        assertEquals(0, slice.position());
        assertArrayEquals(Arrays.copyOfRange(someBytes(5000), position, position + length), shown);
    }

    @Test
    void shouldWriteASidecarAgain() throws IOException {
        StorageTier tier = open();
        Block segment = finished(reserve(tier, 42), 5000);
        byte[] better = {1, 2, 3, 4};

        segment.rewriteSidecar(Sidecar.TIMEINDEX, better);

        assertArrayEquals(better, only(reopen(tier)).readSidecar(Sidecar.TIMEINDEX));
        assertArrayEquals(INDEX, only(opened.get(opened.size() - 1)).readSidecar(Sidecar.INDEX));
    }

    @Test
    void shouldWorkInAnInterruptedThreadAndLeaveItInterrupted() throws IOException {
        StorageTier tier = open();
        Thread.currentThread().interrupt();
        try {
            Block segment = finished(reserve(tier, 42), 5000);
            assertHolds(segment, 5000);
            Block next = fill(reserve(tier, 43), 100);
            assertTrue(Thread.currentThread().isInterrupted());
            segment.delete();
            next.force(0, 100);
        } finally {
            assertTrue(Thread.interrupted());
        }
    }

    @Test
    void shouldCloseTwiceAndOpenAgain() throws IOException {
        StorageTier tier = open();
        reserve(tier, 1);

        tier.close();
        tier.close();

        assertEquals(1, open().list().size());
    }

    // ---- copies

    private static Mark markOfCopy(int length) {
        return new Mark(
                SegmentState.SEALED, TOPIC, PARTITION, 9, 1000, length, 1000L + length, 77, 5);
    }

    /** As a move makes it, in pieces, up to the publishing. */
    private static BlockCopy copied(StorageTier tier, int length) throws IOException {
        BlockCopy copy = tier.beginCopy(markOfCopy(length), 42);
        byte[] bytes = someBytes(length);
        for (int at = 0; at < length; at += 1000) {
            copy.write(at, bytes, at, Math.min(1000, length - at));
        }
        copy.force();
        byte[] read = new byte[length];
        assertEquals(length, copy.read(0, read, 0, length));
        assertArrayEquals(bytes, read, "read back");
        return copy;
    }

    private static void assertIsCopy(Block segment, int length) throws IOException {
        Mark mark = segment.mark();
        assertTrue(segment.isFinished());
        assertEquals(length, segment.capacity());
        assertEquals(
                markOfCopy(length),
                new Mark(
                        mark.state(),
                        mark.topicId(),
                        mark.partition(),
                        mark.epoch(),
                        mark.baseOffset(),
                        mark.position(),
                        mark.offset(),
                        mark.sealTimeMs(),
                        5));
        assertArrayEquals(INDEX, segment.readSidecar(Sidecar.INDEX));
        assertArrayEquals(TIME_INDEX, segment.readSidecar(Sidecar.TIMEINDEX));
        assertHolds(segment, length);
    }

    @Test
    void shouldMakeAPublishedCopyASegmentLikeAnyOther() throws IOException {
        StorageTier tier = open();
        Block made = copied(tier, 5000).publish(markOfCopy(5000), INDEX, TIME_INDEX);

        assertIsCopy(made, 5000);
        assertSame(made, only(tier));
        assertEquals(made.usedBytes(), tier.usedBytes());

        tier = reopen(tier);
        Block found = only(tier);
        assertIsCopy(found, 5000);
        assertEquals(found.usedBytes(), tier.usedBytes());
        found.delete();
        assertEquals(0, tier.usedBytes());
        assertEquals(List.of(), tier.strangers());
    }

    @Test
    void shouldLeaveNothingOfAnAbandonedCopy() throws IOException {
        StorageTier tier = open();
        BlockCopy copy = copied(tier, 5000);
        assertTrue(tier.usedBytes() >= 5000, "a copy takes room");
        copy.abandon();
        copy.abandon();
        assertEquals(List.of(), tier.list());
        assertEquals(0, tier.usedBytes());

        BlockCopy published = copied(tier, 5000);
        published.publish(markOfCopy(5000), INDEX, TIME_INDEX);
        published.abandon();
        assertEquals(List.of(), tier.list());
        assertEquals(0, tier.usedBytes());

        assertIsCopy(copied(tier, 5000).publish(markOfCopy(5000), INDEX, TIME_INDEX), 5000);
        assertEquals(1, reopen(tier).list().size());
    }

    @Test
    void shouldForgetACopyThatWasNotPublishedWhenReopened() throws IOException {
        StorageTier tier = open();
        copied(tier, 5000);

        tier = reopen(tier);

        for (Block left : tier.list()) {
            assertEquals(SegmentState.RESERVED, left.mark().state());
            left.delete(); // as recovery does with what holds no batch of its own epoch
        }
        assertEquals(List.of(), tier.list());
        assertEquals(List.of(), tier.strangers());
        assertEquals(0, tier.usedBytes());
    }

    @Test
    void shouldRefuseACopyForWhichThereIsNoRoom() throws IOException {
        StorageTier tier = open(newTierWithRoomFor(1), true, false);
        Block there = reserve(tier, 42);

        assertThrows(StoreFullException.class, () -> tier.beginCopy(markOfCopy(50_000), 43));

        there.delete();
        tier.beginCopy(markOfCopy(50_000), 44).abandon();
        assertEquals(0, tier.usedBytes());
    }

    // ---- rewritten segments

    private static Mark markOfRewritten(int generation, int length) {
        return markOfCopy(length)
                .sealed(9, 1000, length, 6000, 77)
                .inGeneration(generation, 123_456_789_012L);
    }

    private static Block rewritten(StorageTier tier, int generation, int length)
            throws IOException {
        BlockCopy copy = begunRewrite(tier, generation, length);
        return copy.publish(markOfRewritten(generation, length), INDEX, TIME_INDEX);
    }

    /** With fewer bytes than it was begun with, as compaction does it. */
    private static BlockCopy begunRewrite(StorageTier tier, int generation, int length)
            throws IOException {
        Mark begun = markOfRewritten(generation, length + 7000);
        BlockCopy copy = tier.beginCopy(begun, 42 + generation);
        copy.write(0, someBytes(length), 0, length / 2);
        copy.write(length / 2, someBytes(length), length / 2, length - length / 2);
        copy.force();
        return copy;
    }

    private static void assertIsRewritten(Block segment, int generation, int length)
            throws IOException {
        Mark expected = markOfRewritten(generation, length);
        Mark mark = segment.mark();
        assertEquals(expected.sealed(9, 1000, length, 6000, 77), withSequenceOf(expected, mark));
        assertTrue(segment.isFinished());
        assertEquals(length, segment.capacity());
        assertArrayEquals(INDEX, segment.readSidecar(Sidecar.INDEX));
        assertArrayEquals(TIME_INDEX, segment.readSidecar(Sidecar.TIMEINDEX));
        assertHolds(segment, length);
    }

    /** Returns a mark with the sequence after that of another one. */
    private static Mark withSequenceOf(Mark other, Mark mark) {
        return new Mark(
                mark.state(),
                mark.topicId(),
                mark.partition(),
                mark.epoch(),
                mark.baseOffset(),
                mark.position(),
                mark.offset(),
                mark.timeMs(),
                other.sequence() + 1,
                mark.generation(),
                mark.compactedTo());
    }

    private static Block ofGeneration(StorageTier tier, int generation) throws IOException {
        for (Block block : tier.list()) {
            if (block.mark().state() == SegmentState.SEALED
                    && block.mark().generation() == generation) {
                return block;
            }
        }
        throw new AssertionError("no segment of generation " + generation + " in " + tier.list());
    }

    @Test
    void shouldPublishARewrittenCopyWithFewerBytesThanItWasBegunWith() throws IOException {
        StorageTier tier = open();
        Block made = rewritten(tier, 2, 5000);

        assertIsRewritten(made, 2, 5000);
        assertSame(made, only(tier));
        assertEquals(made.usedBytes(), tier.usedBytes());

        tier = reopen(tier);
        Block found = only(tier);
        assertIsRewritten(found, 2, 5000);
        assertEquals(found.usedBytes(), tier.usedBytes());
        StorageTier reader = openReadOnly();
        assertIsRewritten(only(reader), 2, 5000);
        reader.close(); // on some media nothing is deleted that another process reads
        found.delete();
        found.delete();
        assertEquals(List.of(), tier.list());
        assertEquals(0, tier.usedBytes());
        assertEquals(List.of(), reopen(tier).list());
        assertEquals(List.of(), tier.strangers());
    }

    @Test
    void shouldKeepGenerationsOfOneSegmentApart() throws IOException {
        StorageTier tier = open();
        finished(reserve(tier, 9), 5000);
        rewritten(tier, 1, 4000);
        rewritten(tier, 3, 3000);

        tier = reopen(tier);
        assertEquals(3, tier.list().size());
        assertHolds(ofGeneration(tier, 0), 5000);
        assertIsRewritten(ofGeneration(tier, 1), 1, 4000);
        assertIsRewritten(ofGeneration(tier, 3), 3, 3000);
        ofGeneration(tier, 0).delete();

        tier = reopen(tier);
        assertEquals(2, tier.list().size());
        assertIsRewritten(ofGeneration(tier, 1), 1, 4000);
        assertIsRewritten(ofGeneration(tier, 3), 3, 3000);
        ofGeneration(tier, 3).delete();
        Block left = only(tier);
        assertIsRewritten(left, 1, 4000);

        tier = reopen(tier);
        assertIsRewritten(only(tier), 1, 4000);
        assertIsRewritten(rewritten(tier, 3, 2000), 3, 2000);
        assertEquals(List.of(), tier.strangers());
    }

    @Test
    void shouldLeaveNothingOfAnAbandonedRewrite() throws IOException {
        StorageTier tier = open();
        Block source = finished(reserve(tier, 9), 5000);
        long used = tier.usedBytes();
        BlockCopy copy = begunRewrite(tier, 1, 4000);
        assertTrue(tier.usedBytes() >= used + 4000, "a copy takes room");
        copy.abandon();
        copy.abandon();
        assertSame(source, only(tier));

        BlockCopy published = begunRewrite(tier, 1, 4000);
        published.publish(markOfRewritten(1, 4000), INDEX, TIME_INDEX);
        published.abandon();
        assertSame(source, only(tier));
        assertEquals(used, tier.usedBytes());
        assertHolds(source, 5000);
        assertArrayEquals(INDEX, source.readSidecar(Sidecar.INDEX));

        assertIsRewritten(rewritten(tier, 1, 4000), 1, 4000);
        tier = reopen(tier);
        assertEquals(2, tier.list().size());
        assertHolds(ofGeneration(tier, 0), 5000);
    }

    @Test
    void shouldForgetARewriteThatWasNotPublishedWhenReopened() throws IOException {
        StorageTier tier = open();
        finished(reserve(tier, 9), 5000);
        long used = tier.usedBytes();
        begunRewrite(tier, 1, 4000);

        tier = reopen(tier);

        for (Block block : tier.list()) {
            if (block.mark().state() == SegmentState.RESERVED) {
                block.delete(); // as recovery does with what holds no batch of its own epoch
            }
        }
        assertHolds(only(tier), 5000);
        assertArrayEquals(INDEX, only(tier).readSidecar(Sidecar.INDEX));
        assertEquals(List.of(), tier.strangers());
        assertEquals(used, tier.usedBytes());
        assertIsRewritten(rewritten(tier, 1, 4000), 1, 4000);
    }

    @Test
    void shouldRefuseToPublishARewriteAsSomethingElse() throws IOException {
        StorageTier tier = open();
        BlockCopy copy = begunRewrite(tier, 1, 4000);

        List<Mark> others =
                List.of(
                        markOfRewritten(2, 4000),
                        markOfRewritten(1, 3999),
                        markOfCopy(4000).sealed(9, 1001, 4000, 6000, 77).inGeneration(1, 5),
                        Mark.reserved(TOPIC, PARTITION, 9));
        for (Mark other : others) {
            assertThrows(
                    IllegalArgumentException.class, () -> copy.publish(other, INDEX, TIME_INDEX));
        }
        assertIsRewritten(copy.publish(markOfRewritten(1, 4000), INDEX, TIME_INDEX), 1, 4000);
    }

    @Test
    void shouldKeepTheBytesWhenAMarkIsRewrittenInAHigherGeneration() throws IOException {
        StorageTier tier = open();
        Block segment = finished(reserve(tier, 9), 5000);
        for (int generation = 1; generation < 4; generation++) {
            Mark next =
                    segment.mark()
                            .sealed(9, 1000, 5000, 6000, 77)
                            .inGeneration(generation, generation);
            segment.rewriteMark(next);
            assertEquals(next, segment.mark());
            assertKeepsBytes(segment);

            tier = reopen(tier);
            segment = only(tier);
            assertEquals(next, segment.mark());
            assertKeepsBytes(segment);
        }
        segment.rewriteSidecar(Sidecar.INDEX, INDEX);
        assertArrayEquals(INDEX, segment.readSidecar(Sidecar.INDEX));

        rewritten(tier, 4, 3000);
        ofGeneration(tier, 3).delete();
        segment = only(reopen(tier));
        assertIsRewritten(segment, 4, 3000);
        Mark next =
                segment.mark().sealed(9, 1000, 3000, 6000, 77).inGeneration(5, 200_000_000_000L);
        segment.rewriteMark(next);
        tier = reopen(segment.tier());
        assertEquals(next, only(tier).mark());
        assertHolds(only(tier), 3000);
        only(tier).delete();
        tier = reopen(tier);
        assertEquals(List.of(), tier.list());
        assertEquals(List.of(), tier.strangers());
    }

    /** Sidecars are derived, so a tier may drop them. */
    private static void assertKeepsBytes(Block segment) throws IOException {
        assertTrue(segment.isFinished());
        assertHolds(segment, 5000);
        byte[] index = segment.readSidecar(Sidecar.INDEX);
        assertTrue(index == null || Arrays.equals(INDEX, index), () -> Arrays.toString(index));
        byte[] time = segment.readSidecar(Sidecar.TIMEINDEX);
        assertTrue(time == null || Arrays.equals(TIME_INDEX, time), () -> Arrays.toString(time));
    }
}
