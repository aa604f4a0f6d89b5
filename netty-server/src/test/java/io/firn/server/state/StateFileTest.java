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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A set of texts in a file. */
class StateFileTest extends StateFileContract {
    private static final Path FILE = DIRECTORY.resolve("words");
    private static final Set<String> NONE = Set.of();

    @TempDir private Path real;

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
        assertTrue(message.startsWith(FILE + " is damaged: 'odd' is not a word;"), message);
    }

    /** On a real file system, in a directory of the test. */
    private StateFile<Set<String>> real() throws IOException {
        return StateFile.open(FileMedium.real(), real.resolve("words"), new Words(), NONE);
    }

    @Test
    void shouldReadThroughALinkAndReplaceTheLinkWithAFile() throws IOException {
        change(real(), "old", null);
        Path elsewhere = Files.move(real.resolve("words"), real.resolve("elsewhere"));
        Path link = Files.createSymbolicLink(real.resolve("words"), elsewhere);
        StateFile<Set<String>> file = real();
        assertEquals(Set.of("old"), file.get());
        change(file, "new", "old");
        assertFalse(Files.isSymbolicLink(link));
        assertEquals(Set.of("new"), real().get());
    }

    @Test
    void shouldNotBeginWithoutWhatALinkToNothingHasKept() throws IOException {
        Files.createSymbolicLink(real.resolve("words"), real.resolve("gone"));
        IOException e = assertThrows(IOException.class, this::real);
        assertTrue(e.getMessage().startsWith(real.resolve("words").toString()), e.getMessage());
        Files.delete(real.resolve("words"));
        assertEquals(NONE, real().get());
    }

    @Test
    void shouldNameADirectoryThatIsThereInsteadOfTheFileAndKeepWhatIsUsed() throws IOException {
        StateFile<Set<String>> file = real();
        change(file, "old", null);
        Files.delete(real.resolve("words"));
        Files.createDirectory(real.resolve("words"));
        assertThrows(IOException.class, () -> change(file, "new", null));
        assertEquals(Set.of("old"), file.get());
        IOException e = assertThrows(IOException.class, this::real);
        assertTrue(e.getMessage().startsWith(real.resolve("words").toString()), e.getMessage());
        Files.delete(real.resolve("words"));
        change(file, "new", null);
        assertEquals(Set.of("old", "new"), real().get());
    }

    /** Two damages: bytes that are lost, and a temporary name that cannot be used. */
    @Test
    void shouldChangeNothingWhenTheFileIsDamagedAndItsNextContentCannotBeWritten()
            throws IOException {
        StateFile<Set<String>> file = real();
        change(file, "old", null);
        Files.write(real.resolve("words"), new byte[3]);
        Files.createDirectories(real.resolve(".words.tmp").resolve("full"));
        assertThrows(IOException.class, () -> change(file, "new", null));
        assertEquals(Set.of("old"), file.get());
        assertThrows(IOException.class, this::real);
        Files.delete(real.resolve(".words.tmp").resolve("full"));
        assertTrue(file.change(before -> before, false), "written again: it was not certain");
        assertEquals(Set.of("old"), real().get());
    }
}
