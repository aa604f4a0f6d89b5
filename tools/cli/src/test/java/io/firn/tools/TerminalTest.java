package io.firn.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What a person sees. */
class TerminalTest {
    private static final Path SCRIPT = Path.of("/usr/bin/script");
    private static final int COLUMNS = 60;

    /** Runs a command on a terminal of its own. */
    private static String onTerminal(String environment) throws IOException, InterruptedException {
        Assumptions.assumeTrue(Files.isExecutable(SCRIPT), "no script");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String command =
                "stty cols %d; %s '%s' -XX:TieredStopAtLevel=1 -cp '%s' %s stat --help"
                        .formatted(
                                COLUMNS,
                                environment,
                                java,
                                System.getProperty("java.class.path"),
                                Firn.class.getName());
        Process process =
                new ProcessBuilder(SCRIPT.toString(), "-qec", command, "/dev/null")
                        .redirectErrorStream(true)
                        .start();
        process.getOutputStream().close();
        String text = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertEquals(0, process.waitFor(), text);
        return text;
    }

    private static void assertFits(String text) {
        List<String> lines = text.replaceAll("\u001b\\[[0-9;]*m", "").lines().toList();
        assertTrue(lines.size() > 20, text);
        lines.forEach(each -> assertTrue(each.length() <= COLUMNS, each));
    }

    @Test
    void shouldHaveColoursAndTheWidthOfTheTerminal() throws Exception {
        String text = onTerminal("env TERM=xterm");
        assertTrue(text.contains("\u001b["), text);
        assertFits(text);
    }

    @Test
    void shouldHaveNoColoursWhereTheUserWantsNone() throws Exception {
        String text = onTerminal("env TERM=xterm NO_COLOR=1");
        assertFalse(text.contains("\u001b["), text);
        assertFits(text);
    }
}
