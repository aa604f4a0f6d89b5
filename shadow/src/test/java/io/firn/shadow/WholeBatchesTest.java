package io.firn.shadow;

import static io.firn.shadow.Batches.batch;
import static io.firn.shadow.Batches.joined;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.host.InvalidBatchException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a batch says outside its CRC, and who contradicts it. */
class WholeBatchesTest {
    private static final int LENGTH = 8;
    private static final int EPOCH = 12;
    private static final int LAST_OFFSET_DELTA = 23;
    private static final int LEADER_EPOCH = 5;

    /** Three batches over the offsets 0 to 30, with the epochs 3, 4 and 5. */
    private final ByteBuffer answer = joined(batch(0, 3), batch(10, 4), batch(20, 5));

    private final int size = answer.limit() / 3;

    private ByteBuffer of(long highWatermark) {
        return WholeBatches.of(answer, LEADER_EPOCH, highWatermark, false);
    }

    private void assertRefused(String expected) {
        InvalidBatchException e = assertThrows(InvalidBatchException.class, () -> of(30));
        assertTrue(e.getMessage().contains(expected), e.getMessage());
    }

    @Test
    void shouldTakeWhatIsWhole() {
        assertEquals(answer, of(30));
        answer.limit(3 * size - 1);
        assertEquals(2 * size, of(30).remaining());
        answer.limit(20);
        assertEquals(0, of(30).remaining());
    }

    @Test
    void shouldTakeEqualEpochsAndGaps() {
        assertEquals(2 * size, takenOf(batch(0, 5), batch(10, 5)));
        assertEquals(2 * size, takenOf(batch(0, 5), batch(20, 5)));
    }

    private static int takenOf(ByteBuffer... batches) {
        return WholeBatches.of(joined(batches), LEADER_EPOCH, 30, false).remaining();
    }

    @Test
    void shouldRefuseAnEpochAboveTheLeaders() {
        answer.putInt(2 * size + EPOCH, 6);
        assertRefused("its leader has only 5");
        assertEquals(answer, WholeBatches.of(answer, -1, 30, false), "a source without epochs");
    }

    @Test
    void shouldRefuseAnEpochBelowTheOneBefore() {
        answer.putInt(2 * size + EPOCH, 3);
        assertRefused("leader epoch 3, the one before it has 4");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 10, 19})
    void shouldRefuseBatchesThatOverlapOrAreReordered(long base) {
        answer.putLong(2 * size, base);
        assertRefused("comes after one that ends at offset 20");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE - 9})
    void shouldRefuseABaseOffsetThatCannotBe(long base) {
        answer.putLong(0, base);
        assertRefused("offset " + base);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE})
    void shouldRefuseALastOffsetBelowTheFirst(int delta) {
        answer.putInt(LAST_OFFSET_DELTA, delta);
        assertRefused("last offset delta " + delta);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 48, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE - 11})
    void shouldRefuseALengthThatCannotBe(int length) {
        answer.putInt(size + LENGTH, length);
        assertRefused("has the length " + length);
    }

    @Test
    void shouldRefuseALengthThatEndsInsideTheBatch() {
        answer.putInt(size + LENGTH, size - 12 - 7);
        assertThrows(InvalidBatchException.class, () -> of(30));
    }

    @Test
    void shouldTakeABatchForCutOffWhoseLengthIsBeyondTheAnswer() {
        answer.putInt(size + LENGTH, 2 * size);
        assertEquals(size, of(30).remaining());
    }

    @Test
    void shouldLeaveWhatEndsAboveTheHighWatermark() {
        assertEquals(2 * size, of(29).remaining());
        assertEquals(2 * size, of(20).remaining());
        answer.putLong(2 * size, 1_000);
        assertEquals(2 * size, of(30).remaining());
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 9})
    void shouldRefuseAFirstBatchAboveTheHighWatermark(long highWatermark) {
        InvalidBatchException e =
                assertThrows(InvalidBatchException.class, () -> of(highWatermark));
        assertTrue(e.getMessage().contains("above the high watermark"), e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 9})
    void shouldLeaveAFirstBatchThatMayBeAboveTheHighWatermark(long highWatermark) {
        assertEquals(0, WholeBatches.of(answer, LEADER_EPOCH, highWatermark, true).remaining());
    }

    @Test
    void shouldAnswerAnyBytesWithBatchesInOrderOrAnException() {
        SplittableRandom random = new SplittableRandom(1);
        byte[] clean = new byte[answer.limit()];
        answer.get(0, clean);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = clean.clone();
            for (int j = random.nextInt(1, 4); j > 0; j--) {
                int header = random.nextInt(3) * size;
                bytes[header + random.nextInt(61)] = (byte) random.nextInt();
            }
            assertInOrder(ByteBuffer.wrap(bytes));
        }
    }

    private static void assertInOrder(ByteBuffer fetched) {
        ByteBuffer taken;
        try {
            taken = WholeBatches.of(fetched, LEADER_EPOCH, 30, false);
        } catch (InvalidBatchException e) {
            return;
        }
        long end = 0;
        while (taken.hasRemaining()) {
            int at = taken.position();
            assertTrue(taken.getLong(at) >= end && taken.getInt(at + EPOCH) <= LEADER_EPOCH);
            end = taken.getLong(at) + taken.getInt(at + LAST_OFFSET_DELTA) + 1;
            assertTrue(end <= 30);
            taken.position(at + 12 + taken.getInt(at + LENGTH));
        }
    }
}
