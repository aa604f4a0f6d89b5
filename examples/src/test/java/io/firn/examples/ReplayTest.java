package io.firn.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReplayTest {
    private static final String NOTHING =
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    @TempDir private Path temp;
    private Path dir;
    private Path file;

    @BeforeEach
    void name() {
        dir = temp.resolve("log");
        file = temp.resolve("file");
    }

    @Test
    void shouldGiveBackEveryLine() throws IOException {
        Files.writeString(file, "first\n\nthird\r\nlast, without a newline");
        assertEqual(4, "--batch", 3);
    }

    @Test
    void shouldGiveBackALastLineWithItsNewline() throws IOException {
        Files.writeString(file, "\n\n");
        assertEqual(2);
    }

    @Test
    void shouldGiveBackNothingOfAnEmptyFile() throws IOException {
        Files.createFile(file);
        Ran ran = assertEqual(0);
        assertTrue(ran.out().contains("records  " + NOTHING), ran.out());
    }

    @Test
    void shouldGiveBackAnyBytes() throws IOException {
        byte[] bytes = new byte[300_000];
        new Random(1).nextBytes(bytes);
        Files.write(file, bytes);
        int lines =
                1 + (int) IntStream.range(0, bytes.length).filter(i -> bytes[i] == '\n').count();
        assertEqual(lines, "--durability", "written", "--batch", 7, "--compression", "gzip");
    }

    @Test
    void shouldGiveBackLinesThatAreLongerThanOneIsByDefault() throws IOException {
        byte[] bytes = new byte[5_000_000];
        Arrays.fill(bytes, (byte) 'x');
        bytes[10] = '\n';
        bytes[4_000_000] = '\n';
        Files.write(file, bytes);
        assertEqual(3);
    }

    @Test
    void shouldGoOnWhereTheLogEndsWhenTheWriterWasKilled() throws IOException {
        Files.writeString(
                file,
                IntStream.range(0, 200_000)
                        .mapToObj(i -> "line " + i)
                        .collect(Collectors.joining("\n")));
        Ran ran = assertEqual(200_000, "--kill", "--batch", 100);
        assertTrue(ran.out().contains("Killed the writer"), ran.out());
        Matcher there = Pattern.compile("again in .*: ([0-9,]+) records").matcher(ran.out());
        assertTrue(there.find(), ran.out());
        int survived = Integer.parseInt(there.group(1).replace(",", ""));
        assertTrue(survived >= 100_000 && survived < 200_000, ran.out());
    }

    @Test
    void shouldKillTheWriterOfATinyOrEmptyFileToo() throws IOException {
        Files.writeString(file, "one\ntwo\n");
        assertEqual(2, "--kill");
        Files.writeString(file, "");
        assertEqual(0, "--kill");
    }

    @Test
    void shouldTakeANewTopicForEachRun() throws IOException {
        Files.writeString(file, "one\n");
        assertTrue(assertEqual(1).out().contains("Topic replay-1 "));
        assertTrue(assertEqual(1).out().contains("Topic replay-2 "));
    }

    @Test
    void shouldRefuseWrongArguments() throws IOException {
        assertRefused("Missing required parameter: 'FILE'");
        assertRefused("there is no file " + file, file);
        assertRefused("FILE is a directory: " + temp, temp);
        assertRefused("must be a regular file", "/dev/null");
        Files.createFile(file);
        assertRefused("--batch must be at least 1, not 0", file, "--batch", 0);
        assertRefused("'maybe'", file, "--durability", "maybe");
        assertRefused("'rar'", file, "--compression", "rar");
        assertRefused("--dir is not a directory: " + file, file, "--dir", file);
    }

    private Ran assertEqual(int records, Object... options) throws IOException {
        Object[] arguments = Arrays.copyOf(options, options.length + 3);
        arguments[options.length] = "--dir";
        arguments[options.length + 1] = dir;
        arguments[options.length + 2] = file;
        Ran ran = Ran.command(new Replay(), arguments);
        assertEquals(0, ran.status(), () -> ran.out() + ran.err());
        assertTrue(ran.out().contains(String.format("Read %,d records", records)), ran.out());
        assertTrue(ran.out().lines().anyMatch("Equal."::equals), ran.out());
        return ran;
    }

    private static void assertRefused(String why, Object... arguments) {
        Ran ran = Ran.command(new Replay(), arguments);
        assertEquals(2, ran.status(), ran.out());
        assertTrue(ran.err().contains(why), ran.err());
    }
}
