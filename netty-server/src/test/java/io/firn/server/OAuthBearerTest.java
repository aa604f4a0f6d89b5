package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.InvalidOptionException;
import io.firn.sim.FirstRunOnly;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.SaslAuthenticateRequestData;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeRequestData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jwe.ContentEncryptionAlgorithmIdentifiers;
import org.jose4j.jwe.JsonWebEncryption;
import org.jose4j.jwe.KeyManagementAlgorithmIdentifiers;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.NumericDate;
import org.jose4j.keys.HmacKey;
import org.jose4j.lang.JoseException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that show a token, valid ones and others. */
@FirstRunOnly
class OAuthBearerTest {
    private static final String LISTENER = "SASL_PLAINTEXT";
    private static final String MECHANISM = "OAUTHBEARER";
    private static final String MODULE =
            "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required";
    private static final byte[] END = {1};

    @TempDir Path directory;

    private Issuer issuer;

    @BeforeEach
    void makeKeys() throws Exception {
        issuer = new Issuer("first");
    }

    private Path keyFile() {
        return directory.resolve("keys.json");
    }

    private Map<String, String> settings(String keys) {
        Map<String, String> all = new HashMap<>();
        all.put("listeners", "SASL_PLAINTEXT://127.0.0.1:0");
        all.put("sasl.enabled.mechanisms", "OAUTHBEARER,PLAIN");
        all.put(
                "plain.sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required user_x=\"y\";");
        all.put("sasl.oauthbearer.jwks.endpoint.url", keys);
        all.put("sasl.oauthbearer.expected.issuer", Issuer.NAME);
        all.put("sasl.oauthbearer.expected.audience", "other," + Issuer.AUDIENCE);
        all.put("sasl.oauthbearer.clock.skew.seconds", "0");
        all.put("super.users", "User:alice");
        all.put("connection.failed.authentication.delay.ms", "0");
        // as in the configuration of a broker
        all.put(
                "listener.name.sasl_plaintext.oauthbearer.sasl.server.callback.handler.class",
                "org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler");
        all.put("listener.name.sasl_plaintext.oauthbearer.sasl.jaas.config", MODULE + ";");
        return all;
    }

    private Map<String, String> settings() throws IOException {
        return settings(issuer.write(keyFile()).toUri().toString());
    }

    private Running start(Map<String, String> more) throws IOException {
        Map<String, String> all = settings();
        all.putAll(more);
        return new Running(directory, all);
    }

    // ---- Kafka's own client

    private static Map<String, Object> client(Running running, String tokens) {
        // Kafka's clients ask no address that is not named here.
        System.setProperty("org.apache.kafka.sasl.oauthbearer.allowed.urls", tokens);
        Map<String, Object> all = running.client(LISTENER, Map.of());
        all.put("security.protocol", LISTENER);
        all.put("sasl.mechanism", MECHANISM);
        all.put(
                "sasl.login.callback.handler.class",
                "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler");
        all.put("sasl.oauthbearer.token.endpoint.url", tokens);
        all.put("sasl.jaas.config", MODULE + " clientId=\"alice\" clientSecret=\"s3cret\";");
        all.put("sasl.login.refresh.min.period.seconds", (short) 0);
        all.put("sasl.login.refresh.buffer.seconds", (short) 0);
        return all;
    }

    @Test
    void shouldServeKafkasClientsWithTokensOfAnIssuer() throws Exception {
        try (Running running = start(Map.of())) {
            Map<String, Object> client = client(running, issuer.serveTokens("alice", 600));
            try (KafkaProducer<String, String> producer =
                    new KafkaProducer<>(client, new StringSerializer(), new StringSerializer())) {
                producer.send(new ProducerRecord<>("t", "first"))
                        .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            }
            client.put("group.id", "g");
            client.put("auto.offset.reset", "earliest");
            try (KafkaConsumer<String, String> consumer =
                    new KafkaConsumer<>(
                            client, new StringDeserializer(), new StringDeserializer())) {
                consumer.subscribe(List.of("t"));
                assertEquals("first", Running.read(consumer, 1).get(0).value());
            }
        } finally {
            issuer.close();
        }
    }

