package io.firn.producer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.medium.Fields;
import io.firn.medium.FileErrors.DamagedFileException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The checkpoints of all partitions of a topic in one file. */
class ProducerSnapshotsTest {
    private static final Path FILE = Path.of("producers");

    private static Map<String, String> at(long offset) {
        return Map.of("nextOffset", Long.toString(offset), "17", "a.b=c");
    }

    private static ProducerSnapshots read(Map<String, String> text) throws DamagedFileException {
        return ProducerSnapshots.of(Fields.of(FILE, text));
    }

    private final ProducerSnapshots all = new ProducerSnapshots();

    @Test
    void shouldReadEachSnapshotAsItWasWritten() throws DamagedFileException {
        all.add(0, at(5));
        all.add(1_000, at(7));
        ProducerSnapshots read = read(all.toText());
        assertEquals(at(5), read.of(0));
        assertEquals(at(7), read.of(1_000));
        assertNull(read.of(1));
    }

    @Test
    void shouldRefuseWhatIsNoSnapshot() {
        for (String key : new String[] {"nextOffset", "x.nextOffset", "1.17", ".nextOffset"}) {
            Map<String, String> text = Map.of(key, "5");
            assertThrows(DamagedFileException.class, () -> read(text), key);
        }
        assertThrows(DamagedFileException.class, () -> read(Map.of("1.nextOffset", "five")));
    }

    @Test
    void shouldChooseTheLaterOfTwoAndTheFirstOfEqualOnes() throws DamagedFileException {
        Fields own = Fields.of(FILE, at(5));
        assertSame(own, ProducerSnapshots.later(own, null));
        assertSame(own, ProducerSnapshots.later(null, own));
        assertSame(own, ProducerSnapshots.later(own, Fields.of(FILE, at(5))));
        assertSame(own, ProducerSnapshots.later(Fields.of(FILE, at(4)), own));
        assertNull(ProducerSnapshots.later(null, null));
    }

    @Test
    void shouldLeaveNoRoomForMoreThanASmallFileHoldsAndCountWhatIsReplacedOnce()
            throws DamagedFileException {
        Map<String, String> large = Map.of("nextOffset", "1", "17", "x".repeat(3 << 20));
        for (int i = 0; i < 100; i++) {
            assertTrue(all.add(0, large));
        }
        assertFalse(all.add(1, large));
        assertNull(all.of(1));
        ProducerSnapshots read = read(all.toText());
        assertFalse(read.add(1, large));
        assertTrue(read.add(0, at(2)));
        assertTrue(read.add(1, large));
    }
}
