package io.firn.server;

import io.firn.LogStore;
import io.firn.file.FileTier;
import io.firn.server.config.ServerConfig;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A server whose clock is wrong by what a file in its directory says, and jumps when the file
 * changes: the arguments are those of {@link ServerMain} with {@code --override} only.
 */
final class JumpingServer {
    private static final String FILE = "clock";

    private static volatile long offMs;

    private JumpingServer() {}

    /** Sets the clock of the server in a directory, which may be running. */
    static void jump(Path directory, long ms) throws IOException {
        Path next = directory.resolve(FILE + ".new");
        Files.writeString(next, Long.toString(ms));
        Files.move(next, directory.resolve(FILE), java.nio.file.StandardCopyOption.ATOMIC_MOVE);
    }

    /** Serves until it is killed. */
    public static void main(String[] arguments) throws Exception {
        Map<String, String> settings = new LinkedHashMap<>();
        Arrays.stream(arguments)
                .filter(each -> !each.equals("--override"))
                .map(each -> each.split("=", 2))
                .forEach(each -> settings.put(each[0], each[1]));
        int port = port(settings.get("listeners"));
        settings.put("listeners", "PLAINTEXT://127.0.0.1:" + port);
        long start = System.nanoTime();
        ServerConfig config = ServerConfig.of(settings);
        Path file = config.directory().resolve(FILE);
        Files.createDirectories(config.directory());
        look(file);
        LogStore store =
                LogStore.at(config.directory().resolve("firn"))
                        .tier(FileTier.at(config.directory().resolve("tier")))
                        .clock(() -> System.currentTimeMillis() + offMs)
                        .open();
        var unused = FirnServer.of(store).config(config).start();
        System.err.printf(
                "Serving %s on 127.0.0.1:%d after %d ms.%n",
                config.directory(), port, (System.nanoTime() - start) / 1_000_000);
        while (true) {
            Thread.sleep(20);
            look(file);
        }
    }

    /** The server itself knows the port that is advertised, which may be that of a proxy. */
    private static int port(String listener) throws IOException {
        int asked = Integer.parseInt(listener.substring(listener.lastIndexOf(':') + 1));
        try (ServerSocket any = new ServerSocket(0)) {
            return asked == 0 ? any.getLocalPort() : asked;
        }
    }

    private static void look(Path file) throws IOException {
        if (Files.exists(file)) {
            offMs = Long.parseLong(Files.readString(file));
        }
    }
}
