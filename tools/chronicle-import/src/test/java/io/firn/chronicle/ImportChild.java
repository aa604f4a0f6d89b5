package io.firn.chronicle;

import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.file.FileTier;
import io.firn.tools.Firn;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An import in a JVM of its own, which can be killed. */
final class ImportChild {
    private ImportChild() {}

    /** Starts an import, as the script does. */
    static Process start(Path queue, Path store, String topic, Path log, String... more)
            throws IOException {
        List<String> arguments =
                new ArrayList<>(
                        List.of("import", "chronicle", queue.toString(), store.toString(), topic));
        arguments.addAll(List.of(more));
        return java(Firn.class.getName(), arguments.toArray(String[]::new))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    /** A JVM with the class path and the options of this one that Chronicle Queue needs. */
    static ProcessBuilder java(String mainClass, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(each -> each.startsWith("--") || each.startsWith("-Dchronicle"))
                .forEach(command::add);
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command);
    }

    /** Waits until the topic has a number of records, or the import ends; looks from outside. */
    static void awaitRecords(Process child, Path store, String topic, long records)
            throws InterruptedException {
        while (child.isAlive() && records(store, topic) < records) {
            Thread.sleep(1);
        }
    }

    /** The number of records in a store that is being written, or was; 0 when there is none. */
    private static long records(Path directory, String topic) throws InterruptedException {
        FileTier tier = FileTier.at(directory.resolve("segments"));
        try (LogReader store = LogStore.at(directory).tier(tier).openReadOnly()) {
            return store.hasTopic(topic) ? store.openTopic(topic).partition(0).visibleOffset() : 0;
        } catch (io.firn.FirnException e) {
            return 0; // not there yet
        }
    }
}
