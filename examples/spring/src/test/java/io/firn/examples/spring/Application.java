package io.firn.examples.spring;

import static io.firn.api.Waiting.await;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.api.Waiting;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The application as a process of its own, over HTTP. */
final class Application implements AutoCloseable {
    private static final Pattern PORT = Pattern.compile("started on port (\\d+)");

    private final Process process;
    private final Path log;
    private final HttpClient client = HttpClient.newHttpClient();
    private int port;

    private Application(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /** Begins to start it on the store in a directory. */
    static Application launch(Path directory, Path log) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-XX:+UseSerialGC");
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(OrdersApplication.class.getName());
        command.add("--server.port=0");
        command.add("--firn.server.port=0");
        command.add("--firn.directory=" + directory);
        return new Application(
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start(),
                log);
    }

    Application awaitStart() {
        await(
                () -> "the start: " + log(),
                () -> {
                    if (!process.isAlive()) {
                        throw new AssertionError("it ended: " + log());
                    }
                    Matcher matcher = PORT.matcher(log());
                    if (matcher.find()) {
                        port = Integer.parseInt(matcher.group(1));
                    }
                    return port > 0 && log().contains("Started OrdersApplication");
                });
        return this;
    }

    String log() {
        try {
            return Files.readString(log, UTF_8);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    String get(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(at(path)).build();
        HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
        return answer.body();
    }

    /** Returns the answer to an order; null if there was none. */
    String order(String customer, int amount) throws InterruptedException {
        String json = String.format("{\"customer\":\"%s\",\"amount\":%d}", customer, amount);
        HttpRequest request =
                HttpRequest.newBuilder(at("/orders"))
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(json))
                        .build();
        try {
            HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
            return answer.statusCode() == 200 ? answer.body() : null;
        } catch (IOException e) {
            return null; // it was killed
        }
    }

    private URI at(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** Returns the exit code. */
    int terminate() throws InterruptedException {
        process.destroy();
        return awaitEnd();
    }

    int awaitEnd() throws InterruptedException {
        Waiting.end(process);
        return process.exitValue();
    }

    @Override
    public void close() {
        kill();
    }
}
