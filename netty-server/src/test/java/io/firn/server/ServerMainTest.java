package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.medium.FileMedium;
import io.firn.server.security.ScramUsers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.security.scram.ScramCredential;
import org.apache.kafka.common.security.scram.internals.ScramMechanism;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a newcomer sees who starts the server, rightly and wrongly. */
class ServerMainTest {
    private static final String ANY_PORT = "listeners=PLAINTEXT://127.0.0.1:0";

    @TempDir Path directory;

    private Process start(String... arguments) throws IOException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "-Xmx128m",
                                "-cp",
                                System.getProperty("java.class.path"),
                                ServerMain.class.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(said().toFile());
        if (Runtime.version().feature() >= 24) {
            command.add(1, "--enable-native-access=ALL-UNNAMED"); // as bin/firn server does
        }
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        builder.environment().remove("JDK_JAVA_OPTIONS");
        return builder.start();
    }

    private Path said() {
        return directory.resolve("said");
    }

    private List<String> words() {
        try {
            return Files.readAllLines(said(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /**
     * Waits until it serves, and returns what it has said up to then: a later look may find more.
     * The line may be read while it is being written.
     */
    private List<String> awaitServing(Process process) {
        List<String> said = new ArrayList<>();
        Running.await(
                "it to serve",
                () -> {
                    boolean ended = !process.isAlive(); // before the look, which then finds all
                    said.clear();
                    said.addAll(words());
                    int serving = serving(said);
                    if (serving >= 0) {
                        said.subList(serving + 1, said.size()).clear();
                    }
                    return serving >= 0 || ended;
                });
        assertTrue(serving(said) >= 0, "it ended: " + said);
        return said;
    }

    private static String addressIn(List<String> said) {
        return said.get(said.size() - 1).replaceAll(".* on ([^ ]*) after.*", "$1");
    }

    private static int serving(List<String> said) {
        for (int i = 0; i < said.size(); i++) {
            if (said.get(i).startsWith("Serving ") && said.get(i).endsWith(" ms.")) {
                return i;
            }
        }
        return -1;
    }

    /** Starts it with something wrong; it is to end by itself. */
    private String refusal(String... arguments) throws Exception {
        Process process = start(arguments);
        try {
            assertTrue(process.waitFor(Running.HANGS_AFTER_S, TimeUnit.SECONDS), "it goes on");
            assertTrue(Set.of(2, 3).contains(process.exitValue()), words().toString());
        } finally {
            process.destroyForcibly();
        }
        List<String> words = words();
        String last = words.get(words.size() - 1);
        assertTrue(last.startsWith("firn-server: "), words.toString());
        return last;
    }

    @Test
    void shouldSayWhatItServesAndNothingThatNobodyAskedFor() throws Exception {
        Process process = start("--override", ANY_PORT);
        try {
            List<String> words = awaitServing(process);
            words.removeIf(line -> line.startsWith("Warning: ")); // of this machine
            assertEquals(4, words.size(), words.toString());
            assertTrue(words.get(0).contains("what is forced survives"), words.toString());
            assertTrue(words.get(1).contains("to Kafka clients on 127.0.0.1:"), words.toString());
            assertTrue(words.get(2).matches("Firn .* on Java .*"), words.toString());
            assertTrue(words.get(3).startsWith("Serving "), words.toString());
            assertTrue(Files.exists(directory.resolve("data/firn")));

            Path saidByThat = directory.resolve("said-by-the-first");
            Files.move(said(), saidByThat);
            String locked = refusal("--override", ANY_PORT);
            assertTrue(locked.contains("pid " + process.pid()), locked);
        } finally {
            process.destroy();
            assertTrue(process.waitFor(Running.HANGS_AFTER_S, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldSayWhatIsWrongAndChangeNothing() throws Exception {
        String key = refusal("--override", "log.segmnt.bytes=1");
        assertTrue(key.contains("did you mean 'log.segment.bytes'?"), key);
        String file = refusal("nowhere.properties");
        assertTrue(file.contains("the file nowhere.properties does not exist"), file);
        String open = refusal("--override", "listeners=PLAINTEXT://0.0.0.0:0");
        assertTrue(open.contains("firn.insecure.listeners"), open);
        String keys =
                refusal(
                        "--override",
                        "listeners=SSL://127.0.0.1:0",
                        "--override",
                        "ssl.keystore.location=nowhere.p12");
        assertTrue(keys.contains("nowhere.p12"), keys);
        String directories = refusal("--override", "log.dirs=");
        assertTrue(directories.contains("log.dirs must be one directory"), directories);
        String name = refusal("--add-user", " ");
        assertTrue(name.contains("--add-user: expected a name"), name);
        assertFalse(Files.exists(directory.resolve("data")));
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            String where = "127.0.0.1:" + taken.getLocalPort();
            String port = refusal("--override", "listeners=PLAINTEXT://" + where);
            assertTrue(port.contains("cannot listen on " + where), port);
            assertTrue(port.contains("in use"), port);
        }
    }

    /** Java warns of native code and of deprecated classes when they are first used. */
    @Test
    void shouldPrintNoWarningWhenClientsUseEveryCodec() throws Exception {
        Process process = start("--override", ANY_PORT);
        try {
            List<String> words = awaitServing(process);
            Map<String, Object> client = new HashMap<>();
            client.put("bootstrap.servers", addressIn(words));
            NewTopic compacted =
                    new NewTopic("t", 1, (short) 1).configs(Map.of("cleanup.policy", "compact"));
            try (Admin admin = Admin.create(client)) {
                admin.createTopics(List.of(compacted)).all().get();
                for (String codec : List.of("gzip", "snappy", "lz4", "zstd")) {
                    client.put("compression.type", codec);
                    try (KafkaProducer<String, String> producer =
                            new KafkaProducer<>(
                                    client, new StringSerializer(), new StringSerializer())) {
                        producer.send(new ProducerRecord<>("t", codec, "v".repeat(1_000))).get();
                    }
                }
                TopicPartition partition = new TopicPartition("t", 0);
                admin.listOffsets(Map.of(partition, OffsetSpec.forTimestamp(0))).all().get();
            }
        } finally {
            process.destroy();
            assertTrue(process.waitFor(Running.HANGS_AFTER_S, TimeUnit.SECONDS));
        }
        List<String> others =
                words().stream()
                        .filter(
                                line ->
                                        !line.matches(
                                                "[-0-9]+ [:0-9]+ INFO .*|(Firn|Warning:|Serving) .*"))
                        .toList();
        assertEquals(List.of(), others);
    }

    @Test
    void shouldWarnOfRecordsThatAreNotForcedAndOfListenersThatAreOpen() throws Exception {
        Process process =
                start(
                        "--override",
                        ANY_PORT,
                        "--override",
                        "firn.durability=written",
                        "--override",
                        "firn.insecure.listeners=true");
        try {
            String words = awaitServing(process).toString();
            assertTrue(words.contains("Warning: firn.durability=written"), words);
            assertTrue(words.contains("Warning: firn.insecure.listeners=true"), words);
        } finally {
            process.destroy();
            assertTrue(process.waitFor(Running.HANGS_AFTER_S, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldAddAUserToAClosedStoreWhoThenSignsIn() throws Exception {
        Process adding = start("--add-user", "alice");
        try (var in = adding.getOutputStream()) {
            in.write("alices-s3cret\n".getBytes(StandardCharsets.UTF_8));
        }
        assertTrue(adding.waitFor(Running.HANGS_AFTER_S, TimeUnit.SECONDS));
        assertEquals(0, adding.exitValue(), words().toString());
        assertFalse(words().toString().contains("s3cret"), words().toString());
        Process process =
                start(
                        "--override", // which comes first does not matter
                        "listener.name.sasl_plaintext.sasl.enabled.mechanisms=SCRAM-SHA-512",
                        "--override",
                        "listeners=SASL_PLAINTEXT://127.0.0.1:0",
                        "--override",
                        "super.users=User:alice");
        try {
            List<String> words = awaitServing(process);
            Map<String, Object> client =
                    Map.of(
                            "bootstrap.servers",
                            addressIn(words),
                            "security.protocol",
                            "SASL_PLAINTEXT",
                            "sasl.mechanism",
                            "SCRAM-SHA-512",
                            "sasl.jaas.config",
                            "org.apache.kafka.common.security.scram.ScramLoginModule required"
                                    + " username=\"alice\" password=\"alices-s3cret\";");
            try (Admin admin = Admin.create(client)) {
                assertEquals(
                        Set.of(),
                        admin.listTopics().names().get(Running.HANGS_AFTER_S, TimeUnit.SECONDS));
                // The first administrator.
                admin.describeUserScramCredentials()
                        .all()
                        .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            }
            Files.move(said(), directory.resolve("said-by-the-server"));
            String open = refusal("--add-user", "bob");
            assertTrue(open.contains("pid " + process.pid()), open);
        } finally {
            process.destroy();
            assertTrue(process.waitFor(Running.HANGS_AFTER_S, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldAddNoUserWhenThereAreAsManyAsThereMayBe() throws Exception {
        Map<ScramUsers.User, ScramCredential> many = new HashMap<>();
        for (int i = 0; i < ScramUsers.MOST - 1; i++) {
            many.put(
                    new ScramUsers.User("user-" + i, ScramMechanism.SCRAM_SHA_256),
                    new ScramCredential(new byte[16], new byte[32], new byte[32], 4_096));
        }
        FileMedium medium = FileMedium.real();
        Path server = directory.resolve("data/firn/server");
        medium.createDirectories(server);
        assertTrue(ScramUsers.open(medium, server.resolve("security")).change(many));
        Process adding = start("--add-user", "alice"); // two credentials
        try (var in = adding.getOutputStream()) {
            in.write("alices-s3cret\n".getBytes(StandardCharsets.UTF_8));
        }
        assertTrue(adding.waitFor(Running.HANGS_AFTER_S, TimeUnit.SECONDS));
        assertEquals(3, adding.exitValue(), words().toString());
        List<String> words = words();
        String last = words.get(words.size() - 1);
        assertTrue(last.contains("expected at most 20000 credentials"), last);
        assertEquals(
                ScramUsers.MOST - 1,
                ScramUsers.open(medium, server.resolve("security")).all().size());
    }

    @Test
    void shouldSayEverythingInLinesOfJsonWhereThatIsWanted() throws Exception {
        Process process = start("--log-format", "json", "--override", ANY_PORT);
        try {
            Running.await(
                    "it to serve",
                    () ->
                            !process.isAlive()
                                    || words().stream()
                                            .anyMatch(each -> each.contains("Serving ")));
        } finally {
            process.destroy();
            process.waitFor();
        }
        List<String> words = words();
        String field = "\"([ -!#-\\[\\]-~]|\\\\[\"\\\\]|\\\\u[0-9a-f]{4})*\"";
        for (String each : words) {
            boolean isOfLibrary = each.startsWith("SLF4J: "); // it has no binding here
            assertTrue(
                    isOfLibrary
                            || each.matches(
                                    "\\{\"time\":\"[0-9T:.-]+Z\",\"level\":\"(INFO|WARNING)\",\"logger\":"
                                            + field
                                            + ",\"message\":"
                                            + field
                                            + "}"),
                    each);
        }
        assertTrue(
                words.stream().anyMatch(each -> each.contains("to Kafka clients on")),
                words::toString);
        Process refused = start("--log-format", "xml");
        assertEquals(2, refused.waitFor());
        assertTrue(words().toString().contains("expected text or json, found 'xml'"));
    }

    @Test
    void shouldKnowItsVersion() throws Exception {
        String version = new ServerMain.Version().getVersion()[0];
        assertTrue(version.matches("Firn [0-9]+\\.[0-9]+\\.[0-9]+.*"), version);
    }
}
