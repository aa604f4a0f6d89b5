package io.firn.bench;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Describes the machine on which figures are measured. */
public final class Machine {
    private static final Path CPUINFO = Path.of("/proc/cpuinfo");
    private static final Path LOAD = Path.of("/proc/loadavg");

    private static final Path STATUS = Path.of("/proc/self/status");

    private Machine() {}

    /** Returns the model of the CPU and the number of cores. */
    public static String cpu() throws IOException {
        String model = System.getProperty("os.arch");
        if (Files.isReadable(CPUINFO)) {
            try (Stream<String> lines = Files.lines(CPUINFO)) {
                model =
                        lines.filter(line -> line.startsWith("model name"))
                                .map(line -> line.substring(line.indexOf(':') + 1).trim())
                                .findFirst()
                                .orElse(model);
            }
        }
        return model + ", " + Runtime.getRuntime().availableProcessors() + " cores";
    }

    /** Returns the load average. */
    public static String load() throws IOException {
        return Files.isReadable(LOAD) ? Files.readString(LOAD).trim().split(" ", 2)[0] : "unknown";
    }

    /** Returns a line of this process's status, such as RssAnon. */
    static String memory(String line) throws IOException {
        if (Files.isReadable(STATUS)) {
            for (String each : Files.readAllLines(STATUS)) {
                if (each.startsWith(line + ":")) {
                    return Long.parseLong(each.replaceAll("[^0-9]", "")) / 1024 + " MiB";
                }
            }
        }
        return "unknown";
    }

    /** Returns the kernel. */
    public static String system() {
        return System.getProperty("os.name") + " " + System.getProperty("os.version");
    }

    /** Returns the JVM and its version. */
    public static String jdk() {
        return System.getProperty("java.vm.name") + " " + Runtime.version();
    }

    /** Returns what a result depends on: the processor, the system, the JVM, and the load now. */
    static String now() throws IOException {
        return cpu() + "; " + system() + "; " + jdk() + "; load before " + load();
    }

    /** Returns the type of the file system that contains a directory. */
    public static String fileSystem(Path directory) throws IOException {
        FileStore store = Files.getFileStore(directory);
        return store.type() + " on " + store.name();
    }
}
