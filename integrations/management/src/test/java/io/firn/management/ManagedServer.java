package io.firn.management;

import io.firn.LogStore;
import io.firn.api.ObservedMedium;
import io.firn.file.FileTier;
import io.firn.server.FirnServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.UnaryOperator;

/** A server with a management listener, on a medium that a test can disturb. */
final class ManagedServer implements AutoCloseable {
    final ObservedMedium medium = new ObservedMedium();
    final LogStore store;
    final FirnServer server;

    ManagedServer(Path directory, Map<String, String> keys) throws IOException {
        this(directory, keys, builder -> builder);
    }

    ManagedServer(
            Path directory, Map<String, String> keys, UnaryOperator<FirnServer.Builder> options)
            throws IOException {
        store =
                LogStore.at(directory.resolve("store"))
                        .tier(FileTier.at(directory.resolve("tier")).withMedium(medium))
                        .open();
        FirnServer.Builder builder =
                FirnServer.of(store)
                        .set("listeners", "PLAINTEXT://127.0.0.1:0")
                        .set("management.listener", "http://127.0.0.1:0");
        keys.forEach(builder::set);
        try {
            server = options.apply(builder).start();
        } catch (IOException | RuntimeException e) {
            store.close();
            throw e;
        }
    }

    Socket connect() throws IOException {
        Socket socket = new Socket("127.0.0.1", server.managementUri().orElseThrow().getPort());
        socket.setSoTimeout(300_000);
        return socket;
    }

    /** Returns the response to a request without the last lines; empty if there is none. */
    String send(String request) throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return read(socket);
        }
    }

    static String read(Socket socket) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try {
            socket.getInputStream().transferTo(all);
        } catch (java.net.SocketException e) {
            return all.toString(StandardCharsets.UTF_8); // reset
        }
        return all.toString(StandardCharsets.UTF_8);
    }

    static String get(String path, String... headers) {
        StringBuilder request =
                new StringBuilder("GET " + path + " HTTP/1.1\r\nConnection: close\r\n");
        for (String each : headers) {
            request.append(each).append("\r\n");
        }
        return request + "\r\n";
    }

    String page(String path, String... headers) throws IOException {
        String[] all = new String[headers.length + 1];
        all[0] = "Host: localhost";
        System.arraycopy(headers, 0, all, 1, headers.length);
        return send(get(path, all));
    }

    int status(String path, String... headers) throws IOException {
        return statusOf(page(path, headers));
    }

    /** Returns the status of a response; 0 if the connection was closed without one. */
    static int statusOf(String response) {
        return response.startsWith("HTTP/1.1 ") ? Integer.parseInt(response.substring(9, 12)) : 0;
    }

    @Override
    public void close() {
        server.close();
        store.close();
    }
}
