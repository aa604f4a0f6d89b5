package io.firn.server;

import static org.apache.kafka.common.security.scram.internals.ScramMechanism.SCRAM_SHA_256;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.InvalidOptionException;
import io.firn.medium.FileMedium;
import io.firn.server.security.ScramUsers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.PasswordCallback;
import javax.security.sasl.SaslClient;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialAlteration;
import org.apache.kafka.clients.admin.UserScramCredentialDeletion;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.DuplicateResourceException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.ResourceNotFoundException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.UnacceptableCredentialException;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.SaslAuthenticateRequestData;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeRequestData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.security.scram.ScramCredential;
import org.apache.kafka.common.security.scram.internals.ScramSaslClient;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kafka's clients by SASL, users, and peers that do not play by the rules. */
class SaslTest {
    private static final String PASSWORD = "alices-s3cret";
    private static final String JAAS =
            "org.apache.kafka.common.security.plain.PlainLoginModule required"
                    + " user_alice=\"alices-s3cret\" user_bob=\"bobs-s3cret\";";
    private static final String SHA_256 = "SCRAM-SHA-256";

    @TempDir Path directory;

    private Running start(Map<String, String> settings) throws Exception {
        Map<String, String> all = new HashMap<>();
        all.put("listeners", "SASL_PLAINTEXT://127.0.0.1:0,PLAINTEXT://127.0.0.1:0");
        all.put("sasl.enabled.mechanisms", "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512");
        all.put("listener.name.sasl_plaintext.plain.sasl.jaas.config", JAAS);
        all.put("super.users", "User:ANONYMOUS;User:alice;User:bob;User:carol");
        all.put("connection.failed.authentication.delay.ms", "0");
        all.putAll(settings);
        return new Running(directory, all);
    }

    private static Map<String, Object> client(
            Running running, String listener, String mechanism, String name, String password) {
        String module =
                mechanism.equals("PLAIN") ? "plain.PlainLoginModule" : "scram.ScramLoginModule";
        Map<String, Object> all = running.client(listener, Map.of());
        all.put("security.protocol", listener);
        all.put("sasl.mechanism", mechanism);
        all.put(
                "sasl.jaas.config",
                "org.apache.kafka.common.security."
                        + module
                        + " required username=\""
                        + name
                        + "\" password=\""
                        + password
                        + "\";");
        return all;
    }

    private static Admin local(Running running) {
        return Admin.create(running.client("PLAINTEXT", Map.of()));
    }

    private static <T> T get(org.apache.kafka.common.KafkaFuture<T> future) throws Exception {
        return future.get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
    }

    private static UserScramCredentialUpsertion user(
            String name, ScramMechanism mechanism, String password) {
        return new UserScramCredentialUpsertion(
                name, new ScramCredentialInfo(mechanism, 4_096), password);
    }

    private static void alter(Running running, UserScramCredentialAlteration... changes)
            throws Exception {
        try (Admin admin = local(running)) {
            get(admin.alterUserScramCredentials(List.of(changes)).all());
        }
    }

