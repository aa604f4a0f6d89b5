package io.firn.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.annotation.concurrent.GuardedBy;

/** {@code firn-server} in a JVM of its own, to be killed without a warning. */
final class ServerProcess implements AutoCloseable {
    private static final Pattern SERVING =
            Pattern.compile("Serving .* on [^ ]*:(\\d+) after (\\d+) ms\\.");

    private static final String USES = "Uses ";
    private static final int LAST_LINES = 50;

    /** The last lines that it has printed, of all starts. */
    @GuardedBy("lastLines")
    private final Deque<String> lastLines = new ArrayDeque<>();

    private final List<String> outOfMemory = new CopyOnWriteArrayList<>();
    private final Class<?> program;
    private final Path directory;
    private final String protocol;
    private final Map<String, String> settings;

    /** How many it may have open; 0 for as many as this process. */
    private final int descriptors;

    private volatile String uses = "";
    private Process process;

    /** Whether this process has ended it, so that its end is none to report. */
    private boolean isEnded;

    private int port;
    private long startMs;

    ServerProcess(Path directory, Map<String, String> settings) throws IOException {
        this(directory, "PLAINTEXT", settings);
    }

    /** With another main class, which takes the same arguments. */
    ServerProcess(Class<?> program, Path directory, Map<String, String> settings)
            throws IOException {
        this(program, directory, "PLAINTEXT", settings, 0);
    }

    /** With so many descriptors. */
    ServerProcess(Path directory, Map<String, String> settings, int descriptors)
            throws IOException {
        this(ServerMain.class, directory, "PLAINTEXT", settings, descriptors);
    }

    ServerProcess(Path directory, String protocol, Map<String, String> settings)
            throws IOException {
        this(ServerMain.class, directory, protocol, settings, 0);
    }

    private ServerProcess(
            Class<?> program,
            Path directory,
            String protocol,
            Map<String, String> settings,
            int descriptors)
            throws IOException {
        this.descriptors = descriptors;
        this.program = program;
        this.directory = directory;
        this.protocol = protocol;
        this.settings = new TreeMap<>(settings);
        start();
    }

    /** Starts it, on the port that it had before, and waits until it serves. */
    void start() throws IOException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "-Xmx128m",
                                "-XX:+ExitOnOutOfMemoryError", // as bin/firn server
                                "-cp",
                                System.getProperty("java.class.path"),
                                program.getName(),
                                "--override",
                                "listeners=" + protocol + "://127.0.0.1:" + port,
                                "--override",
                                "log.dir=" + directory));
        if (descriptors > 0) {
            String limited = "ulimit -n " + descriptors + "; exec \"$@\"";
            command.addAll(0, List.of("sh", "-c", limited, "sh"));
        }
        settings.forEach((key, value) -> command.addAll(List.of("--override", key + "=" + value)));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        builder.environment().remove("JDK_JAVA_OPTIONS");
        uses = "";
        process = builder.start();
        isEnded = false;
        BufferedReader words = process.inputReader(StandardCharsets.UTF_8);
        String line;
        while ((line = words.readLine()) != null) {
            note(line);
            Matcher serving = SERVING.matcher(line);
            if (serving.matches()) {
                port = Integer.parseInt(serving.group(1));
                startMs = Long.parseLong(serving.group(2));
                drain(words);
                return;
            }
        }
        isEnded = true; // what follows says so
        awaitEnd(); // it has closed its output
        throw new IOException("the server did not start: " + this);
    }

    /** It would stop at a full pipe. */
    private void drain(BufferedReader words) {
        Thread reader =
                new Thread(
                        () -> {
                            try (words) {
                                String line;
                                while ((line = words.readLine()) != null) {
                                    note(line);
                                }
                            } catch (IOException e) {
                                return; // killed
                            }
                        },
                        "words");
        reader.setDaemon(true);
        reader.start();
    }

    private void note(String line) {
        synchronized (lastLines) {
            if (lastLines.size() == LAST_LINES) {
                lastLines.removeFirst();
            }
            lastLines.addLast(line);
        }
        if (line.contains("OutOfMemoryError")) {
            outOfMemory.add(line);
        } else if (line.startsWith(USES)) {
            uses = line;
        }
    }

    /** Returns what it has said of memory that it had not, since it was first started. */
    List<String> outOfMemory() {
        return outOfMemory;
    }

    /** Returns what it uses, if it is a {@link ReadingServer}; empty before it has said so. */
    String uses() {
        return uses;
    }

    int port() {
        return port;
    }

    /** Returns the number of the process that runs now. */
    long pid() {
        return process.pid();
    }

    /** Changes a setting, for the next start. */
    void set(String key, String value) {
        settings.put(key, value);
    }

    String bootstrapServers() {
        return "127.0.0.1:" + port;
    }

    /** From the first line of its main class to the first client that it would let in. */
    long startMs() {
        return startMs;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Ends it as a power switch would end the process. */
    void kill() throws InterruptedException {
        checkRuns();
        isEnded = true;
        process.destroyForcibly();
        process.waitFor();
    }

    /** Ends it as a user does, and fails if it had ended by itself. */
    @Override
    public void close() {
        checkRuns();
        isEnded = true;
        process.destroy();
        awaitEnd();
    }

    private void checkRuns() {
        if (!isEnded && !process.isAlive()) {
            isEnded = true; // reported once
            throw new IllegalStateException("the server has ended by itself: " + this);
        }
    }

    private void awaitEnd() {
        try {
            if (!process.waitFor(Running.HANGS_AFTER_S, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** Returns whether it runs, its exit code if it does not, and what it has printed last. */
    @Override
    public String toString() {
        String state = process.isAlive() ? "runs" : "has the exit code " + process.exitValue();
        synchronized (lastLines) {
            return "process "
                    + process.pid()
                    + " "
                    + state
                    + (lastLines.isEmpty()
                            ? " and has printed nothing"
                            : " and has printed last\n" + String.join("\n", lastLines));
        }
    }
}
