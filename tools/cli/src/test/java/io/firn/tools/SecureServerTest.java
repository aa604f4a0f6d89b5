package io.firn.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore;
import io.firn.file.FileTier;
import io.firn.server.FirnServer;
import io.firn.server.config.ServerConfig;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code --server} with TLS and SASL: what works, and what is said when something is wrong. */
class SecureServerTest {
    private static final String PASSWORD = "of-a-test";

    @TempDir private static Path directory;
    private static LogStore store;
    private static FirnServer secure;
    private static FirnServer plain;
    private static LogStore plainStore;

    @BeforeAll
    static void start() throws Exception {
        keytool(
                "server",
                "-genkeypair",
                "-keyalg",
                "EC",
                "-dname",
                "CN=s",
                "-ext",
                "san=ip:127.0.0.1");
        keytool("server", "-exportcert", "-rfc", "-file", directory.resolve("cert").toString());
        keytool(
                "trusted",
                "-importcert",
                "-noprompt",
                "-file",
                directory.resolve("cert").toString());
        keytool("other", "-genkeypair", "-keyalg", "EC", "-dname", "CN=other");
        Path data = directory.resolve("data");
        addUser(data);
        store = open(data.resolve("firn"), data.resolve("segments"));
        secure =
                start(
                        store,
                        data,
                        Map.of(
                                "listeners",
                                "SASL_SSL://127.0.0.1:0",
                                "sasl.enabled.mechanisms",
                                "SCRAM-SHA-512",
                                "super.users",
                                "User:alice",
                                "ssl.keystore.location",
                                directory.resolve("server.p12").toString(),
                                "ssl.keystore.type",
                                "PKCS12",
                                "ssl.keystore.password",
                                PASSWORD));
        Path other = directory.resolve("plain");
        plainStore = open(other.resolve("firn"), other.resolve("segments"));
        plain = start(plainStore, other, Map.of("listeners", "PLAINTEXT://127.0.0.1:0"));
    }

    private static LogStore open(Path directory, Path segments) {
        return LogStore.at(directory).tier(FileTier.at(segments)).open();
    }

    private static FirnServer start(LogStore store, Path data, Map<String, String> config)
            throws IOException {
        Map<String, String> all = new HashMap<>(config);
        all.put("log.dir", data.toString());
        return FirnServer.of(store).config(ServerConfig.of(all)).start();
    }

    private static void keytool(String file, String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(arguments));
        command.addAll(List.of("-alias", "it", "-storetype", "PKCS12", "-storepass", PASSWORD));
        command.addAll(List.of("-keystore", directory.resolve(file + ".p12").toString()));
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(keytool.getInputStream().readAllBytes(), UTF_8);
        assertEquals(0, keytool.waitFor(), said);
    }

    private static void addUser(Path data) {
        InputStream in = System.in;
        System.setIn(new ByteArrayInputStream((PASSWORD + "\n").getBytes(UTF_8)));
        try {
            Run run = Run.firn("server", "--override", "log.dir=" + data, "--add-user", "alice");
            assertEquals(Exit.FINE, run.exitCode(), run.toString());
        } finally {
            System.setIn(in);
        }
    }

    @AfterAll
    static void stop() {
        secure.close();
        store.close();
        plain.close();
        plainStore.close();
    }

    private static Path config(String name, Map<String, String> changes) throws IOException {
        Map<String, String> all = new HashMap<>();
        all.put("security.protocol", "SASL_SSL");
        all.put("ssl.truststore.location", directory.resolve("trusted.p12").toString());
        all.put("ssl.truststore.password", PASSWORD);
        all.put("ssl.truststore.type", "PKCS12");
        all.put("sasl.mechanism", "SCRAM-SHA-512");
        all.put("sasl.jaas.config", jaas(PASSWORD));
        all.putAll(changes);
        StringBuilder text = new StringBuilder();
        all.forEach((key, value) -> text.append(key + "=" + value + "\n"));
        return Files.writeString(directory.resolve(name), text);
    }

    private static String jaas(String password) {
        return "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"alice\""
                + (" password=\"" + password + "\";");
    }

    private static Run run(FirnServer server, Path config, Object... arguments) {
        List<Object> all = new ArrayList<>(List.of(arguments));
        all.add("--server=" + server.bootstrapServers());
        if (config != null) {
            all.add("--command-config=" + config);
        }
        return Run.firn(all.toArray());
    }

    private static String fine(Path config, Object... arguments) {
        Run run = run(secure, config, arguments);
        assertEquals(Exit.FINE, run.exitCode(), run.toString());
        return run.out();
    }

    @Test
    void shouldWorkOnAServerWithTlsAndSasl() throws IOException {
        Path config = config("right", Map.of());
        fine(config, "topics", "create", "orders");
        Path lines = Files.writeString(directory.resolve("lines"), "a\nb\n");
        fine(config, "append", "orders", lines);
        assertEquals(2, fine(config, "tail", "orders").lines().count());
        fine(config, "groups", "reset", "billing", "--topic=orders", "--to=1", "--execute");
        String groups = fine(config, "groups", "describe", "billing", "--json");
        assertTrue(groups.contains("\"lagRecords\":1"), groups);
        assertTrue(fine(config, "stat").contains("orders"));
    }

    /** Each command connects in another way. */
    private static void assertFails(
            FirnServer server, Map<String, String> changes, String... expected) throws IOException {
        Path config = changes == null ? null : config("wrong", changes);
        Path lines = Files.writeString(directory.resolve("lines"), "a\n");
        for (Run run :
                List.of(
                        run(server, config, "topics", "list"),
                        run(server, config, "groups", "list"),
                        run(server, config, "append", "orders", lines),
                        run(server, config, "tail", "orders"))) {
            assertEquals(Exit.FAILED, run.exitCode(), run.toString());
            for (String each : expected) {
                assertTrue(run.err().contains(each), run.err());
            }
        }
    }

    @Test
    void shouldSayThatThePasswordIsWrong() throws IOException {
        assertFails(
                secure,
                Map.of("sasl.jaas.config", jaas("guessed")),
                "does not accept the credentials",
                "sasl.jaas.config");
    }

    @Test
    void shouldSayThatTheCertificateIsNotTrusted() throws IOException {
        assertFails(
                secure,
                Map.of("ssl.truststore.location", directory.resolve("other.p12").toString()),
                "certificate",
                "ssl.truststore.location");
    }

    @Test
    void shouldSayThatTheServerSpeaksTls() throws IOException {
        assertFails(secure, null, "security.protocol");
        assertFails(secure, Map.of("security.protocol", "SASL_PLAINTEXT"), "security.protocol");
    }

    @Test
    void shouldSayThatTheServerDoesNotSpeakTls() throws IOException {
        assertFails(plain, Map.of("security.protocol", "SSL"), "security.protocol");
    }
}
