package io.firn.tools;

import io.firn.LogStore;
import io.firn.file.FileTier;
import io.firn.server.FirnServer;
import io.firn.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A store that no process has open, and one that is served: what holds for both. */
final class Served {
    private Served() {}

    /** Runs something with the arguments that name a store, then with those that name a server. */
    static void both(Path directory, Consumer<List<String>> test) throws IOException {
        open(directory.resolve("closed")).close();
        test.accept(List.of("--store", directory.resolve("closed").toString()));
        Path log = directory.resolve("served");
        try (LogStore store = open(log);
                FirnServer server =
                        FirnServer.of(store)
                                .config(
                                        ServerConfig.of(
                                                Map.of(
                                                        "listeners",
                                                        "PLAINTEXT://127.0.0.1:0",
                                                        "log.dir",
                                                        log.toString())))
                                .start()) {
            test.accept(List.of("--server", server.bootstrapServers()));
        }
    }

    private static LogStore open(Path directory) {
        return LogStore.at(directory).tier(FileTier.at(directory.resolve("segments"))).open();
    }
}
