package io.firn.tools;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.InvalidOptionException;
import io.firn.medium.FileMedium;
import io.firn.server.config.ConfigKey;
import io.firn.server.config.ConfigType;
import io.firn.server.config.ServerConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Reader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The files of an archive for a bug report. What cannot be had is a file that says why. */
final class BundleContents {
    private static final Duration WAIT = Duration.ofSeconds(10);
    private static final String HIDDEN = "[hidden]";
    private static final Pattern PID = Pattern.compile("pid ([0-9]+)");
    private static final Pattern SECRET =
            Pattern.compile(
                    "(?i)((?:password|passwd|secret|token|credential)[a-z.]*[\"']?\\s*[=:]\\s*)"
                            + "(?:\"[^\"]*\"|'[^']*'|[^\\s,;]+)");

    private final Map<String, Part> all = new LinkedHashMap<>();

    /** A file of the archive. */
    record Part(String what, byte[] bytes) {}

    /** Makes the text of a file. */
    private interface Text {
        String make() throws IOException;
    }

    /** Returns the files by their names. */
    Map<String, Part> all() {
        return all;
    }

    private void add(String name, String what, Text text) {
        String made;
        try {
            made = text.make();
        } catch (IOException | UncheckedIOException | InvalidOptionException e) {
            made = "not available: " + e + "\n";
        }
        all.put(name, new Part(what, made.getBytes(UTF_8)));
    }

    void versions() {
        add(
                "versions.txt",
                "Firn, Java and system",
                () -> {
                    StringBuilder text = new StringBuilder();
                    text.append(new Firn.Version().getVersion()[0]).append('\n');
                    text.append("time ").append(Instant.now()).append('\n');
                    for (String each :
                            List.of(
                                    "java.vm.name",
                                    "java.runtime.version",
                                    "os.name",
                                    "os.version",
                                    "os.arch")) {
                        text.append(each + " " + System.getProperty(each) + "\n");
                    }
                    Runtime runtime = Runtime.getRuntime();
                    text.append("processors " + runtime.availableProcessors() + "\n");
                    return text.toString();
                });
    }

    /** Adds the answers of other commands. */
    void commands(Path store, List<Path> directories, List<String> options) {
        List<String> place = new ArrayList<>(List.of("--store", store.toString()));
        place.addAll(options);
        List<String> paths = directories.stream().map(Path::toString).toList();
        command("doctor.txt", "firn doctor", List.of("doctor"), paths);
        command("stat.txt", "firn stat, with findings", List.of("stat", "--segments"), place);
        command("topics.txt", "firn topics list", List.of("topics", "list"), place);
        command("verify.txt", "firn verify", List.of("verify"), paths);
    }

    private void command(String name, String what, List<String> words, List<String> more) {
        add(
                name,
                what,
                () -> {
                    List<String> line = new ArrayList<>(words);
                    line.addAll(more);
                    StringWriter text = new StringWriter();
                    PrintWriter out = new PrintWriter(text);
                    int exitCode = Firn.run(out, out, line.toArray(String[]::new));
                    return text + "exit code " + exitCode + "\n";
                });
    }

    /** Adds the names and sizes of all files. */
    void files(List<Path> directories) {
        add(
                "files.txt",
                "names, sizes and times of the files",
                () -> {
                    TreeSet<String> lines = new TreeSet<>();
                    for (Path directory : directories) {
                        try (Stream<Path> walk = Files.walk(directory)) {
                            walk.forEach(each -> lines.add(line(each)));
                        }
                    }
                    return String.join("\n", lines) + "\n";
                });
    }

    private static String line(Path path) {
        try {
            return path + "  " + Files.size(path) + "  " + Files.getLastModifiedTime(path);
        } catch (IOException e) {
            return path + "  " + e; // just deleted
        }
    }

    /** Adds the threads of the process that has the store open. */
    void process(Path store) {
        add(
                "threads.txt",
                "threads of the process that has the store open",
                () -> {
                    String holder = FileMedium.real().holder(store.resolve("lock"));
                    Matcher pid = PID.matcher(holder == null ? "" : holder);
                    if (!pid.find()) {
                        return "no process of this machine has the store open\n";
                    }
                    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
                    return holder + "\n" + run(jcmd.toString(), pid.group(1), "Thread.print", "-l");
                });
    }

    private static String run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), UTF_8);
        try {
            if (!process.waitFor(WAIT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return text;
    }

    /** Adds a server's configuration, and what it says on its management listener. */
    void server(Path file) throws IOException {
        Properties given = new Properties();
        try (Reader in = Files.newBufferedReader(file)) {
            given.load(in);
        }
        add(
                "server.properties",
                "the configuration, without secrets",
                () -> {
                    StringBuilder text = new StringBuilder();
                    for (String name : new TreeSet<>(given.stringPropertyNames())) {
                        String value = given.getProperty(name);
                        text.append(name + "=" + (isShown(name) ? value : HIDDEN) + "\n");
                    }
                    return text.toString();
                });
        for (String each : List.of("metrics", "health/ready", "health/live")) {
            add(
                    each.replace('/', '-') + ".txt",
                    "/" + each + " of the management listener",
                    () -> get(ServerConfig.read(file), each));
        }
    }

    /** Only values of keys that are known to be no secrets. */
    private static boolean isShown(String name) {
        ConfigKey key = ServerConfig.key(name);
        return key != null
                && key.type() != ConfigType.PASSWORD
                && !name.matches(".*(password|jaas|secret|token|credential).*");
    }

    private static String get(ServerConfig config, String path) throws IOException {
        var listener = config.management().orElse(null);
        if (listener == null) {
            return "there is no management.listener\n";
        }
        HttpRequest.Builder request =
                HttpRequest.newBuilder(
                                URI.create(
                                        (listener.isEncrypted() ? "https://" : "http://")
                                                + listener.endpoint().host()
                                                + ":"
                                                + listener.endpoint().port()
                                                + "/"
                                                + path))
                        .timeout(WAIT);
        if (config.has("management.password")) {
            String user = config.text("management.user") + ":" + config.text("management.password");
            String encoded = Base64.getEncoder().encodeToString(user.getBytes(UTF_8));
            request.header("Authorization", "Basic " + encoded);
        }
        try {
            HttpResponse<String> answer =
                    HttpClient.newBuilder()
                            .connectTimeout(WAIT)
                            .build()
                            .send(request.build(), HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() + "\n" + answer.body();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Adds the last lines of a log. */
    void log(Path file, int most) {
        add(
                "log.txt",
                "the last lines of " + file,
                () -> {
                    Deque<String> last = new ArrayDeque<>();
                    // Any bytes are text in it.
                    try (Stream<String> lines = Files.lines(file, ISO_8859_1)) {
                        lines.forEach(
                                each -> {
                                    last.add(each);
                                    if (last.size() > most) {
                                        last.remove();
                                    }
                                });
                    }
                    String text = String.join("\n", last) + "\n";
                    return SECRET.matcher(new String(text.getBytes(ISO_8859_1), UTF_8))
                            .replaceAll("$1" + Matcher.quoteReplacement(HIDDEN));
                });
    }
}
