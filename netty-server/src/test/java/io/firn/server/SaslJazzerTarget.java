package io.firn.server;

import io.firn.medium.FileMedium;
import io.firn.server.config.ServerConfig;
import io.firn.server.security.AuditLog;
import io.firn.server.security.Authentication;
import io.firn.server.security.ListenerSecurity;
import io.firn.server.security.ScramUsers;
import io.firn.server.security.ServerSecurity;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.security.sasl.SaslException;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.security.scram.ScramCredential;
import org.apache.kafka.common.security.scram.internals.ScramFormatter;
import org.apache.kafka.common.security.scram.internals.ScramMechanism;
import org.apache.kafka.common.security.scram.internals.ScramSaslClient;

/**
 * What {@code bin/check fuzz --jazzer-sasl} runs, guided by the code that an input reaches: what a
 * client says to authenticate. An input is a list of steps: a byte that says what, and bytes with
 * their length before them. Whatever they are: nothing is thrown, nobody is authenticated without
 * the password, and who is stays the same principal.
 */
public final class SaslJazzerTarget {
    private static final String USER = "alice";
    private static final String PASSWORD = "alices-s3cret-0123456789";
    private static final String PLAIN_PASSWORD = "alices-other-s3cret-9876543210";
    private static final List<String> MECHANISMS =
            List.of("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512");
    private static final int KINDS = 7;

    /** Held: what a logger was set to goes with it. */
    private static final Logger LOG = Logger.getLogger("io.firn");

    private static ListenerSecurity security;
    private static InetAddress peer;

    private final Authentication client = new Authentication(security, peer);
    private ScramSaslClient honest = honest("");
    private byte[] challenge = new byte[0];
    private boolean mayBeIn;

    private SaslJazzerTarget() {}

    /** Makes the users. */
    public static void fuzzerInitialize() throws Exception {
        LOG.setLevel(Level.OFF);
        Path directory = Files.createTempDirectory("firn-jazzer");
        ServerConfig config =
                ServerConfig.of(
                        Map.of(
                                "listeners",
                                "SASL_PLAINTEXT://127.0.0.1:0",
                                "sasl.enabled.mechanisms",
                                String.join(",", MECHANISMS),
                                "connections.max.reauth.ms",
                                "1000",
                                "listener.name.sasl_plaintext.plain.sasl.jaas.config",
                                "org.apache.kafka.common.security.plain.PlainLoginModule"
                                        + " required user_alice=\""
                                        + PLAIN_PASSWORD
                                        + "\";"));
        ScramUsers users = ScramUsers.open(FileMedium.real(), directory);
        for (ScramMechanism each : ScramMechanism.values()) {
            ScramCredential credential =
                    new ScramFormatter(each).generateCredential(PASSWORD, 4_096);
            users.change(Map.of(new ScramUsers.User(USER, each), credential));
        }
        security =
                new ServerSecurity(
                                config,
                                new ListenerSecurity.Services(
                                        users, Runnable::run, null, new AuditLog(), null))
                        .listener("SASL_PLAINTEXT");
        peer = InetAddress.getByName("127.0.0.1");
    }

    /** Jazzer's entry. */
    public static void fuzzerTestOneInput(byte[] input) {
        new SaslJazzerTarget().run(ByteBuffer.wrap(input));
    }

    /** {@code SaslJazzerTarget DIRECTORY}: inputs to begin with. */
    public static void main(String[] arguments) throws IOException {
        Path corpus = Files.createDirectories(Path.of(arguments[0]));
        byte[][] seeds = {
            {0, 0, 4, 1, 'x'},
            {1, 0, 2, 0, 5, 0},
            {2, 0, 2, 0, 5, 0, 0, 0, 2, 0, 5, 0},
            {1, 0, 2, 3, 0, 1, 9, 3, 2, 'a', 'b'},
            {1, 0, 2, 0, 3, 4, 'y', 'y', '=', '='},
            {1, 0, 6, 0}
        };
        for (int i = 0; i < seeds.length; i++) {
            Files.write(corpus.resolve("seed-" + i), seeds[i]);
        }
        System.out.println(seeds.length + " inputs to begin with");
    }

    private void run(ByteBuffer input) {
        while (input.remaining() >= 2 && !client.isFailed()) {
            int kind = input.get() & 0xff;
            byte[] bytes = new byte[Math.min(input.get() & 0xff, input.remaining())];
            input.get(bytes);
            step(kind % KINDS, kind / KINDS % MECHANISMS.size(), bytes);
            check();
        }
    }

    private void step(int kind, int mechanism, byte[] bytes) {
        switch (kind) {
            case 0 -> begin(MECHANISMS.get(mechanism), (short) 1);
            case 1 -> begin(text(bytes), (short) (mechanism - 1));
            case 2 -> say(changed(honestly(new byte[0]), bytes));
            case 3 -> say(finalMessage(bytes));
            case 4 -> say(bytes);
            case 5 -> {
                mayBeIn = true; // the password is right, and so may be what is said
                say(changed(honestly(challenge), bytes));
            }
            default -> {
                mayBeIn |= text(bytes).contains(PLAIN_PASSWORD);
                say(("\0" + USER + "\0" + text(bytes)).getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    /** What a client with the password says to this; nothing if it finds that out of order. */
    private byte[] honestly(byte[] asked) {
        try {
            byte[] said = honest.evaluateChallenge(asked);
            return said == null ? new byte[0] : said;
        } catch (SaslException | RuntimeException e) {
            return new byte[0];
        }
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private void begin(String mechanism, short version) {
        honest = honest(mechanism);
        client.handshake(mechanism, version);
    }

    private void say(byte[] message) {
        SaslAuthenticateResponseData answer = client.authenticate(message, 0);
        challenge = answer.authBytes();
    }

    /** A client's last message, with the nonce of the server and a proof of these bytes. */
    private byte[] finalMessage(byte[] bytes) {
        String nonce = text(challenge).split(",", -1)[0];
        String proof = Base64.getEncoder().encodeToString(bytes);
        return ("c=biws," + nonce + ",p=" + proof).getBytes(StandardCharsets.UTF_8);
    }

    /** Changes a byte for each two: where, and by what. */
    private static byte[] changed(byte[] message, byte[] changes) {
        for (int i = 0; i + 1 < changes.length && message.length > 0; i += 2) {
            message[(changes[i] & 0xff) % message.length] ^= changes[i + 1];
        }
        return message;
    }

    private void check() {
        if (!client.isComplete()) {
            if (client.isKnown() || client.mayAsk(ApiKeys.METADATA, 0)) {
                throw new IllegalStateException("it may ask, and is " + client.principal());
            }
        } else if (!mayBeIn) {
            throw new IllegalStateException("let in without the password");
        } else if (!client.principal().equals("User:" + USER)) {
            throw new IllegalStateException("it is " + client.principal());
        }
    }

    private static ScramSaslClient honest(String name) {
        ScramMechanism mechanism = ScramMechanism.forMechanismName(name);
        try {
            return new ScramSaslClient(
                    mechanism == null ? ScramMechanism.SCRAM_SHA_256 : mechanism,
                    Dialer.answering(USER, PASSWORD));
        } catch (java.security.GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
