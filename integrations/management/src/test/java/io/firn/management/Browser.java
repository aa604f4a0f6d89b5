package io.firn.management;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.firn.api.Waiting;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** Chromium without a window, driven by ChromeDriver over the W3C's WebDriver protocol. */
final class Browser implements AutoCloseable {
    private final ObjectMapper json = new ObjectMapper();
    private final HttpClient client = HttpClient.newHttpClient();
    private final Process driver;
    private final URI session;

    Browser(Path directory) throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        driver =
                new ProcessBuilder("chromedriver", "--port=" + port)
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("chromedriver.log").toFile())
                        .start();
        URI root = URI.create("http://127.0.0.1:" + port + "/");
        Waiting.await("ChromeDriver", () -> isThere(root));
        List<String> arguments =
                List.of(
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--hide-scrollbars",
                        "--disable-background-networking");
        Map<String, Object> wanted =
                Map.of(
                        "browserName", "chrome",
                        "goog:chromeOptions", Map.of("args", arguments),
                        "goog:loggingPrefs", Map.of("browser", "ALL"));
        JsonNode made =
                send(
                        root.resolve("session"),
                        Map.of("capabilities", Map.of("alwaysMatch", wanted)));
        session = root.resolve("session/" + made.at("/sessionId").asText() + "/");
    }

    private boolean isThere(URI root) {
        try {
            HttpRequest status = HttpRequest.newBuilder(root.resolve("status")).build();
            return client.send(status, BodyHandlers.ofString()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private JsonNode send(URI where, Map<String, ?> body) throws IOException {
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(where);
            if (body != null) {
                request.POST(BodyPublishers.ofString(json.writeValueAsString(body)));
            }
            JsonNode answer =
                    json.readTree(client.send(request.build(), BodyHandlers.ofString()).body());
            JsonNode value = answer.get("value");
            if (value.has("error")) {
                throw new AssertionError(value.get("message").asText());
            }
            return value;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void devTools(String command, Map<String, ?> parameters) throws IOException {
        send(session.resolve("goog/cdp/execute"), Map.of("cmd", command, "params", parameters));
    }

    /** Sets the size of the page, in points, and its colours. */
    void look(int width, int height, String scheme) throws IOException {
        devTools(
                "Emulation.setDeviceMetricsOverride",
                Map.of(
                        "width",
                        width,
                        "height",
                        height,
                        "deviceScaleFactor",
                        1,
                        "mobile",
                        width < 600));
        devTools(
                "Emulation.setEmulatedMedia",
                Map.of(
                        "features",
                        List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    void open(URI page) throws IOException {
        send(session.resolve("url"), Map.of("url", page.toString()));
    }

    /** Runs the body of a function in the page, and returns its result. */
    JsonNode run(String script, Object... arguments) throws IOException {
        return send(
                session.resolve("execute/sync"),
                Map.of("script", script, "args", List.of(arguments)));
    }

    /** Waits until an expression is true in the page. */
    void await(String expression) {
        Waiting.await(
                expression,
                () -> {
                    try {
                        return run("return Boolean(" + expression + ")").asBoolean();
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                });
    }

    /** Presses keys one after another; special ones by their number in the protocol. */
    void press(String... keys) throws IOException {
        List<Map<String, String>> actions = new ArrayList<>();
        for (String each : keys) {
            actions.add(Map.of("type", "keyDown", "value", each));
            actions.add(Map.of("type", "keyUp", "value", each));
        }
        send(
                session.resolve("actions"),
                Map.of(
                        "actions",
                        List.of(Map.of("type", "key", "id", "keys", "actions", actions))));
    }

    void picture(Path file) throws IOException {
        String base64 = send(session.resolve("screenshot"), null).asText();
        Files.write(file, Base64.getDecoder().decode(base64));
    }

    /** Returns errors of scripts, and what the policy or the network has refused. */
    List<String> errors() throws IOException {
        List<String> errors = new ArrayList<>();
        for (JsonNode each : send(session.resolve("se/log"), Map.of("type", "browser"))) {
            if (each.at("/level").asText().equals("SEVERE")) {
                errors.add(each.at("/message").asText());
            }
        }
        return errors;
    }

    @Override
    public void close() throws IOException {
        try {
            HttpRequest end = HttpRequest.newBuilder(session).DELETE().build();
            client.send(end, BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            driver.destroy();
            driver.onExit().join();
        }
    }
}
