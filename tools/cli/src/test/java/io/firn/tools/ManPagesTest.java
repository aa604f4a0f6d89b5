package io.firn.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pages for {@code man}. */
class ManPagesTest {
    @TempDir Path directory;

    @BeforeEach
    void write() throws IOException {
        ManPages.main(new String[] {directory.toString(), "1.2.3"});
    }

    private List<Path> pages() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.sorted().toList();
        }
    }

    @Test
    void shouldDescribeACommandAsItsHelpDoes() throws IOException {
        String page = Files.readString(directory.resolve("firn-topics-create.1"));
        for (String part :
                List.of(
                        ".TH \"FIRN-TOPICS-CREATE\" 1 \"\" \"Firn 1.2.3\" \"Firn\"",
                        "firn\\-topics\\-create \\- Creates a topic",
                        "(\\-\\-store=DIR | \\-\\-server=HOST:PORT)",
                        ".B \\-\\-partitions=N\nHow many. Default: 1\n",
                        "2 an argument is wrong",
                        ".BR firn\\-topics (1)")) {
            assertTrue(page.contains(part), part + " in:\n" + page);
        }
    }

    @Test
    void shouldHaveAPageForEachCommand() throws IOException {
        String all = Files.readString(directory.resolve("firn.1"));
        for (Path each : pages()) {
            String name = each.getFileName().toString().replaceFirst("\\.1$", "");
            if (name.matches("firn-[a-z]+")) {
                assertTrue(all.contains(".BR " + name.replace("-", "\\-") + " (1)"), name);
            }
        }
        assertTrue(pages().size() > 20, pages().toString());
    }

    @Test
    void shouldBeAcceptedByTroff() throws IOException, InterruptedException {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/groff")), "no groff");
        List<String> command = Stream.of("groff", "-man", "-ww", "-b", "-z", "-Tutf8").toList();
        Process groff =
                new ProcessBuilder(
                                Stream.concat(
                                                command.stream(),
                                                pages().stream().map(Path::toString))
                                        .toList())
                        .redirectErrorStream(true)
                        .start();
        String said = new String(groff.getInputStream().readAllBytes(), UTF_8);
        assertEquals("", said);
        assertEquals(0, groff.waitFor());
    }
}
