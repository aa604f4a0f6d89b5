package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.InvalidOptionException;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kafka's clients over TLS, certificates that change, and peers that do not play by the rules. */
class TlsTest {
    private static final String TOPIC = "orders";
    private static final int PATIENCE_MS = 120_000;
    private static final List<String> VERSIONS = List.of("TLSv1.2", "TLSv1.3");

    @TempDir static Path keys;
    private static TestKeys serverKeys;
    private static TestKeys otherKeys;
    private static TestKeys clientKeys;
    private static Path trusted;
    private static Path trustedClients;

    @TempDir Path directory;

    @BeforeAll
    static void makeKeys() throws Exception {
        serverKeys = TestKeys.make(keys, "server");
        otherKeys = TestKeys.make(keys, "other");
        clientKeys = TestKeys.make(keys, "client");
        trusted = TestKeys.trusting(keys, serverKeys, otherKeys);
        trustedClients = TestKeys.trusting(keys, clientKeys);
    }

    /** What all servers of these tests have. */
    Map<String, String> engine() {
        return Map.of();
    }

    static TestKeys serverKeys() {
        return serverKeys;
    }

    private Running start(Map<String, String> settings) throws IOException {
        Map<String, String> all = new HashMap<>();
        all.put("listeners", "SSL://127.0.0.1:0,PLAINTEXT://127.0.0.1:0");
        all.putAll(serverKeys.keystore());
        all.putAll(engine());
        all.putAll(settings);
        return new Running(directory, all);
    }

    private static Map<String, Object> client(Running running, Map<String, String> more) {
        Map<String, Object> all = new HashMap<>(running.client("SSL", more));
        all.put("security.protocol", "SSL");
        all.putAll(TestKeys.truststore(trusted));
        all.put("auto.offset.reset", "earliest");
        return all;
    }

