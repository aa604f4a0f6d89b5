package io.firn.bench;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The conditions that figures depend on. */
final class Machine {
    private static final Path CPUINFO = Path.of("/proc/cpuinfo");
    private static final Path LOAD = Path.of("/proc/loadavg");

    private Machine() {}

    /** Model of the CPU and number of cores. */
    static String cpu() throws IOException {
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

    /** How busy it was before we came. */
    static String load() throws IOException {
        return Files.isReadable(LOAD) ? Files.readString(LOAD).trim().split(" ", 2)[0] : "unknown";
    }

    static String system() {
        return System.getProperty("os.name") + " " + System.getProperty("os.version");
    }

    static String jdk() {
        return System.getProperty("java.vm.name") + " " + Runtime.version();
    }

    /** The file system that a directory lies on. */
    static String fileSystem(Path directory) throws IOException {
        FileStore store = Files.getFileStore(directory);
        return store.type() + " on " + store.name();
    }
}
