package io.firn.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HelloLogTest {
    @TempDir private Path temp;

    @Test
    void shouldGoOnWhereItEndedWhenRunAgain() {
        Path dir = temp.resolve("hello");
        Ran first = Ran.command(new HelloLog(), "--dir", dir, "--records", 3);
        assertEquals(0, first.status(), first.err());
        assertContains("is empty", first.out());
        assertContains("  3  ", first.out());
        assertContains("7 records, read and printed", first.out());
        assertContains(dir.resolve("store").toString(), first.out());

        Ran second = Ran.command(new HelloLog(), "--dir", dir, "--records", 1);
        assertEquals(0, second.status(), second.err());
        assertContains("holds 7 records from before", second.out());
        assertContains("offset 7: durable after", second.out());
        assertContains("as one batch, offsets 9 to 11", second.out());
        assertContains("5 records, read and printed", second.out());
    }

    @Test
    void shouldExplainItself() {
        Ran help = Ran.command(new HelloLog(), "--help");
        assertEquals(0, help.status());
        assertContains("--dir=DIR", help.out());
        assertContains("--records=N", help.out());
    }

    @Test
    void shouldRefuseWrongArguments() throws IOException {
        Path file = Files.createFile(temp.resolve("file"));
        assertRefused("--records must be at least 1, not 0", "--records", 0);
        assertRefused("'many' is not an int", "--records", "many");
        assertRefused("Unknown options: '--dri', 'x'", "--dri", "x");
        assertRefused("--dir is not a directory: " + file, "--dir", file);
    }

    @Test
    void shouldSayWhyAStoreCannotBeOpened() throws IOException {
        Files.writeString(temp.resolve("store"), "somebody else's\n");
        Ran ran = Ran.command(new HelloLog(), "--dir", temp);
        assertEquals(1, ran.status());
        assertContains("the store " + temp + " cannot be opened", ran.err());
    }

    @Test
    void shouldRefuseADefaultDirectoryThatSomebodyElseHasPrepared() throws IOException {
        Path own = OwnDirectory.at(temp.resolve("own"));
        assertEquals(own, OwnDirectory.at(own));
        Path link = Files.createSymbolicLink(temp.resolve("link"), own);
        String refusal = assertThrows(IOException.class, () -> OwnDirectory.at(link)).getMessage();
        assertContains(link + ": is a link", refusal);
        Path foreign = Files.createDirectory(temp.resolve("foreign"));
        try {
            Files.setAttribute(foreign, "unix:uid", 65_534);
        } catch (FileSystemException | UnsupportedOperationException e) {
            Assumptions.abort("only root can give a directory away: " + e);
        }
        refusal = assertThrows(IOException.class, () -> OwnDirectory.at(foreign)).getMessage();
        assertContains(foreign + ": belongs to ", refusal);
    }

    private static void assertRefused(String why, Object... arguments) {
        Ran ran = Ran.command(new HelloLog(), arguments);
        assertEquals(2, ran.status());
        assertContains(why, ran.err());
    }

    private static void assertContains(String expected, String text) {
        assertTrue(text.contains(expected), text);
    }
}
