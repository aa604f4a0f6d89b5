package io.firn.bench.peers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Starts the JVM of each run, all with the same heap and collector, in an empty directory. */
final class Children implements AutoCloseable {
    /** The flags of every JVM. */
    static final List<String> FLAGS =
            List.of(
                    "-Xms512m",
                    "-Xmx512m",
                    "-XX:+UseG1GC",
                    "-XX:-UsePerfData", // else it is a file in /tmp, written to at each safepoint
                    "-Djava.awt.headless=true");

    private static final int TIMEOUT_SECONDS = 120;

    private final Path parent;
    private final String peersClassPath;
    private final boolean quick;
    private final ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor();
    private volatile Process running;

    /**
     * Creates the starter.
     *
     * @param parent the directory of the logs
     * @param peersClassPath the class path of what is apart; empty if it could not be obtained
     * @param quick whether runs are short
     */
    Children(Path parent, String peersClassPath, boolean quick) {
        this.parent = parent;
        this.peersClassPath = peersClassPath;
        this.quick = quick;
    }

    /** Runs a cell once; throws with the last lines of the output if the run failed. */
    Map<String, String> run(Cell cell) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory(parent, "firn-peers-");
        try {
            if (cell.scenario() == Scenario.REOPEN) {
                execute(cell, directory, ReopenWork.READY);
            }
            return execute(cell, directory, null);
        } finally {
            Trees.delete(directory);
            Trees.delete(Trees.inMemory(directory.resolve("log")));
        }
    }

    private Map<String, String> execute(Cell cell, Path directory, String killAt)
            throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(command(cell, directory)).redirectErrorStream(true).start();
        running = process;
        ScheduledFuture<?> timeout =
                watch.schedule(process::destroyForcibly, TIMEOUT_SECONDS, TimeUnit.SECONDS);
        Map<String, String> figures = new TreeMap<>();
        String why = "no output";
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(Child.FIGURE)) {
                    int equals = line.indexOf('=');
                    figures.put(
                            line.substring(Child.FIGURE.length(), equals),
                            line.substring(equals + 1));
                } else if (line.equals(killAt)) {
                    Thread.sleep(100); // it appends
                    process.destroyForcibly().waitFor();
                    return figures;
                }
                why = isReason(why) ? why : line;
            }
            int exit = process.waitFor();
            if (exit != 0 || killAt != null) {
                throw new IOException("exit code " + exit + ": " + why.trim());
            }
            return figures;
        } finally {
            timeout.cancel(false);
            process.destroyForcibly().waitFor();
        }
    }

    /** The first line that names an exception says more than the last one. */
    static boolean isReason(String line) {
        return line.contains("Exception") || line.contains("Error");
    }

    private List<String> command(Cell cell, Path directory) {
        List<String> command = java(cell.peer().family(), peersClassPath, Child.class);
        command.add(cell.scenario().name());
        command.add(cell.peer().name());
        command.add(Integer.toString(cell.bytes()));
        command.add(directory.toString());
        command.add(Boolean.toString(quick));
        return command;
    }

    /** Returns the command of a JVM, without the arguments of its program. */
    static List<String> java(Family family, String peersClassPath, Class<?> program) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(FLAGS);
        if (Runtime.version().feature() >= 24 && family != Family.FIRN) {
            command.add("--enable-native-access=ALL-UNNAMED");
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.addAll(family.flags());
        String classPath = System.getProperty("java.class.path");
        command.add("-cp");
        command.add(family.isApart() ? peersClassPath + ":" + classPath : classPath);
        command.add(program.getName());
        return command;
    }

    /** Ends what is running, when the command is interrupted. */
    @Override
    public void close() {
        watch.shutdownNow();
        Process process = running;
        if (process != null) {
            process.destroyForcibly();
        }
    }
}
