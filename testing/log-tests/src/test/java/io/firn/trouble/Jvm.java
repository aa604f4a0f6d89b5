package io.firn.trouble;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another JVM like this one, which does something and says how it went, line by line. */
final class Jvm implements AutoCloseable {
    private final Process process;
    private final BufferedReader out;
    private final List<String> lines = new ArrayList<>();

    /** Starts the main of a class. */
    Jvm(Class<?> main, Object... arguments) throws IOException {
        this(List.of(), main, arguments);
    }

    /** Starts the main of a class with more options of the JVM. */
    Jvm(List<String> options, Class<?> main, Object... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC")); // starts in less time
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add(main.getName());
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        out =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    long pid() {
        return process.pid();
    }

    /** Reads on until it says this; fails when it ends before. */
    void await(String line) throws IOException {
        String next;
        while ((next = out.readLine()) != null) {
            lines.add(next);
            if (next.equals(line)) {
                return;
            }
        }
        throw new AssertionError("it did not say '" + line + "': " + lines);
    }

    /** Waits for its end, which must be a good one; returns what it said. */
    List<String> end() throws IOException, InterruptedException {
        String next;
        while ((next = out.readLine()) != null) {
            lines.add(next);
        }
        assertTrue(process.waitFor(HANGS_AFTER_S, TimeUnit.SECONDS), lines::toString);
        assertEquals(0, process.exitValue(), lines::toString);
        return lines;
    }

    /** Ends it the hard way. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
