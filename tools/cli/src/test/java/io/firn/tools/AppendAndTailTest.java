package io.firn.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records that are appended and shown, in a store and on a server. */
class AppendAndTailTest {
    @TempDir Path directory;

    private static String fine(List<String> place, Object... arguments) {
        Run run = run(place, arguments);
        assertEquals(Exit.FINE, run.exitCode(), run.toString());
        assertEquals("", run.err());
        return run.out();
    }

    private static Run run(List<String> place, Object... arguments) {
        List<Object> all = new ArrayList<>(List.of(arguments));
        all.addAll(place);
        return Run.firn(all.toArray());
    }

    private Path file(String name, String text) {
        try {
            return Files.writeString(directory.resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What tail shows, without the times. */
    private static String shown(String lines) {
        return lines.replaceAll("  \\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z  ", " ");
    }

    @Test
    void shouldShowWhatWasAppended() throws IOException {
        Path keyed = file("keyed", "a=1\nb=2=3\n");
        Path escapes = file("escapes", "\u001b[31mred");
        Served.both(
                directory,
                place -> {
                    fine(place, "topics", "create", "orders");
                    String counts =
                            fine(
                                    place,
                                    "append",
                                    "orders",
                                    keyed,
                                    "--key-separator==",
                                    "--header=from=test",
                                    "--json");
                    assertEquals("{\"appended\":[{\"partition\":0,\"records\":2}]}\n", counts);
                    fine(place, "append", "orders", escapes, "--whole", "--key=c");

                    assertEquals(
                            """
                            0:0 a  1  from=test
                            0:1 b  2=3  from=test
                            0:2 c  \\x1b[31mred
                            """,
                            shown(fine(place, "tail", "orders")));
                    assertEquals(
                            "0:2 c  \\x1b[31mred\n", shown(fine(place, "tail", "orders", "-n1")));
                    assertEquals(
                            "0:1 b  2=3  from=test\n",
                            shown(fine(place, "tail", "orders", "--from=earliest", "--key=b")));
                    assertEquals(
                            2,
                            fine(place, "tail", "orders", "--from=1h", "--header=from=test")
                                    .lines()
                                    .count());
                    assertEquals("", fine(place, "tail", "orders", "--from=2099-01-01"));
                    String json = fine(place, "tail", "orders", "--from=1", "--json", "--text");
                    assertTrue(json.contains("\"key\":\"b\",\"value\":\"2=3\""), json);
                    assertEquals(2, json.lines().count());
                    Path exported = directory.resolve("exported" + place.get(0));
                    fine(place, "export", "orders", "--format=LINES", "--output", exported);
                    assertEquals("1\n2=3\n\u001b[31mred\n", read(exported));
                });
    }

    @Test
    void shouldKeepTheLinesBeforeOneThatIsRefused() throws IOException {
        Path lines = file("lines", "a:1\nb\n");
        Served.both(
                directory,
                place -> {
                    fine(place, "topics", "create", "orders");
                    Run run = run(place, "append", "orders", lines, "--key-separator=:");
                    assertEquals(Exit.MISUSED, run.exitCode(), run.toString());
                    assertEquals(
                            lines
                                    + ", line 2: a key, ':' and a value are expected, found"
                                    + " 'b'\n",
                            run.err());
                    assertEquals("0:0 a  1\n", shown(fine(place, "tail", "orders")));
                });
    }

    @Test
    void shouldNameWhatDoesNotExist() throws IOException {
        Served.both(
                directory,
                place -> {
                    for (Run run :
                            List.of(
                                    run(place, "tail", "orders"),
                                    run(place, "append", "orders", file("f", "x")),
                                    run(place, "tail", "orders", "--from=soon"))) {
                        assertEquals(Exit.MISUSED, run.exitCode(), run.toString());
                    }
                    fine(place, "topics", "create", "orders");
                    Run run = run(place, "tail", "orders", "--partition=1");
                    assertEquals(Exit.MISUSED, run.exitCode(), run.toString());
                });
    }

    @Test
    void shouldEscapeBytesThatAreNotText() {
        byte[] bytes = "a\u0007é".getBytes(UTF_8);
        bytes[0] = (byte) 0xFF;
        assertEquals("\\xff\\x07é", Escapes.printable(bytes));
        assertEquals("\\n\\r\\t", Escapes.printable("\n\r\t"));
        // What reverses the order of characters, or is not seen.
        assertEquals("a\\u202eb\\u200b\\u2028", Escapes.printable("a\u202eb\u200b\u2028"));
        assertEquals("\ud83d\ude00\u200d", Escapes.printable("\ud83d\ude00\u200d"));
    }
}
