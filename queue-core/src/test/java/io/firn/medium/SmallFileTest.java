package io.firn.medium;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.medium.FileErrors.DamagedFileException;
import io.firn.medium.FileErrors.UnsupportedVersionException;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Small files of keys and values. */
class SmallFileTest {
    private static final Path FILE = Path.of("/config");

    private final SimulatedFileMedium medium = new SimulatedFileMedium();

    private void write(Map<String, String> values) throws IOException {
        SmallFile.write(medium, FILE, "config", 3, values);
    }

    private Map<String, String> read() throws IOException {
        return SmallFile.read(medium, FILE, "config", 3);
    }

    private String text() throws IOException {
        try (MediumFile file = medium.open(FILE, false)) {
            byte[] bytes = new byte[(int) file.size()];
            file.read(0, bytes, 0, bytes.length);
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    private void replace(byte[] bytes) throws IOException {
        medium.delete(FILE);
        try (MediumFile file = medium.create(FILE)) {
            file.write(0, bytes, 0, bytes.length);
        }
    }

    @Test
    void shouldBeReadableAndInOrder() throws IOException {
        write(Map.of("partitions", "4", "name", "orders"));

        assertTrue(
                text().matches("firn config 3\nname=orders\npartitions=4\ncrc32c=[0-9a-f]{8}\n"),
                text());
    }

    @Test
    void shouldRefuseWhatNeedsMoreThanHalfOfTheHeap() throws IOException {
        byte[] lines = "k\n".repeat(1000).getBytes(StandardCharsets.UTF_8);
        SmallFile.requireMemory(FILE, lines, "needs", 2L * (1000 * 200 + 4 * lines.length));
        IOException refusal =
                assertThrows(
                        IOException.class,
                        () -> SmallFile.requireMemory(FILE, lines, "needs", 300_000));
        assertTrue(refusal.getMessage().startsWith(FILE + " has 1000 lines"), refusal.toString());
        assertFalse(refusal instanceof DamagedFileException, "a larger heap can read it");
    }

    @Test
    void shouldGiveBackWhateverWasWritten() throws IOException {
        Map<String, String> values =
                Map.of("", "", "a=b", "c=d", "line\nend", "\r\n\\n", "ümläut", "\\", "e", "\\e=");
        write(values);

        assertEquals(values, read());
    }

    @Test
    void shouldReadTheLargestFileThatItWritesAndWriteNoLargerOne() throws IOException {
        int empty = SmallFile.content(FILE, "config", 3, Map.of("key", "")).length;
        Map<String, String> largest = Map.of("key", "x".repeat((32 << 20) - empty));
        write(largest);
        assertEquals(largest, read());

        Map<String, String> larger = Map.of("key", largest.get("key") + "x");
        IOException e = assertThrows(IOException.class, () -> write(larger));
        assertTrue(e.getMessage().contains("could not be read again"), e.getMessage());
        assertEquals(largest, read());
    }

    @Test
    void shouldSayNothingOfAFileThatIsNotThere() throws IOException {
        assertNull(read());
    }

    @Test
    void shouldNoticeEveryFlippedBitAndEveryMissingByte() throws IOException {
        write(Map.of("name", "orders"));
        byte[] whole = text().getBytes(StandardCharsets.UTF_8);
        for (int bit = 0; bit < whole.length * 8; bit++) {
            byte[] damaged = whole.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            replace(damaged);
            IOException e = assertThrows(IOException.class, this::read, "bit " + bit);
            assertTrue(e.getMessage().contains("/config is damaged"), e.getMessage());
        }
        for (int length = 0; length < whole.length; length++) {
            replace(Arrays.copyOf(whole, length));
            assertThrows(IOException.class, this::read, "length " + length);
        }
    }

    @Test
    void shouldRefuseAnotherKindOfFile() throws IOException {
        write(Map.of("name", "orders"));

        IOException e =
                assertThrows(IOException.class, () -> SmallFile.read(medium, FILE, "topic", 3));

        assertTrue(e.getMessage().contains("'firn topic '"), e.getMessage());
        assertTrue(e.getMessage().contains("'firn config 3'"), e.getMessage());
    }

    @Test
    void shouldRefuseANewerVersionAndTakeAnOlderOne() throws IOException {
        write(Map.of("name", "orders"));

        assertThrows(
                UnsupportedVersionException.class, () -> SmallFile.read(medium, FILE, "config", 2));
        assertEquals(Map.of("name", "orders"), SmallFile.read(medium, FILE, "config", 4));
    }

    @Test
    void shouldBeTheOldOneOrTheNewOneAfterAPowerCutAtAnyOperation() throws IOException {
        write(Map.of("name", "old"));
        List<SimulatedFileMedium> left = new ArrayList<>();
        medium.onOperation(number -> crash(left));
        write(Map.of("name", "new"));
        for (SimulatedFileMedium found : left) {
            Map<String, String> values = SmallFile.read(found, FILE, "config", 3);
            assertTrue(Set.of(Map.of("name", "old"), Map.of("name", "new")).contains(values));
        }
        left.clear();
        crash(left);
        for (SimulatedFileMedium found : left) {
            assertEquals(Map.of("name", "new"), SmallFile.read(found, FILE, "config", 3));
        }
    }

    private void crash(List<SimulatedFileMedium> left) {
        for (int seed = 0; seed < 50; seed++) {
            left.add(medium.crash(Survival.random(seed)));
        }
        left.add(medium.crash(Survival.NONE));
        left.add(medium.crash(Survival.NAMES));
        left.add(medium.crash(Survival.BYTES));
    }

    @Test
    void shouldBeTheOldOneWhenAnyOperationFails() throws IOException {
        write(Map.of("name", "old"));
        int first = medium.operations() + 1;
        for (int k = 0; k < 4; k++) {
            int failing = first + k;
            SimulatedFileMedium found = medium.kill();
            found.faults().failOperations(number -> number == failing - first + 1);
            assertThrows(
                    IOException.class,
                    () -> SmallFile.write(found, FILE, "config", 3, Map.of("name", "new")));
            assertEquals(Map.of("name", "old"), SmallFile.read(found, FILE, "config", 3));
        }
    }
}
