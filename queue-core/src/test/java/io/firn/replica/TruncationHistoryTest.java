package io.firn.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.medium.Fields;
import io.firn.medium.FileErrors.DamagedFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TruncationHistoryTest {
    private static TruncationHistory read(Map<String, String> text) throws DamagedFileException {
        return TruncationHistory.of(Fields.of(Path.of("truncated-0"), text));
    }

    private static TruncationHistory of(long... offsets) {
        TruncationHistory cuts = TruncationHistory.NONE;
        for (long offset : offsets) {
            cuts = cuts.begin(offset).end();
        }
        return cuts;
    }

    @Test
    void shouldSayTheLowestOffsetSinceSoManyTruncations() {
        TruncationHistory cuts = of(50, 20, 70, 30);
        assertEquals(4, cuts.count());
        assertEquals(20, cuts.lowestSince(0));
        assertEquals(20, cuts.lowestSince(1));
        assertEquals(30, cuts.lowestSince(2));
        assertEquals(30, cuts.lowestSince(3));
        assertEquals(Long.MAX_VALUE, cuts.lowestSince(4));
    }

    @Test
    void shouldKnowNothingOfWhatItHasNotCounted() {
        assertEquals(0, of(50, 20).lowestSince(3));
        assertEquals(0, TruncationHistory.NONE.lowestSince(1));
        assertEquals(Long.MAX_VALUE, TruncationHistory.NONE.lowestSince(0));
    }

    @Test
    void shouldSayWhetherTheLastOneIsInProgress() {
        TruncationHistory cuts = of(50).begin(80);
        assertTrue(cuts.isInProgress());
        assertEquals(80, cuts.lowestInProgress());
        assertFalse(cuts.end().isInProgress());
        assertEquals(Long.MAX_VALUE, cuts.end().lowestInProgress());
    }

    @Test
    void shouldTellAllWhenItsFileWasLost() {
        assertEquals(0, TruncationHistory.UNKNOWN.lowestSince(0));
        assertEquals(0, TruncationHistory.NONE.lowestSince(-1));
        assertEquals(7, of(9, 7).lowestSince(-1));
        TruncationHistory cuts = TruncationHistory.afterLoss(1_000);
        assertTrue(cuts.isInProgress());
        assertEquals(0, cuts.lowestInProgress());
        for (long seen : new long[] {-1, 0, 3, 999, 1_001}) {
            assertEquals(0, cuts.end().lowestSince(seen));
        }
        assertEquals(Long.MAX_VALUE, cuts.end().lowestSince(1_000));
        assertEquals(50, cuts.end().begin(50).lowestSince(1_000));
        assertEquals(0, cuts.end().begin(50).lowestSince(3));
    }

    @Test
    void shouldBeTheSameAfterItWasWrittenAndRead() throws DamagedFileException {
        for (TruncationHistory cuts :
                List.of(
                        TruncationHistory.NONE,
                        TruncationHistory.UNKNOWN,
                        TruncationHistory.afterLoss(1L << 61),
                        of(3, 5),
                        of(1).begin(7),
                        of(9, 0))) {
            assertEquals(cuts, read(cuts.toText()));
        }
    }

    @Test
    void shouldRefuseTextThatIsNoCuts() {
        Map<String, String> text = of(3, 5).toText();
        assertThrows(DamagedFileException.class, () -> read(Map.of()));
        for (String key : List.of("count", "cut.2")) {
            Map<String, String> without = new HashMap<>(text);
            without.remove(key);
            assertThrows(DamagedFileException.class, () -> read(without));
        }
    }

    @Test
    void shouldNeverSayTooHighAnOffsetThoughItKeepsFew() throws DamagedFileException {
        Random random = new Random(5);
        TruncationHistory cuts = TruncationHistory.NONE;
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            long offset = 100L * i + random.nextInt(3_000);
            cuts = read(cuts.begin(offset).end().toText());
            all.add(offset);
            for (int seen = 0; seen < all.size(); seen++) {
                long lowest =
                        all.subList(seen, all.size()).stream()
                                .mapToLong(each -> each)
                                .min()
                                .orElse(0);
                long told = cuts.lowestSince(seen);
                assertTrue(told <= lowest, told + " of " + lowest);
                if (all.size() - seen < 20) {
                    assertEquals(lowest, told);
                }
            }
        }
        assertTrue(cuts.toText().size() <= TruncationHistory.MOST + 2);
    }
}
