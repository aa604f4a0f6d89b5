package io.firn.medium;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Files of one directory that are replaced together. */
class WholeFileTest {
    private static final int FILES = 4;

    private final SimulatedFileMedium medium = new SimulatedFileMedium();

    private static Path file(int number) {
        return Path.of("/file-" + number);
    }

    private static List<WholeFile.Replacement> all(String content) {
        List<WholeFile.Replacement> all = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            byte[] bytes = (content + i).getBytes(StandardCharsets.UTF_8);
            all.add(new WholeFile.Replacement(file(i), bytes));
        }
        return all;
    }

    /** Their order is free: here it is the reverse. */
    private static void backwards(List<Runnable> steps) {
        List<Runnable> reversed = new ArrayList<>(steps);
        Collections.reverse(reversed);
        reversed.forEach(Runnable::run);
    }

    private static IOException[] write(FileMedium medium, String content) throws IOException {
        return WholeFile.writeAll(medium, all(content), WholeFileTest::backwards);
    }

    private static String read(FileMedium medium, int number) throws IOException {
        byte[] bytes = WholeFile.read(medium, file(number), 1 << 20);
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    private static List<SimulatedFileMedium> crashes(SimulatedFileMedium medium) {
        List<SimulatedFileMedium> left = new ArrayList<>();
        for (int seed = 0; seed < 30; seed++) {
            left.add(medium.crash(Survival.random(seed)));
        }
        left.add(medium.crash(Survival.NONE));
        left.add(medium.crash(Survival.NAMES));
        left.add(medium.crash(Survival.BYTES));
        return left;
    }

    @Test
    void shouldBeOldOrNewEachByItselfAfterAPowerCutAtAnyOperation() throws IOException {
        write(medium, "old");
        List<SimulatedFileMedium> left = new ArrayList<>();
        medium.onOperation(number -> left.addAll(crashes(medium)));
        assertArrayEquals(new IOException[FILES], write(medium, "new"));
        medium.ignoreOperations();
        boolean isMixed = false;
        for (SimulatedFileMedium found : left) {
            int news = 0;
            for (int i = 0; i < FILES; i++) {
                String content = read(found, i);
                assertTrue(List.of("old" + i, "new" + i).contains(content), content);
                news += content.startsWith("new") ? 1 : 0;
            }
            isMixed |= news > 0 && news < FILES;
        }
        assertTrue(isMixed, "they do not depend on each other");
        for (SimulatedFileMedium found : crashes(medium)) {
            for (int i = 0; i < FILES; i++) {
                assertEquals("new" + i, read(found, i));
            }
        }
    }

    @Test
    void shouldForceTheDirectoryOnceForAll() throws IOException {
        write(medium, "old");
        int before = medium.history().size();
        write(medium, "new");
        List<String> since = medium.history().subList(before, medium.history().size());
        assertEquals(
                1,
                since.stream().filter(each -> each.matches(".*force.* /")).count(),
                since.toString());
    }

    @Test
    void shouldReplaceTheOthersAndTryAgainWhenAnyOperationOfOneFails() throws IOException {
        write(medium, "old");
        int before = medium.operations();
        write(medium.kill(), "new");
        int operations = 3 * FILES; // creating, writing and forcing them
        for (int failing = 1; failing <= operations; failing++) {
            int number = failing;
            SimulatedFileMedium found = medium.kill();
            found.faults().failOperations(each -> each == number);
            IOException[] failures = write(found, "new");
            for (int i = 0; i < FILES; i++) {
                assertNull(failures[i], "operation " + failing + " after " + before);
                for (SimulatedFileMedium crashed : crashes(found)) {
                    assertEquals("new" + i, read(crashed, i));
                }
            }
        }
    }

    @Test
    void shouldSayWhichFilesWereNotReplaced() throws IOException {
        write(medium, "old");
        FileMedium refusing =
                new FilterFileMedium(medium) {
                    @Override
                    public MediumFile create(Path file) throws IOException {
                        if (file.toString().contains("file-2")) {
                            throw new IOException("refused, on purpose");
                        }
                        return super.create(file);
                    }
                };
        IOException[] failures = write(refusing, "new");
        for (int i = 0; i < FILES; i++) {
            for (SimulatedFileMedium crashed : crashes(medium)) {
                assertEquals((i == 2 ? "old" : "new") + i, read(crashed, i));
            }
        }
        assertNotNull(failures[2]);
        failures[2] = null;
        assertArrayEquals(new IOException[FILES], failures);
    }
}
