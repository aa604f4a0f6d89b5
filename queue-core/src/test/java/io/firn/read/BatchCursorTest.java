package io.firn.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Compression;
import io.firn.DamagedRangeException;
import io.firn.OffsetOutOfRangeException;
import io.firn.TruncatedException;
import io.firn.kafka.KafkaBatches;
import io.firn.kafka.RandomRecords;
import io.firn.log.DamagedOffsets;
import io.firn.log.SegmentedLog;
import io.firn.replica.TruncationHistory;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BatchCursorTest {
    private static final int BATCHES = 100;
    private static final int EACH = 3;

    private Sealed sealed;
    private BatchCursor cursor;

    @BeforeEach
    void fill() throws IOException {
        ByteBuffer batch =
                KafkaBatches.of(Compression.NONE)
                        .encode(new RandomRecords(1).next(0, 0, EACH, 200));
        sealed = Sealed.of(Collections.nCopies(BATCHES, batch));
        cursor = new BatchCursor(sealed.log);
    }

    private void find(long offset) {
        cursor.seek(offset);
        View view = cursor.pin();
        try {
            cursor.find(view.buffer());
        } finally {
            cursor.unpin(view);
        }
    }

    @Test
    void shouldFindTheBatchOfEveryOffset() {
        for (int offset = 0; offset < BATCHES * EACH; offset++) {
            find(offset);

            assertEquals(offset, cursor.offset());
            assertEquals(offset - offset % EACH, cursor.base());
            assertEquals(sealed.position(offset / EACH), cursor.position());
            assertFalse(cursor.isOpen());
        }
    }

    @Test
    void shouldReportTheBatchThatIsDamagedAndFindTheNextOne() {
        sealed.rot(50);
        find(149);

        DamagedRangeException e = assertThrows(DamagedRangeException.class, () -> find(151));

        assertEquals(151, e.fromOffset());
        assertEquals(153, e.toOffset());
        assertEquals(List.of(new DamagedOffsets(151, 153, "CRC")), sealed.log.damage());
        find(e.toOffset());
        assertEquals(153, cursor.base());
    }

    @Test
    void shouldSayWhatIsOutOfRange() {
        cursor.seek((long) BATCHES * EACH);
        cursor.checkRange();
        cursor.seek((long) BATCHES * EACH + 1);

        assertThrows(OffsetOutOfRangeException.class, cursor::checkRange);
    }

    /** The end is lowered before the truncation counts. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldTellOfATruncationThatIsBeingShown(boolean isFollowed) throws Exception {
        SegmentedLog log = sealed.log;
        cursor.seek(200);
        TruncationHistory cuts = TruncationHistory.NONE.begin(100);
        Thread truncation =
                new Thread(
                        () -> {
                            if (isFollowed) {
                                log.withdrawSeen(cuts);
                            } else {
                                log.withdraw(100, true, cuts);
                            }
                        });
        synchronized (sealed.producers) { // which it needs in between
            truncation.start();
            while (log.nextOffset() != 100) {
                Thread.onSpinWait();
            }
            assertEquals(0, log.truncations().count());
            TruncatedException told = assertThrows(TruncatedException.class, cursor::checkRange);
            assertEquals(100, told.truncatedTo());
        }
        truncation.join();
        assertThrows(TruncatedException.class, cursor::checkRange);
        cursor.seek(150);
        OffsetOutOfRangeException above =
                assertThrows(OffsetOutOfRangeException.class, cursor::checkRange);
        assertFalse(above instanceof TruncatedException);
    }

    @Test
    void shouldReportOffsetsThatNoSegmentHolds() throws IOException {
        sealed.log.publishNext(500, 0);
        sealed.log.publishDurable(500);
        cursor.seek(400);

        DamagedRangeException e = assertThrows(DamagedRangeException.class, cursor::pin);

        assertEquals(400, e.fromOffset());
        assertEquals(500, e.toOffset());
    }

    @Test
    void shouldHoldNoPinOnceItIsUnpinned() {
        View view = cursor.pin();
        assertTrue(view.isPinned());
        cursor.unpin(view);
        assertFalse(view.isPinned());
    }
}