    /** A client that comes too late with its next token is disconnected; longer ones leave time. */
    @Test
    void shouldGoOnWithAClientWhoseTokensEndAndAreRenewed() throws Exception {
        try (Running running = start(Map.of());
                Logged log = new Logged("io.firn.audit")) {
            boolean isDone = false;
            for (int seconds : new int[] {3, 12, 48}) {
                isDone = isDone || goesOn(running, log, seconds);
            }
            assertTrue(isDone, "disconnected with each length of tokens");
        }
    }

    /** Whether records arrived over one connection until three tokens were renewed. */
    private boolean goesOn(Running running, Logged log, int seconds) throws Exception {
        Map<String, Object> client = client(running, issuer.serveTokens("alice", seconds));
        client.put("retries", 0);
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(client, new StringSerializer(), new StringSerializer())) {
            send(producer);
            long before = log.count("sign-in principal=User:alice");
            long connections = running.server().metrics().getConnections();
            Running.await(
                    "three more tokens",
                    () -> {
                        send(producer);
                        return log.count("sign-in principal=User:alice") >= before + 3;
                    });
            assertEquals(connections, running.server().metrics().getConnections());
            return true;
        } catch (IllegalStateException e) {
            if (e.getCause().getCause() instanceof NetworkException) {
                return false;
            }
            throw e;
        } finally {
            issuer.close();
        }
    }

    private static void send(KafkaProducer<String, String> producer) {
        try {
            producer.send(new ProducerRecord<>("t", "x"))
                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    // ---- one connection

    private static SaslAuthenticateResponseData say(Wire wire, byte[] message) throws IOException {
        return wire.ask(
                ApiKeys.SASL_AUTHENTICATE,
                2,
                new SaslAuthenticateRequestData().setAuthBytes(message),
                new SaslAuthenticateResponseData());
    }

    private static short handshake(Wire wire, String mechanism) throws IOException {
        return wire.ask(
                        ApiKeys.SASL_HANDSHAKE,
                        1,
                        new SaslHandshakeRequestData().setMechanism(mechanism),
                        new SaslHandshakeResponseData())
                .errorCode();
    }

    private static byte[] first(String token) {
        return ("n,,\1auth=Bearer " + token + "\1\1").getBytes(StandardCharsets.UTF_8);
    }

    private static SaslAuthenticateResponseData show(Wire wire, String token) throws IOException {
        assertEquals(0, handshake(wire, MECHANISM));
        return say(wire, first(token));
    }

    private static void signIn(Wire wire, String token) throws IOException {
        SaslAuthenticateResponseData answer = show(wire, token);
        assertEquals(0, answer.errorCode());
        assertEquals("", new String(answer.authBytes(), StandardCharsets.UTF_8));
    }

    private static void ask(Wire wire) throws IOException {
        wire.ask(ApiKeys.METADATA, 12, new MetadataRequestData(), new MetadataResponseData());
    }

    private static boolean isAccepted(Running running, String token) throws IOException {
        try (Wire wire = new Wire(running.server().port())) {
            return show(wire, token).authBytes().length == 0;
        }
    }

    private static void assertRefused(Running running, String token) throws IOException {
        try (Wire wire = new Wire(running.server().port())) {
            SaslAuthenticateResponseData answer = show(wire, token);
            assertEquals(
                    "{\"status\":\"invalid_token\"}",
                    new String(answer.authBytes(), StandardCharsets.UTF_8));
            assertEquals(Errors.SASL_AUTHENTICATION_FAILED.code(), say(wire, END).errorCode());
            assertTrue(wire.isClosedByServer());
        }
    }

    // ---- tokens that are not valid

    private String signed(String algorithm, Key key) throws Exception {
        JsonWebSignature signed = new JsonWebSignature();
        signed.setPayload(Issuer.claims("alice", 600).toJson());
        signed.setKey(key);
        signed.setKeyIdHeaderValue("first");
        signed.setAlgorithmConstraints(AlgorithmConstraints.NO_CONSTRAINTS);
        signed.setAlgorithmHeaderValue(algorithm);
        return signed.getCompactSerialization();
    }

    private String encrypted() throws Exception {
        JsonWebEncryption encrypted = new JsonWebEncryption();
        encrypted.setPayload(issuer.token("alice", 600));
        encrypted.setAlgorithmHeaderValue(KeyManagementAlgorithmIdentifiers.RSA_OAEP_256);
        encrypted.setEncryptionMethodHeaderParameter(
                ContentEncryptionAlgorithmIdentifiers.AES_128_CBC_HMAC_SHA_256);
        encrypted.setKey(issuer.key().getPublicKey());
        return encrypted.getCompactSerialization();
    }

    /** With claims that nobody gets to read. */
    private static String ofHeader(String header) {
        Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
        return encoder.encodeToString(header.getBytes(StandardCharsets.UTF_8)) + ".e30.AAAA";
    }

    /** Without a claim, or with another one. */
    private String with(Consumer<JwtClaims> change) throws Exception {
        JwtClaims claims = Issuer.claims("alice", 600);
        change.accept(claims);
        return issuer.sign(claims);
    }

    private static NumericDate in(long seconds) {
        NumericDate date = NumericDate.now();
        date.addSeconds(seconds);
        return date;
    }

    /** Each token, and what the log says of it. */
    private Map<String, String> invalid() throws Exception {
        Issuer other = new Issuer("second");
        Issuer forger = new Issuer("first");
        byte[] known = issuer.key().getPublicKey().getEncoded();
        String valid = issuer.token("alice", 600);
        Map<String, String> all = new LinkedHashMap<>();
        all.put(signed(AlgorithmIdentifiers.NONE, null), "the algorithm none");
        all.put(signed(AlgorithmIdentifiers.HMAC_SHA256, new HmacKey(known)), "algorithm HS256");
        all.put(encrypted(), "what cannot be read as one");
        all.put(other.token("alice", 600), "the key second");
        all.put(forger.token("alice", 600), "a signature of something else");
        all.put(valid.substring(0, valid.lastIndexOf('.')) + ".", "a signature of something else");
        all.put(with(c -> c.setIssuer("https://else.example")), "https://else.example");
        all.put(with(c -> c.unsetClaim("iss")), "Issuer (iss) claim");
        all.put(with(c -> c.setAudience("another")), "Audience (aud) claim [another]");
        all.put(with(c -> c.unsetClaim("aud")), "Audience (aud) claim");
        all.put(with(c -> c.setExpirationTime(in(-1))), "no longer valid");
        all.put(with(c -> c.unsetClaim("exp")), "Expiration Time (exp) claim");
        all.put(with(c -> c.unsetClaim("iat")), "Issued At (iat) claim");
        all.put(with(c -> c.setNotBefore(in(600))), "not yet valid");
        all.put(with(c -> c.unsetClaim("sub")), "the claim sub, found one without it");
        all.put(with(c -> c.setSubject(" ")), "the claim sub, found one without it");
        all.put(with(c -> c.setClaim("sub", 7)), "not the expected type");
        all.put(with(c -> c.setSubject("s".repeat(256))), "255 characters, found 256 characters");
        all.put(with(c -> c.setSubject("s".repeat(20_000))), "found 20000 characters");
        all.put(ofHeader("{\"alg\":\"ES256\",\"kid\":{}}"), "the key of another type");
        all.put(ofHeader("{\"alg\":[7],\"kid\":7}"), "the algorithm of another type");
        all.put("a.b.c", "what cannot be read as one");
        all.put("eyJhbGciOiJSUzI1NiJ9.e30", "what cannot be read as one");
        all.put("x".repeat(30_000), "what cannot be read as one");
        return all;
    }

    @Test
    void shouldRefuseEachInvalidTokenSayWhyAndLogNoToken() throws Exception {
        try (Running running = start(Map.of());
                Everything log = new Everything()) {
            Map<String, String> tokens = invalid();
            for (Map.Entry<String, String> each : tokens.entrySet()) {
                log.clear();
                assertRefused(running, each.getKey());
                Running.await(
                        "'" + each.getValue() + "' in " + log.text(),
                        () -> log.text().contains(each.getValue()));
                TimeUnit.MILLISECONDS.sleep(250); // the log has a few lines a second
                for (String part : each.getKey().split("\\.")) {
                    assertFalse(part.length() > 10 && log.text().contains(part), log.text());
                }
            }
            log.clear();
            String valid = issuer.token("s".repeat(255), 600);
            try (Wire wire = new Wire(running.server().port())) {
                signIn(wire, valid);
                ask(wire);
            }
            assertFalse(log.text().contains(valid.substring(valid.lastIndexOf('.'))));
        }
    }

    /** All that Firn, Kafka's classes and the library log, down to the finest level. */
    private static final class Everything extends Handler implements AutoCloseable {
        private static final List<String> NAMES =
                List.of("io.firn", "org.apache.kafka", "org.jose4j");
        private final List<Logger> loggers = NAMES.stream().map(Logger::getLogger).toList();
        private final List<String> said = new CopyOnWriteArrayList<>();

        Everything() {
            loggers.forEach(
                    each -> {
                        each.setLevel(Level.ALL);
                        each.addHandler(this);
                    });
        }

        String text() {
            return String.join("", said);
        }

        void clear() {
            said.clear();
        }

        @Override
        public void publish(LogRecord record) {
            said.add(new SimpleFormatter().format(record));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            loggers.forEach(
                    each -> {
                        each.removeHandler(this);
                        each.setLevel(null);
                    });
        }
    }

    @Test
    void shouldEndAnExchangeInWhichAnotherTokenIsTried() throws Exception {
        try (Running running = start(Map.of());
                Wire wire = new Wire(running.server().port())) {
            assertTrue(show(wire, "a.b.c").authBytes().length > 0);
            assertEquals(
                    Errors.SASL_AUTHENTICATION_FAILED.code(),
                    say(wire, first(issuer.token("alice", 600))).errorCode());
            assertTrue(wire.isClosedByServer());
        }
    }

    /** Each has a name of its own, or Kafka's server refuses them. */
    private static String extensions(int count) {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < count; i++) {
            char[] name = {'k', (char) ('a' + i / 26), (char) ('a' + i % 26)};
            all.append(name).append("=v\1");
        }
        return all.toString();
    }

    @Test
    void shouldRefuseMessagesThatAreMadeToBeLong() throws Exception {
        String token = issuer.token("alice", 600);
        String rest = "\1auth=Bearer " + token + "\1";
        try (Running running = start(Map.of())) {
            for (String each :
                    List.of(
                            "n,a=" + "a".repeat(2_000) + "," + rest + "\1",
                            "n,," + rest + extensions(100) + "\1",
                            "n,," + rest + "k=" + "v".repeat(40_000) + "\1\1")) {
                try (Wire wire = new Wire(running.server().port())) {
                    assertEquals(0, handshake(wire, MECHANISM));
                    byte[] message = each.getBytes(StandardCharsets.UTF_8);
                    assertEquals(
                            Errors.SASL_AUTHENTICATION_FAILED.code(),
                            say(wire, message).errorCode());
                    assertTrue(wire.isClosedByServer());
                }
            }
            try (Wire wire = new Wire(running.server().port())) {
                assertEquals(0, handshake(wire, MECHANISM));
                byte[] extended =
                        ("n,a=alice," + rest + extensions(2) + "\1")
                                .getBytes(StandardCharsets.UTF_8);
                assertEquals(0, say(wire, extended).errorCode());
                ask(wire);
            }
            try (Wire wire = new Wire(running.server().port())) {
                assertEquals(0, handshake(wire, MECHANISM));
                byte[] another = ("n,a=bob," + rest + "\1").getBytes(StandardCharsets.UTF_8);
                assertEquals(
                        Errors.SASL_AUTHENTICATION_FAILED.code(), say(wire, another).errorCode());
            }
        }
    }

    // ---- sessions

    @Test
    void shouldEndASessionWithItsToken() throws Exception {
        try (Running running = start(Map.of());
                Wire wire = new Wire(running.server().port())) {
            SaslAuthenticateResponseData answer = show(wire, issuer.token("alice", 2));
            assertTrue(answer.sessionLifetimeMs() > 0, answer.toString());
            assertTrue(answer.sessionLifetimeMs() <= 2_000, answer.toString());
            assertThrows(
                    IOException.class,
                    () -> {
                        while (true) {
                            ask(wire);
                        }
                    });
        }
    }

    @Test
    void shouldEndASessionByTheServersTimeWhereATokenLastsLonger() throws Exception {
        try (Running running = start(Map.of("connections.max.reauth.ms", "60000"))) {
            try (Wire wire = new Wire(running.server().port())) {
                assertEquals(60_000, show(wire, issuer.token("alice", 600)).sessionLifetimeMs());
            }
            try (Wire wire = new Wire(running.server().port())) {
                String eternal = with(c -> c.setExpirationTime(NumericDate.fromSeconds(1L << 60)));
                assertEquals(60_000, show(wire, eternal).sessionLifetimeMs());
            }
        }
    }

    @Test
    void shouldTakeTheClocksDifferenceIntoTheSession() throws Exception {
        try (Running running = start(Map.of("sasl.oauthbearer.clock.skew.seconds", "600"));
                Wire wire = new Wire(running.server().port())) {
            String old =
                    with(
                            c -> {
                                c.setIssuedAt(in(-600));
                                c.setExpirationTime(in(-60));
                            });
            SaslAuthenticateResponseData answer = show(wire, old);
            assertEquals(0, answer.authBytes().length);
            long ms = answer.sessionLifetimeMs();
            assertTrue(ms > 300_000 && ms <= 540_000, "a session of " + ms + " ms");
            ask(wire);
        }
    }

    @Test
    void shouldLetTheSameSubjectAuthenticateAgainAndNoOther() throws Exception {
        try (Running running = start(Map.of());
                Wire wire = new Wire(running.server().port())) {
            signIn(wire, issuer.token("alice", 600));
            signIn(wire, issuer.token("alice", 900));
            ask(wire);
            assertEquals(
                    Errors.SASL_AUTHENTICATION_FAILED.code(),
                    show(wire, issuer.token("bob", 600)).errorCode());
            assertTrue(wire.isClosedByServer());
        }
    }

    // ---- keys

    @Test
    void shouldTakeUpAFileWithOtherKeysAndKeepThemWhenItIsBroken() throws Exception {
        Issuer next = new Issuer("second");
        try (Running running = start(Map.of());
                Logged log = new Logged("io.firn.server")) {
            assertTrue(isAccepted(running, issuer.token("alice", 600)));
            assertFalse(isAccepted(running, next.token("alice", 600)));
            next.write(keyFile());
            Running.await("the new key", () -> isAcceptedNow(running, next));
            assertFalse(isAccepted(running, issuer.token("alice", 600)));
            Issuer.write(
                    keyFile(), "{\"keys\":[{\"kty\":\"oct\",\"k\":\"AAAA\",\"kid\":\"second\"}]}");
            Running.await("a refusal", () -> log.has("expected one or more public keys"));
            Issuer.write(keyFile(), "{\"keys\":[7]}");
            Running.await("a refusal", () -> log.has("expected a JSON Web Key Set"));
            assertTrue(isAccepted(running, next.token("alice", 600)));
            issuer.write(keyFile());
            Running.await("the first key", () -> isAcceptedNow(running, issuer));
        }
    }

    private static boolean isAcceptedNow(Running running, Issuer by) {
        try {
            return isAccepted(running, by.token("alice", 600));
        } catch (IOException | JoseException e) {
            throw new IllegalStateException(e);
        }
    }

    private static SSLContext tls(TestKeys keys) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keys.file())) {
            store.load(in, TestKeys.PASSWORD.toCharArray());
        }
        KeyManagerFactory own =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(store, TestKeys.PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), null, null);
        return context;
    }

    @Test
    void shouldAskForKeysOverHttpsAlsoLaterAndEarlyForOneThatIsNew() throws Exception {
        TestKeys certificate = TestKeys.make(directory, "issuer");
        Path trusted = TestKeys.trusting(directory, certificate);
        SSLContext tls = tls(certificate);
        String address = issuer.serveKeys(tls, 0);
        issuer.close(); // not there yet when the server starts
        int port = URI.create(address).getPort();
        Map<String, String> settings = settings(address);
        settings.put("sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms", "1000");
        settings.put(
                "listener.name.sasl_plaintext.oauthbearer.sasl.jaas.config",
                MODULE
                        + " ssl.truststore.location=\""
                        + trusted
                        + "\" ssl.truststore.password=\""
                        + TestKeys.PASSWORD
                        + "\" ssl.truststore.type=\"PKCS12\";");
        Issuer next = new Issuer("second");
        try (Logged log = new Logged("io.firn.server");
                Running running = new Running(directory, settings)) {
            assertTrue(log.has("keys of tokens cannot be read"));
            assertFalse(isAccepted(running, issuer.token("alice", 600)));
            issuer.serveKeys(tls, port);
            Running.await("the keys", () -> isAcceptedNow(running, issuer));
            int asked = issuer.asked.get();
            issuer.show(Issuer.keySet(issuer, next));
            assertTrue(isAccepted(running, issuer.token("alice", 600)));
            Running.await("the new key", () -> isAcceptedNow(running, next));
            assertEquals(asked + 1, issuer.asked.get());
            issuer.close();
            assertTrue(isAccepted(running, issuer.token("alice", 600)));
        } finally {
            issuer.close();
        }
    }

    // ---- configuration

    @Test
    void shouldStartOnlyWithKeysAnIssuerAndAnAudience() throws Exception {
        Map<String, String> wrong = new LinkedHashMap<>();
        String prefix = "sasl.oauthbearer.";
        wrong.put(prefix + "expected.issuer", " ");
        wrong.put(prefix + "expected.audience", "");
        wrong.put(prefix + "jwks.endpoint.url", "http://127.0.0.1/keys");
        for (Map.Entry<String, String> each : wrong.entrySet()) {
            assertInvalid(each.getKey(), each.getValue());
        }
        for (String url :
                List.of(
                        "https:///keys",
                        "https://user:s3cret@127.0.0.1/keys",
                        "keys.json",
                        directory.resolve("nothing").toUri().toString(),
                        Files.writeString(directory.resolve("other"), "[]").toUri().toString())) {
            assertInvalid(prefix + "jwks.endpoint.url", url);
        }
        Map<String, String> none = settings();
        none.remove(prefix + "jwks.endpoint.url");
        InvalidOptionException e =
                assertThrows(
                        InvalidOptionException.class, () -> new Running(directory, none).close());
        assertTrue(e.getMessage().startsWith(prefix + "jwks.endpoint.url"), e.getMessage());
        assertInvalid(
                "listener.name.sasl_plaintext.oauthbearer.sasl.server.callback.handler.class",
                "org.example.Handler");
        Map<String, String> tls = settings("https://127.0.0.1:1/keys");
        String jaas = "listener.name.sasl_plaintext.oauthbearer.sasl.jaas.config";
        tls.put(
                jaas,
                MODULE + " ssl.truststore.location=\"x\" ssl.truststore.password=\"s3cret\";");
        e = assertThrows(InvalidOptionException.class, () -> new Running(directory, tls).close());
        assertTrue(e.getMessage().startsWith(jaas), e.getMessage());
        assertFalse(e.getMessage().contains("s3cret"), e.getMessage());
    }

    private void assertInvalid(String key, String value) {
        InvalidOptionException e =
                assertThrows(
                        InvalidOptionException.class,
                        () -> start(Map.of(key, value)).close(),
                        key + "=" + value);
        assertTrue(e.getMessage().startsWith(key), e.getMessage());
    }

    /** As in an application that embeds the server and does not have the library. */
    @Test
    void shouldNameTheLibraryThatIsMissingAndNeedItForNothingElse() throws Exception {
        assertTrue(
                ended("OAUTHBEARER,PLAIN")
                        .contains(
                                "OAUTHBEARER for listener SASL_PLAINTEXT"
                                        + " (SASL_PLAINTEXT) needs the library org.bitbucket.b_c:jose4j"));
        assertTrue(ended("PLAIN").contains("Serving "));
    }

    /** What a process of the server says without the library, until it serves or ends. */
    private String ended(String mechanisms) throws Exception {
        Map<String, String> settings = settings();
        settings.put("sasl.enabled.mechanisms", mechanisms);
        Path file = directory.resolve("server.properties");
        try (var out = Files.newBufferedWriter(file)) {
            var properties = new Properties();
            properties.putAll(settings);
            properties.store(out, null);
        }
        String path =
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .filter(each -> !each.contains("jose4j"))
                        .collect(Collectors.joining(File.pathSeparator));
        Path said = directory.resolve("said-" + mechanisms);
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-Xmx128m",
                                "-cp",
                                path,
                                ServerMain.class.getName(),
                                file.toString())
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile())
                        .start();
        try {
            Running.await(
                    "the server to start or end",
                    () -> !process.isAlive() || read(said).contains("Serving "));
            return read(said);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
