package io.firn.bench.peers;

import io.firn.bench.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The conditions of the runs.
 *
 * @param shown in the order of the report
 * @param memory whether the file system is in memory, and nothing survives a power failure
 */
record Conditions(Map<String, String> shown, boolean memory) {
    private static final Path PRESSURE = Path.of("/proc/pressure/cpu");
    private static final List<String> IN_MEMORY = List.of("tmpfs", "ramfs");

    /** Returns the present conditions. */
    static Conditions now(Path directory, String commit, boolean quick) throws IOException {
        Map<String, String> shown = new LinkedHashMap<>();
        shown.put("CPU", Machine.cpu());
        shown.put("kernel", Machine.system());
        shown.put("JDK", Machine.jdk());
        shown.put("JVM flags", String.join(" ", Children.FLAGS));
        shown.put("file system", Machine.fileSystem(directory));
        shown.put("Firn", "commit " + commit);
        shown.put("length", quick ? "a quarter (--quick)" : "whole");
        shown.put(
                "CPU pressure before",
                Files.exists(PRESSURE)
                        ? Files.readAllLines(PRESSURE).get(0)
                        : "unknown: this kernel has no /proc/pressure/cpu");
        return new Conditions(shown, IN_MEMORY.contains(Files.getFileStore(directory).type()));
    }

    /** Returns the conditions that must be equal in all runs of a report. */
    Map<String, String> kept() {
        Map<String, String> kept = new LinkedHashMap<>(shown);
        kept.remove("CPU pressure before");
        return kept;
    }

    /** Returns the conditions for the terminal. */
    String lines() {
        StringBuilder lines = new StringBuilder();
        shown.forEach((name, value) -> lines.append(String.format("%-20s %s%n", name, value)));
        return lines.toString();
    }
}
