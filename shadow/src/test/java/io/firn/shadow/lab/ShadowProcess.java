package io.firn.shadow.lab;

import io.firn.kafka.Children;
import io.firn.kafka.KafkaCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@code bin/firn shadow} as a process. */
final class ShadowProcess {
    private final String command;
    private final Path store;
    private final Path output;
    private final List<String> arguments;
    private Process process;
    private long outputBytes;

    ShadowProcess(String command, Path store, Path output, List<String> arguments) {
        this.command = command;
        this.store = store;
        this.output = output;
        this.arguments = List.copyOf(arguments);
    }

    void start(String... more) throws IOException {
        List<String> all = new ArrayList<>(List.of(command, "shadow", store.toString()));
        all.addAll(arguments);
        all.addAll(List.of(more));
        outputBytes = Files.exists(output) ? Files.size(output) : 0;
        process = Children.start(output, all);
    }

    /** Waits for its first line: then the store is open, and it begins to copy. */
    void awaitOutput() throws Exception {
        KafkaCluster.await(
                "the shadow", () -> Files.size(output) > outputBytes || !process.isAlive());
    }

    boolean isRunning() {
        return process.isAlive();
    }

    void kill() throws InterruptedException {
        Children.kill(process);
    }

    /** Runs it until it has all that the source has. */
    void catchUp() throws IOException, InterruptedException {
        start("--until-caught-up");
        int code = process.waitFor();
        if (code != 0) {
            throw new IllegalStateException("the shadow ended with " + code + ", see " + output);
        }
    }
}