    private static void roundTrip(Map<String, Object> client, String topic) throws Exception {
        byte[] sent = new byte[200_000];
        new Random(1).nextBytes(sent);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(client, new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(topic, sent))
                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
        }
        Map<String, Object> member = new HashMap<>(client);
        member.put("group.id", "of-" + topic);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        member, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(topic));
            assertArrayEquals(sent, Running.read(consumer, 1).get(0).value());
        }
    }

    // ---- clients

    @Test
    void shouldServeKafkasClientsByEachVersionOfTls() throws Exception {
        try (Running running = start(Map.of())) {
            for (String version : List.of("TLSv1.2", "TLSv1.3")) {
                Map<String, String> only = Map.of("ssl.enabled.protocols", version);
                roundTrip(client(running, only), "by-" + version);
            }
        }
    }

    @Test
    void shouldReadKeysInEachFormThatKafkaReads() throws Exception {
        Map<String, String> jks =
                Map.of(
                        "ssl.keystore.location",
                        serverKeys.asJks().toString(),
                        "ssl.keystore.type",
                        "JKS");
        Map<String, String> pem =
                Map.of(
                        "ssl.keystore.location", serverKeys.asPem().toString(),
                        "ssl.keystore.type", "PEM",
                        "ssl.keystore.password", "");
        Map<String, String> text =
                Map.of(
                        "ssl.keystore.type", "PEM",
                        "ssl.keystore.key", serverKeys.pemKey(),
                        "ssl.keystore.certificate.chain", serverKeys.pemCertificate());
        for (Map<String, String> form : List.of(jks, pem, text)) {
            Map<String, String> all = new HashMap<>(Map.of("listeners", "SSL://127.0.0.1:0"));
            if (form.equals(jks)) {
                all.putAll(serverKeys.keystore());
            }
            all.putAll(form);
            all.putAll(engine());
            all.remove("ssl.keystore.password", "");
            try (Running running = new Running(Files.createTempDirectory(directory, "each"), all)) {
                roundTrip(client(running, Map.of()), TOPIC);
            }
        }
    }

    @Test
    void shouldLetInOnlyWhoHasACertificateWhenOneIsRequired() throws Exception {
        Map<String, String> required = new HashMap<>(TestKeys.truststore(trustedClients));
        required.put("ssl.client.auth", "required");
        required.put("super.users", "User:CN=client,O=Firn");
        try (Running running = start(required)) {
            roundTrip(client(running, clientKeys.keystore()), TOPIC);
            for (Map<String, String> wrong :
                    List.of(Map.<String, String>of(), otherKeys.keystore())) {
                try (Admin admin = Admin.create(client(running, wrong))) {
                    Throwable cause =
                            assertThrows(
                                            ExecutionException.class,
                                            () ->
                                                    admin.listTopics()
                                                            .names()
                                                            .get(
                                                                    Running.HANGS_AFTER_S,
                                                                    TimeUnit.SECONDS))
                                    .getCause();
                    assertTrue(cause instanceof SslAuthenticationException, cause.toString());
                }
            }
        }
    }

    // ---- certificates of clients that expire

    private Map<String, String> requiring(TestKeys... clients) throws Exception {
        Map<String, String> all = new HashMap<>();
        all.putAll(TestKeys.truststore(TestKeys.trusting(directory, clients)));
        all.put("ssl.client.auth", "required");
        return all;
    }

    /** Connects, and is let in; a later connection of the same context may resume the session. */
    private static Wire open(Running running, SSLContext context, String version)
            throws IOException {
        Wire wire = new Wire(TestKeys.connect(running.server().port(), context, version));
        try {
            assertAnswered(wire); // which also reads the ticket
            return wire;
        } catch (IOException e) {
            wire.close();
            throw e;
        }
    }

    private static boolean isLetIn(Running running, SSLContext context, String version) {
        try {
            open(running, context, version).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** A certificate that is still valid when all have connected, and their connections. */
    private Map<SSLContext, Wire> connectByACertificateThatExpires(Running running, TestKeys signer)
            throws Exception {
        for (int seconds = 3; ; seconds *= 3) {
            TestKeys keys = signer.signShortLived("brief-" + seconds, seconds);
            Map<SSLContext, Wire> open = new LinkedHashMap<>();
            try {
                for (String version : VERSIONS) {
                    SSLContext context = TestKeys.context(trusted, keys);
                    open.put(context, open(running, context, version));
                }
                return open;
            } catch (IOException e) { // it took longer than the certificate is valid
                for (Wire each : open.values()) {
                    each.close();
                }
            }
        }
    }

    @Test
    void shouldEndWhatACertificateLetInWhenItExpiresAndResumeNoSession() throws Exception {
        TestKeys authority = TestKeys.authority(directory, "authority");
        try (Logged audit = new Logged("io.firn.audit");
                Running running = start(requiring(authority))) {
            Map<SSLContext, Wire> open = connectByACertificateThatExpires(running, authority);
            int at = 0;
            for (Map.Entry<SSLContext, Wire> each : open.entrySet()) {
                String version = VERSIONS.get(at++);
                assertTrue(each.getValue().isClosedWithin(PATIENCE_MS), version);
                each.getValue().close();
                assertFalse(isLetIn(running, each.getKey(), version), version);
            }
            Running.await(
                    "the failures",
                    () -> audit.count("sign-in-failed user=CN\\u003Dbrief") >= VERSIONS.size());
        }
    }

    /** The JDK does not look at the end of a certificate that is in the trust store itself. */
    @Test
    void shouldLetInNobodyByAnExpiredCertificateThatIsTrustedItself() throws Exception {
        TestKeys expired = TestKeys.expired(directory, "expired");
        try (Running running = start(requiring(expired, clientKeys))) {
            for (String version : VERSIONS) {
                SSLContext valid = TestKeys.context(trusted, clientKeys);
                assertTrue(isLetIn(running, valid, version), version);
                assertTrue(isLetIn(running, valid, version), version + ", again");
                SSLContext late = TestKeys.context(trusted, expired);
                assertFalse(isLetIn(running, late, version), version);
            }
        }
    }

    private static long created(Running running, SSLContext context, String version) {
        try (SSLSocket socket = TestKeys.connect(running.server().port(), context, version);
                Wire wire = new Wire(socket)) {
            assertAnswered(wire);
            return socket.getSession().getCreationTime();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldResumeSessionsForTheTimeThatIsConfigured() throws Exception {
        try (Running running = start(Map.of("firn.ssl.session.timeout.ms", "1000"))) {
            for (String version : VERSIONS) {
                SSLContext context = TestKeys.context(trusted, null);
                long first = created(running, context, version);
                for (int ms = 0; created(running, context, version) == first; ms += 100) {
                    assertTrue(ms < PATIENCE_MS, version);
                    Thread.sleep(100);
                }
            }
        }
    }

    /** As health checks do. A handshake that fails is still told of. */
    @Test
    void shouldNotCallAClientThatClosesAfterItsHandshakeAFailedSignIn() throws Exception {
        try (Logged audit = new Logged("io.firn.audit");
                Running running = start(requiring(clientKeys))) {
            SSLContext context = TestKeys.context(trusted, clientKeys);
            int port = running.server().port();
            for (int i = 0; i < 20; i++) {
                HastyClient.connectAndClose(port, context);
                try (SSLSocket socket = TestKeys.connect(port, context, VERSIONS.get(i % 2))) {
                    socket.setSoLinger(i < 10, 0); // the first ones end by a reset
                }
            }
            try (Socket plain = new Socket("127.0.0.1", port)) {
                plain.getOutputStream().write(new byte[] {22, 3, 1, 2, 0, 1, 0, 1});
            }
            Running.await("all to be gone", () -> running.server().metrics().getConnections() == 0);
            assertEquals(0, audit.count("sign-in-failed"));
            assertFalse(isLetIn(running, TestKeys.context(trusted, otherKeys), "TLSv1.3"));
            Running.await("the failure", () -> audit.count("sign-in-failed") == 1);
        }
    }

    @Test
    void shouldNotCallAClientThatClosesWithinItsHandshakeAFailedSignIn() throws Exception {
        try (Logged audit = new Logged("io.firn.audit");
                Running running = start(requiring(clientKeys))) {
            SSLContext context = TestKeys.context(trusted, clientKeys);
            HastyClient.greetAndClose(running.server().port(), context);
            Running.await("it to be gone", () -> running.server().metrics().getConnections() == 0);
            assertEquals(0, audit.count("sign-in-failed"));
        }
    }

    @Test
    void shouldShowNoSecretToAnAdministrator() throws Exception {
        Map<String, String> settings =
                Map.of("listener.name.ssl.ssl.key.password", TestKeys.PASSWORD);
        try (Running running = start(settings);
                Admin admin = Admin.create(client(running, Map.of()))) {
            ConfigResource node = new ConfigResource(ConfigResource.Type.BROKER, "1");
            Config config =
                    admin.describeConfigs(List.of(node))
                            .all()
                            .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS)
                            .get(node);
            for (String secret :
                    List.of("ssl.keystore.password", "listener.name.ssl.ssl.key.password")) {
                assertTrue(config.get(secret).isSensitive());
                assertNull(config.get(secret).value()); // what prints an entry would hide it
            }
            assertEquals(serverKeys.file().toString(), config.get("ssl.keystore.location").value());
            assertFalse(config.toString().contains(TestKeys.PASSWORD), config.toString());
        }
    }

    @Test
    void shouldSayWhatIsWrongWithItsFilesAndNoSecret() throws Exception {
        Path garbage = Files.writeString(directory.resolve("garbage.p12"), "garbage");
        Map<Map<String, String>, String> wrong =
                Map.of(
                        Map.of("ssl.keystore.location", "/nowhere.p12"), "/nowhere.p12",
                        Map.of("ssl.keystore.location", garbage.toString()), garbage.toString(),
                        Map.of("ssl.keystore.password", "wrong-one"), "password",
                        Map.of("ssl.client.auth", "required"), "ssl.truststore.location",
                        Map.of("ssl.principal.mapping.rules", "RULE:no"), "mapping.rules",
                        Map.of("ssl.cipher.suites", "TLS_NONE"), "TLS_NONE");
        wrong.forEach(
                (settings, word) -> {
                    InvalidOptionException e =
                            assertThrows(
                                    InvalidOptionException.class,
                                    () -> start(settings).close(),
                                    settings.toString());
                    assertTrue(e.getMessage().contains(word), e.getMessage());
                    assertFalse(e.getMessage().contains("wrong-one"), e.getMessage());
                    assertFalse(e.getMessage().contains(TestKeys.PASSWORD), e.getMessage());
                });
    }

    // ---- the log

    private static List<byte[]> produceMany(Running running, int count, int bytes)
            throws Exception {
        List<byte[]> all = new ArrayList<>();
        Random random = new Random(7);
        Map<String, Object> plain =
                running.client("PLAINTEXT", Map.of("batch.size", 200_000, "linger.ms", 50));
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(plain, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < count; i++) {
                byte[] each = new byte[bytes];
                random.nextBytes(each);
                all.add(each);
                var unused = producer.send(new ProducerRecord<>(TOPIC, each));
            }
        }
        return all;
    }

    @Test
    void shouldSendALargeColdSegmentEncryptedAndPlain() throws Exception {
        try (Running running = start(Map.of("log.segment.bytes", "33554432"))) {
            List<byte[]> sent = produceMany(running, 480, 100_000);
            running.restart();
            for (String listener : List.of("SSL", "PLAINTEXT")) {
                Map<String, String> large =
                        Map.of(
                                "fetch.min.bytes", "20000000",
                                "fetch.max.bytes", "50000000",
                                "max.partition.fetch.bytes", "50000000");
                Map<String, Object> all = client(running, large);
                all.put("bootstrap.servers", running.server().bootstrapServers(listener));
                all.put("security.protocol", listener);
                try (KafkaConsumer<byte[], byte[]> consumer =
                        new KafkaConsumer<>(
                                all, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
                    consumer.assign(List.of(new TopicPartition(TOPIC, 0)));
                    List<ConsumerRecord<byte[], byte[]>> read = Running.read(consumer, sent.size());
                    for (int i = 0; i < sent.size(); i++) {
                        assertArrayEquals(sent.get(i), read.get(i).value(), listener + " " + i);
                    }
                }
            }
        }
    }

    private static long usedBytes() {
        var metric = ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT).metric();
        return metric.usedDirectMemory() + metric.usedHeapMemory();
    }

    @Test
    void shouldEncryptNoMoreThanTheSocketIsAboutToTake() throws Exception {
        try (Running running = start(Map.of("log.segment.bytes", "67108864"))) {
            produceMany(running, 480, 100_000);
            long before = usedBytes();
            try (Wire slow =
                    new Wire(TestKeys.connect(running.server().port(), trusted, null, "TLSv1.3"))) {
                slow.send(
                        Wire.request(
                                ApiKeys.FETCH,
                                (short) Asks.FETCH,
                                Asks.fetch(TOPIC, 0, 0, 45_000_000).setMaxBytes(45_000_000)));
                assertFalse(slow.isSilent()); // it has begun to answer
                long more = usedBytes() - before;
                assertTrue(more < 20_000_000, more + " bytes for what the client does not read");
            }
        }
    }

    // ---- certificates that change

    private static Certificate presented(Running running) throws Exception {
        try (SSLSocket socket =
                TestKeys.connect(running.server().port(), trusted, null, "TLSv1.3")) {
            return socket.getSession().getPeerCertificates()[0];
        }
    }

    private static void assertAnswered(Wire wire) throws IOException {
        var answer =
                wire.ask(
                        ApiKeys.API_VERSIONS,
                        2,
                        new ApiVersionsRequestData(),
                        new ApiVersionsResponseData());
        assertEquals(0, answer.errorCode());
    }

    private static boolean isPresented(Running running, TestKeys wanted) {
        try {
            return presented(running).equals(wanted.certificate());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldTakeUpAChangedCertificateAndKeepItWhenTheNextIsBroken() throws Exception {
        Path file = directory.resolve("in-use.p12");
        Files.copy(serverKeys.file(), file);
        try (Logged logged = new Logged("io.firn.server");
                Running running = start(Map.of("ssl.keystore.location", file.toString()));
                Wire open =
                        new Wire(
                                TestKeys.connect(
                                        running.server().port(), trusted, null, "TLSv1.3"))) {
            assertTrue(isPresented(running, serverKeys));
            otherKeys.replace(file);
            Running.await("the new certificate", () -> isPresented(running, otherKeys));
            assertAnswered(open);

            Files.writeString(file, "garbage");
            Running.await(
                    "the broken file to be named",
                    () -> logged.has(file + " has changed and cannot be used"));
            assertTrue(isPresented(running, otherKeys));
            assertAnswered(open);

            serverKeys.replace(file);
            Running.await("what was mended", () -> isPresented(running, serverKeys));
            assertAnswered(open);
            assertFalse(logged.has(TestKeys.PASSWORD));
        }
    }

    @Test
    void shouldLoseNoConnectionAndNoRecordWhileCertificatesChangeUnderLoad() throws Exception {
        String seen = Rotations.run(directory, 3, serverKeys, otherKeys);
        assertTrue(seen.startsWith("3 rotations, 1 of them broken"), seen);
    }

    // ---- peers that do not play by the rules

    @Test
    void shouldCloseWhoSaysSomethingElseThanHello() throws Exception {
        try (Running running = start(Map.of())) {
            try (Wire garbage = new Wire(running.server())) {
                garbage.sendRaw(new byte[100_000]);
                assertTrue(garbage.isClosedByServer());
            }
            try (Wire plain = new Wire(running.server())) {
                plain.send(
                        Wire.request(
                                ApiKeys.API_VERSIONS, (short) 2, new ApiVersionsRequestData()));
                assertTrue(plain.isClosedByServer());
            }
            roundTrip(client(running, Map.of()), TOPIC);
        }
    }

    @Test
    void shouldCloseAHandshakeThatDoesNotEnd() throws Exception {
        try (Running running = start(Map.of("firn.authentication.timeout.ms", "5000"));
                Wire open =
                        new Wire(
                                TestKeys.connect(
                                        running.server().port(), trusted, null, "TLSv1.3"));
                Wire silent = new Wire(running.server());
                Wire half = new Wire(running.server())) {
            half.sendRaw(new byte[] {22, 3, 1, 2, 0, 1, 0, 1}); // the beginning of a hello
            assertTrue(silent.isClosedByServer());
            assertTrue(half.isClosedByServer());
            assertAnswered(open); // it is about the handshake only
        }
    }

    @Test
    void shouldLetInAClientBesideAThousandThatAreSilent() throws Exception {
        Map<String, String> few =
                Map.of("max.connections", "100", "firn.authentication.timeout.ms", "600000");
        Deque<Socket> silent = new ArrayDeque<>();
        try (Running running = start(few)) {
            try {
                for (int i = 0; i < 1_000; i++) {
                    silent.add(new Socket("127.0.0.1", running.server().port()));
                    if (silent.size() > 200) {
                        silent.remove().close(); // the server has closed it long before
                    }
                }
                roundTrip(client(running, Map.of()), TOPIC);
                Running.await(
                        "the oldest to be closed",
                        () -> running.server().metrics().getConnections() <= 50);
            } finally {
                for (Socket each : silent) {
                    each.close();
                }
            }
        }
    }

    @Test
    void shouldRefuseToNegotiateAgain() throws Exception {
        try (Logged logged = new Logged("io.firn.server");
                Running running = start(Map.of());
                SSLSocket socket =
                        TestKeys.connect(running.server().port(), trusted, null, "TLSv1.2")) {
            Wire wire = new Wire(socket);
            assertAnswered(wire);
            socket.startHandshake(); // begins another, which the next read goes on with
            IOException refused = assertThrows(IOException.class, () -> assertAnswered(wire));
            // With a close_notify before, tools say that the server would negotiate.
            assertFalse(refused.toString().contains("close_notify"), refused.toString());
            Running.await("it to be named", () -> logged.has("negotiate TLS again"));
        }
    }
}