    /** Such a server would otherwise be rid neither of a user nor of a password that is known. */
    @Test
    void shouldDeleteUsersAndReplacePasswordsWhenThereAreAsManyAsThereMayBe() throws Exception {
        Map<ScramUsers.User, ScramCredential> many = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            many.put(
                    new ScramUsers.User("user-" + i, SCRAM_SHA_256),
                    new ScramCredential(new byte[16], new byte[32], new byte[32], 4_096));
        }
        FileMedium medium = FileMedium.real();
        Path server = directory.resolve("store").resolve("server");
        medium.createDirectories(server);
        ScramUsers.open(medium, server.resolve("security")).change(many);
        try (Running running = start(Map.of())) {
            ScramMechanism mechanism = ScramMechanism.SCRAM_SHA_256;
            alter(running, user("user-1", mechanism, PASSWORD));
            ExecutionException e =
                    assertThrows(
                            ExecutionException.class,
                            () -> alter(running, user("alice", mechanism, PASSWORD)));
            assertInstanceOf(PolicyViolationException.class, e.getCause());
            alter(running, new UserScramCredentialDeletion("user-2", mechanism));
            alter(running, user("alice", mechanism, PASSWORD));
            alter(
                    running,
                    new UserScramCredentialDeletion("user-3", mechanism),
                    user("bob", mechanism, PASSWORD));
            e =
                    assertThrows(
                            ExecutionException.class,
                            () -> alter(running, user("carol", mechanism, PASSWORD)));
            assertInstanceOf(PolicyViolationException.class, e.getCause());
        }
    }

    private static void addAlice(Running running) throws Exception {
        alter(
                running,
                user("alice", ScramMechanism.SCRAM_SHA_256, PASSWORD),
                user("alice", ScramMechanism.SCRAM_SHA_512, PASSWORD));
    }

    private static void roundTrip(Map<String, Object> client, String topic) throws Exception {
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(client, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(topic, "first"))
                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
        }
        Map<String, Object> member = new HashMap<>(client);
        member.put("group.id", "of-" + topic);
        member.put("auto.offset.reset", "earliest");
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(member, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            assertEquals("first", Running.read(consumer, 1).get(0).value());
        }
    }

    private static void assertRefused(Map<String, Object> client) {
        try (Admin admin = Admin.create(client)) {
            Throwable cause =
                    assertThrows(ExecutionException.class, () -> get(admin.listTopics().names()))
                            .getCause();
            assertTrue(cause instanceof SaslAuthenticationException, cause.toString());
            assertTrue(cause.getMessage().contains("invalid credentials"), cause.getMessage());
        }
    }

    // ---- clients

    @Test
    void shouldServeKafkasClientsByEachMechanismEncryptedAndPlain() throws Exception {
        TestKeys keys = TestKeys.make(directory, "server");
        Map<String, String> both = new HashMap<>(keys.keystore());
        both.put(
                "listeners",
                "PLAINTEXT://127.0.0.1:0,SASL_PLAINTEXT://127.0.0.1:0,SASL_SSL://127.0.0.1:0");
        both.put("listener.name.sasl_ssl.plain.sasl.jaas.config", JAAS);
        Path trusted = TestKeys.trusting(directory, keys);
        try (Running running = start(both)) {
            addAlice(running);
            for (String listener : List.of("SASL_PLAINTEXT", "SASL_SSL")) {
                for (String mechanism : List.of("PLAIN", SHA_256, "SCRAM-SHA-512")) {
                    Map<String, Object> client =
                            client(running, listener, mechanism, "alice", PASSWORD);
                    client.putAll(TestKeys.truststore(trusted));
                    roundTrip(client, listener + "-" + mechanism);
                }
            }
        }
    }

    @Test
    void shouldRefuseAWrongPasswordAnUnknownUserAndOneOfAnotherMechanism() throws Exception {
        try (Running running = start(Map.of())) {
            alter(running, user("carol", ScramMechanism.SCRAM_SHA_512, PASSWORD));
            for (String mechanism : List.of("PLAIN", SHA_256, "SCRAM-SHA-512")) {
                for (String name : List.of("alice", "nobody")) {
                    assertRefused(client(running, "SASL_PLAINTEXT", mechanism, name, "wrong"));
                }
            }
            assertRefused(client(running, "SASL_PLAINTEXT", SHA_256, "carol", PASSWORD));
            assertRefused(client(running, "SASL_PLAINTEXT", "PLAIN", "carol", PASSWORD));
            roundTrip(client(running, "SASL_PLAINTEXT", "SCRAM-SHA-512", "carol", PASSWORD), "t");
        }
    }

    /** Its feature is SaslHandshake 0; it uses version 1. */
    @Test
    void shouldAdvertiseWhatLibrdkafkaLooksForAndRefuseItByAnAnswer() throws Exception {
        try (Running running = start(Map.of());
                Wire wire = new Wire(running.server())) {
            var versions =
                    wire.ask(
                            ApiKeys.API_VERSIONS,
                            2,
                            new ApiVersionsRequestData(),
                            new ApiVersionsResponseData());
            var shown = versions.apiKeys().find(ApiKeys.SASL_HANDSHAKE.id);
            assertEquals(0, shown.minVersion());
            assertEquals(1, shown.maxVersion());
            var old =
                    wire.ask(
                            ApiKeys.SASL_HANDSHAKE,
                            0,
                            new SaslHandshakeRequestData().setMechanism("PLAIN"),
                            new SaslHandshakeResponseData());
            assertEquals(Errors.UNSUPPORTED_VERSION.code(), old.errorCode());
            assertTrue(wire.isClosedByServer());
        }
    }

    // ---- users

    @Test
    void shouldChangeUsersAsKafkaDoesAndKnowThemAfterARestart() throws Exception {
        try (Running running = start(Map.of())) {
            addAlice(running);
            alter(running, user("bob", ScramMechanism.SCRAM_SHA_256, "old-s3cret"));
            alter(running, user("bob", ScramMechanism.SCRAM_SHA_256, "new-s3cret"));
            alter(running, new UserScramCredentialDeletion("alice", ScramMechanism.SCRAM_SHA_512));
            running.restart();
            roundTrip(client(running, "SASL_PLAINTEXT", SHA_256, "bob", "new-s3cret"), "bobs");
            roundTrip(client(running, "SASL_PLAINTEXT", SHA_256, "alice", PASSWORD), "alices");
            assertRefused(client(running, "SASL_PLAINTEXT", SHA_256, "bob", "old-s3cret"));
            assertRefused(client(running, "SASL_PLAINTEXT", "SCRAM-SHA-512", "alice", PASSWORD));
            try (Admin admin = local(running)) {
                var all = get(admin.describeUserScramCredentials().all());
                assertEquals(java.util.Set.of("alice", "bob"), all.keySet());
                assertEquals(
                        List.of(new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4_096)),
                        all.get("alice").credentialInfos());
            }
        }
    }

    private static void assertFails(
            Class<? extends Exception> expected,
            Running running,
            UserScramCredentialAlteration... changes)
            throws Exception {
        ExecutionException e =
                assertThrows(ExecutionException.class, () -> alter(running, changes));
        assertEquals(expected, e.getCause().getClass());
    }

    @Test
    void shouldRefuseChangesAsKafkaDoes() throws Exception {
        try (Running running = start(Map.of())) {
            var few =
                    new UserScramCredentialUpsertion(
                            "dave",
                            new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 100),
                            "x");
            var many =
                    new UserScramCredentialUpsertion(
                            "dave",
                            new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 20_000),
                            "x");
            assertFails(UnacceptableCredentialException.class, running, few);
            assertFails(UnacceptableCredentialException.class, running, many);
            assertFails(
                    UnacceptableCredentialException.class,
                    running,
                    user("", ScramMechanism.SCRAM_SHA_256, "x"));
            assertFails(
                    ResourceNotFoundException.class,
                    running,
                    new UserScramCredentialDeletion("dave", ScramMechanism.SCRAM_SHA_256));
            assertFails(
                    DuplicateResourceException.class,
                    running,
                    user("dave", ScramMechanism.SCRAM_SHA_256, "x"),
                    user("dave", ScramMechanism.SCRAM_SHA_256, "y"));
            try (Admin admin = local(running)) {
                assertEquals(Map.of(), get(admin.describeUserScramCredentials().all()));
            }
        }
    }

    @Test
    void shouldKeepSecretsFromOthersOfTheMachineAndFromAdministrators() throws Exception {
        try (Running running = start(Map.of())) {
            addAlice(running);
            Path secrets = directory.resolve("store/server/security");
            assertEquals(
                    PosixFilePermissions.fromString("rwx------"),
                    Files.getPosixFilePermissions(secrets));
            assertEquals(
                    PosixFilePermissions.fromString("rw-------"),
                    Files.getPosixFilePermissions(secrets.resolve("users")));
            assertFalse(Files.readString(secrets.resolve("users")).contains(PASSWORD));
            try (Admin admin = local(running)) {
                ConfigResource node = new ConfigResource(ConfigResource.Type.BROKER, "1");
                Config config = get(admin.describeConfigs(List.of(node)).all()).get(node);
                assertEquals(
                        List.of(),
                        config.entries().stream()
                                .filter(each -> String.valueOf(each.value()).contains("s3cret"))
                                .toList());
            }
        }
    }

    @Test
    void shouldSayWhatIsWrongWithItsUsersAndNoSecret() {
        for (String jaas :
                List.of(
                        "PlainLoginModule user_alice=\"s3cret\"",
                        "org.apache.kafka.common.security.plain.PlainLoginModule required;",
                        "org.example.OtherModule required user_alice=\"s3cret\";",
                        "com.sun.security.auth.module.JndiLoginModule required a=\"s3cret\";")) {
            String key = "listener.name.sasl_plaintext.plain.sasl.jaas.config";
            InvalidOptionException e =
                    assertThrows(
                            InvalidOptionException.class,
                            () -> start(Map.of(key, jaas)).close(),
                            jaas);
            assertTrue(e.getMessage().startsWith(key), e.getMessage());
            assertFalse(e.getMessage().contains("s3cret"), e.getMessage());
        }
        assertThrows(
                InvalidOptionException.class,
                () -> start(Map.of("sasl.enabled.mechanisms", "")).close());
    }

    // ---- peers that do not play by the rules

    private static SaslHandshakeResponseData handshake(Wire wire, String mechanism)
            throws IOException {
        return wire.ask(
                ApiKeys.SASL_HANDSHAKE,
                1,
                new SaslHandshakeRequestData().setMechanism(mechanism),
                new SaslHandshakeResponseData());
    }

    private static SaslAuthenticateResponseData authenticate(Wire wire, byte[] said)
            throws IOException {
        return wire.ask(
                ApiKeys.SASL_AUTHENTICATE,
                2,
                new SaslAuthenticateRequestData().setAuthBytes(said),
                new SaslAuthenticateResponseData());
    }

    private static byte[] plain(String name, String password) {
        return ("\0" + name + "\0" + password).getBytes(StandardCharsets.UTF_8);
    }

    private static void signIn(Wire wire, String name, String password) throws IOException {
        assertEquals(0, handshake(wire, "PLAIN").errorCode());
        assertEquals(0, authenticate(wire, plain(name, password)).errorCode());
    }

    private static void askForMetadata(Wire wire) throws IOException {
        wire.ask(ApiKeys.METADATA, 12, new MetadataRequestData(), new MetadataResponseData());
    }

    private static SaslClient scram(String name, String password) throws Exception {
        return new ScramSaslClient(
                org.apache.kafka.common.security.scram.internals.ScramMechanism.SCRAM_SHA_256,
                all -> {
                    for (Callback each : all) {
                        if (each instanceof NameCallback asked) {
                            asked.setName(name);
                        } else if (each instanceof PasswordCallback asked) {
                            asked.setPassword(password.toCharArray());
                        }
                    }
                });
    }

    @Test
    void shouldReadNothingElseBeforeAuthentication() throws Exception {
        try (Running running = start(Map.of())) {
            addAlice(running);
            int port = running.server().port();
            for (byte[] each :
                    List.of(
                            Wire.request(ApiKeys.METADATA, (short) 12, new MetadataRequestData()),
                            Wire.request(
                                    ApiKeys.FETCH,
                                    (short) Asks.FETCH,
                                    Asks.fetch("orders", 0, 0, 1_000)),
                            Asks.produceBytes("orders", 0, Asks.ALL, Asks.batch(new byte[10])))) {
                try (Wire wire = new Wire(port)) {
                    var versions =
                            wire.ask(
                                    ApiKeys.API_VERSIONS,
                                    2,
                                    new ApiVersionsRequestData(),
                                    new ApiVersionsResponseData());
                    assertEquals(0, versions.errorCode());
                    assertEquals(0, handshake(wire, SHA_256).errorCode());
                    byte[] first = scram("alice", PASSWORD).evaluateChallenge(new byte[0]);
                    assertEquals(0, authenticate(wire, first).errorCode()); // half of the way
                    wire.send(each);
                    assertTrue(wire.isClosedByServer());
                }
            }
            try (Wire wire = new Wire(port)) {
                assertEquals(
                        Errors.UNSUPPORTED_SASL_MECHANISM.code(),
                        handshake(wire, "GSSAPI").errorCode());
                assertTrue(wire.isClosedByServer());
            }
            try (Wire wire = new Wire(port)) {
                assertEquals(
                        Errors.ILLEGAL_SASL_STATE.code(),
                        authenticate(wire, plain("alice", PASSWORD)).errorCode());
                assertTrue(wire.isClosedByServer());
            }
        }
    }

    @Test
    void shouldReadOnlySmallRequestsBeforeAuthentication() throws Exception {
        try (Running running = start(Map.of("sasl.server.max.receive.size", "4096"))) {
            int port = running.server().port();
            try (Wire wire = new Wire(port)) {
                wire.sendRaw(ByteBuffer.allocate(6).putInt(4_097).putShort((short) 36).array());
                assertTrue(wire.isClosedByServer());
            }
            try (Wire wire = new Wire(port)) {
                signIn(wire, "alice", PASSWORD);
                byte[] large =
                        Wire.request(
                                ApiKeys.METADATA,
                                (short) 12,
                                new MetadataRequestData(),
                                "a".repeat(10_000));
                wire.send(large);
                wire.receive(ApiKeys.METADATA, 12, new MetadataResponseData());
            }
        }
    }

    @Test
    void shouldSurviveScramMessagesThatAreMadeToOverflowTheStack() throws Exception {
        try (Running running = start(Map.of())) {
            String first = "n,,n=alice,r=abc" + ",a=b".repeat(100_000);
            try (Wire wire = new Wire(running.server().port())) {
                assertEquals(0, handshake(wire, SHA_256).errorCode());
                assertEquals(
                        Errors.SASL_AUTHENTICATION_FAILED.code(),
                        authenticate(wire, first.getBytes(StandardCharsets.UTF_8)).errorCode());
                assertTrue(wire.isClosedByServer());
            }
            roundTrip(client(running, "SASL_PLAINTEXT", "PLAIN", "alice", PASSWORD), "t");
        }
    }

    /** The salt that the server gives for a name, and the error after the proof. */
    private static String[] tryAs(Running running, String name) throws Exception {
        SaslClient client = scram(name, "wrong");
        try (Wire wire = new Wire(running.server().port())) {
            assertEquals(0, handshake(wire, SHA_256).errorCode());
            var first = authenticate(wire, client.evaluateChallenge(new byte[0]));
            assertEquals(0, first.errorCode());
            String said = new String(first.authBytes(), StandardCharsets.UTF_8);
            String salt = said.replaceAll("^r=[^,]*,", "");
            var last = authenticate(wire, client.evaluateChallenge(first.authBytes()));
            assertTrue(wire.isClosedByServer());
            return new String[] {salt, last.errorCode() + " " + last.errorMessage()};
        }
    }

    @Test
    void shouldTakeTheSameStepsForAnUnknownUserAsForAWrongPassword() throws Exception {
        try (Running running = start(Map.of())) {
            addAlice(running);
            String[] known = tryAs(running, "alice");
            String[] unknown = tryAs(running, "nobody");
            assertEquals(known[1], unknown[1]);
            assertTrue(known[0].matches("s=[A-Za-z0-9+/=]{30,40},i=4096"), known[0]);
            assertTrue(unknown[0].matches("s=[A-Za-z0-9+/=]{30,40},i=4096"), unknown[0]);
            running.restart();
            assertArrayEquals(unknown, tryAs(running, "nobody"));
            assertArrayEquals(known, tryAs(running, "alice"));
        }
    }

    @Test
    void shouldNotBelieveAProofThatIsReplayed() throws Exception {
        try (Running running = start(Map.of())) {
            addAlice(running);
            SaslClient client = scram("alice", PASSWORD);
            byte[] first = client.evaluateChallenge(new byte[0]);
            byte[] proof;
            try (Wire wire = new Wire(running.server().port())) {
                handshake(wire, SHA_256);
                proof = client.evaluateChallenge(authenticate(wire, first).authBytes());
                assertEquals(0, authenticate(wire, proof).errorCode());
                askForMetadata(wire);
            }
            try (Wire wire = new Wire(running.server().port())) {
                handshake(wire, SHA_256);
                assertEquals(0, authenticate(wire, first).errorCode());
                assertEquals(
                        Errors.SASL_AUTHENTICATION_FAILED.code(),
                        authenticate(wire, proof).errorCode());
                assertTrue(wire.isClosedByServer());
            }
        }
    }

    @Test
    void shouldLetTheClientOfAWrongPasswordWaitAndNobodyElse() throws Exception {
        Map<String, String> settings =
                Map.of(
                        "connection.failed.authentication.delay.ms", "600000",
                        "num.network.threads", "1");
        try (Running running = start(settings)) {
            try (Wire wrong = new Wire(running.server().port())) {
                assertEquals(0, handshake(wrong, "PLAIN").errorCode());
                wrong.send(
                        Wire.request(
                                ApiKeys.SASL_AUTHENTICATE,
                                (short) 2,
                                new SaslAuthenticateRequestData()
                                        .setAuthBytes(plain("alice", "wrong"))));
                try (Wire right = new Wire(running.server().port())) {
                    signIn(right, "alice", PASSWORD);
                    askForMetadata(right);
                    right.askTwice();
                }
                assertTrue(wrong.isSilentFor(1));
            }
        }
    }

    @Test
    void shouldCloseWhoDoesNotAuthenticateAgainWhenASessionEnds() throws Exception {
        try (Running running = start(Map.of("connections.max.reauth.ms", "1000"));
                Wire wire = new Wire(running.server().port())) {
            signIn(wire, "alice", PASSWORD);
            assertThrows(
                    IOException.class,
                    () -> {
                        while (true) {
                            askForMetadata(wire);
                        }
                    });
        }
    }

    @Test
    void shouldLetTheSameClientAuthenticateAgainAndNoOther() throws Exception {
        try (Running running = start(Map.of("connections.max.reauth.ms", "600000"));
                Wire wire = new Wire(running.server().port())) {
            signIn(wire, "alice", PASSWORD);
            assertEquals(0, handshake(wire, "PLAIN").errorCode());
            var again = authenticate(wire, plain("alice", PASSWORD));
            assertEquals(0, again.errorCode());
            assertEquals(600_000, again.sessionLifetimeMs());
            askForMetadata(wire);
            assertEquals(0, handshake(wire, "PLAIN").errorCode());
            assertEquals(
                    Errors.SASL_AUTHENTICATION_FAILED.code(),
                    authenticate(wire, plain("bob", "bobs-s3cret")).errorCode());
            assertTrue(wire.isClosedByServer());
        }
    }

    @Test
    void shouldAnswerWhoNeedNotAuthenticate() throws Exception {
        try (Running running = start(Map.of())) {
            String local = running.server().bootstrapServers("PLAINTEXT");
            int port = Integer.parseInt(local.substring(local.indexOf(':') + 1));
            try (Wire wire = new Wire(port)) {
                assertEquals(
                        Errors.ILLEGAL_SASL_STATE.code(), handshake(wire, "PLAIN").errorCode());
                askForMetadata(wire);
            }
            try (Wire wire = new Wire(running.server().port())) {
                signIn(wire, "alice", PASSWORD);
                assertEquals(
                        Errors.ILLEGAL_SASL_STATE.code(), handshake(wire, "PLAIN").errorCode());
                askForMetadata(wire);
            }
        }
    }

    @Test
    void shouldCloseAnAuthenticationThatDoesNotEnd() throws Exception {
        try (Running running = start(Map.of("firn.authentication.timeout.ms", "1000"))) {
            try (Wire wire = new Wire(running.server().port())) {
                wire.send(
                        Wire.request(
                                ApiKeys.SASL_HANDSHAKE,
                                (short) 1,
                                new SaslHandshakeRequestData().setMechanism("PLAIN")));
                assertTrue(wire.isClosedByServer());
            }
        }
    }
}
