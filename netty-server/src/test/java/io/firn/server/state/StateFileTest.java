package io.firn.server.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A set of texts in a file. */
class StateFileTest extends StateFileContract {
    private static final Path FILE = DIRECTORY.resolve("words");
    private static final Set<String> NONE = Set.of();

    private static final class Words implements StateFile.Format<Set<String>> {
        @Override
        public String magic() {
            return "words";
        }

        @Override
        public int version() {
            return 1;
        }

        @Override
        public int mostLines() {
            return 3;
        }

        @Override
        public long mostChars() {
            return 20;
        }

        @Override
        public Map<String, String> format(Set<String> words) {
            Map<String, String> lines = new HashMap<>();
            words.forEach(each -> lines.put(each, ""));
            return lines;
        }

        @Override
        public Set<String> parse(Map<String, String> lines) {
            if (lines.containsKey("odd")) {
                throw new IllegalArgumentException("'odd' is not a word");
            }
            return Set.copyOf(lines.keySet());
        }
    }

    @BeforeEach
    void createDirectory() throws IOException {
        medium.createDirectories(DIRECTORY);
    }

    private static StateFile<Set<String>> file(FileMedium on) throws IOException {
        return StateFile.open(on, FILE, new Words(), NONE);
    }

    private static boolean change(StateFile<Set<String>> file, String added, String removed)
            throws IOException {
        return file.change(
                before -> {
                    Set<String> next = new HashSet<>(before);
                    next.remove(removed);
                    if (added != null) {
                        next.add(added);
                    }
                    return next.equals(before) ? before : Set.copyOf(next);
                },
                added != null);
    }

    @Override
    protected Kept kept(FileMedium on) throws IOException {
        StateFile<Set<String>> file = file(on);
        return new Kept() {
            @Override
            public Set<String> all() {
                return file.get();
            }

            @Override
            public void change(String added, String removed) throws IOException {
                assertTrue(StateFileTest.change(file, added, removed));
            }
        };
    }

    @Test
    void shouldNotWriteWhatIsThere() throws IOException {
        StateFile<Set<String>> file = file(medium);
        assertSame(NONE, file.get());
        assertNull(SmallFile.read(medium, FILE, "words", 1));
        assertTrue(change(file, "one", null));
        int before = medium.operations();
        assertTrue(change(file, "one", "two"));
        assertEquals(before, medium.operations());
    }

    @Test
    void shouldCreateTheFileWhenItIsAskedTo() throws IOException {
        file(medium).write();
        assertEquals(Map.of(), SmallFile.read(medium, FILE, "words", 1));
    }

    @Test
    void shouldRefuseWhatIsTooMuchAndStillRemove() throws IOException {
        StateFile<Set<String>> file = file(medium);
        assertFalse(change(file, "123456789012345678901", null));
        for (String each : Set.of("1", "2", "3")) {
            assertTrue(change(file, each, null));
        }
        assertFalse(change(file, "4", null));
        assertFalse(change(file, "12345678901234567890", "1"));
        assertEquals(Set.of("1", "2", "3"), file(medium).get());
        SmallFile.write(medium, FILE, "words", 1, Map.of("1", "", "2", "", "3", "", "4", ""));
        StateFile<Set<String>> tooMuch = file(medium);
        assertEquals(4, tooMuch.get().size());
        assertTrue(change(tooMuch, null, "4"));
        assertTrue(change(tooMuch, "5", "1"));
        assertEquals(Set.of("2", "3", "5"), file(medium).get());
    }

    @Test
    void shouldSayWhichFileCannotBeUsedAndWhy() throws IOException {
        SmallFile.write(medium, FILE, "words", 1, Map.of("odd", ""));
        String message = assertThrows(IOException.class, () -> file(medium)).getMessage();
        assertEquals(FILE + ": 'odd' is not a word", message);
    }
}
