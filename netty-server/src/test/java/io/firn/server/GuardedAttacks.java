package io.firn.server;

import io.firn.server.TransactionAttacks.Named;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData;
import org.apache.kafka.common.message.AlterUserScramCredentialsRequestData;
import org.apache.kafka.common.message.AlterUserScramCredentialsRequestData.ScramCredentialUpsertion;
import org.apache.kafka.common.message.AlterUserScramCredentialsResponseData;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.SaslHandshakeRequestData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.message.WriteTxnMarkersResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.security.scram.internals.ScramFormatter;
import org.apache.kafka.common.security.scram.internals.ScramMechanism;
import org.apache.kafka.common.security.scram.internals.ScramSaslClient;

/** What somebody without a password does to a server that lets in nobody else, by TLS and SASL. */
final class GuardedAttacks {
    /** What an outcome begins with that must not be: somebody was let in. */
    static final String LET_IN = "LET IN";

    private static final int OPEN = 1_000;
    private static final String SCRAM = "SCRAM-SHA-256";

    private final Dialer dialer;
    private final String from;
    private final Consumer<String> count;
    private final BooleanSupplier goesOn;
    private final AtomicInteger guessed = new AtomicInteger();
    private byte[][] overheard;

    /**
     * Prepares them.
     *
     * @param from the address that they come from
     * @param count is told what came of each
     * @param goesOn false when the time is up
     */
    GuardedAttacks(Dialer dialer, String from, Consumer<String> count, BooleanSupplier goesOn) {
        this.dialer = dialer;
        this.from = from;
        this.count = count;
        this.goesOn = goesOn;
    }

    private static void pause(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- certificates

    /** Shows a certificate that the server trusts and that has expired; may resume sessions. */
    void showExpired(SSLSocketFactory sockets) {
        while (goesOn.getAsBoolean()) {
            try (Wire wire = dialer.encrypted(from, sockets)) {
                wire.ask(
                        ApiKeys.API_VERSIONS,
                        2,
                        new ApiVersionsRequestData(),
                        new ApiVersionsResponseData());
                count.accept(LET_IN + " by an expired certificate");
            } catch (IOException e) {
                count.accept("refused");
            }
        }
    }

    // ---- connections that do not get far

    /** Connections that say nothing. */
    void stayingSilent() {
        keepOpen(socket -> {});
    }

    /** Connections that send the first half of a TLS handshake's first message. */
    void halfHandshakes() throws SSLException {
        byte[] hello = hello();
        keepOpen(socket -> socket.getOutputStream().write(hello, 0, hello.length / 2));
    }

    /** Does something with a new connection. */
    @FunctionalInterface
    private interface Greeting {
        void send(Socket socket) throws IOException;
    }

    /** Keeps many open; the server may close some, and others take their place. */
    private void keepOpen(Greeting greeting) {
        Deque<Socket> open = new ArrayDeque<>();
        while (goesOn.getAsBoolean()) {
            try {
                Socket socket = dialer.socket(from);
                open.add(socket);
                greeting.send(socket);
                count.accept("opened");
                if (open.size() > OPEN) {
                    open.remove().close();
                }
            } catch (IOException e) {
                count.accept(e.getClass().getSimpleName());
                pause(10);
            }
        }
    }

    private static byte[] hello() throws SSLException {
        try {
            SSLEngine engine = SSLContext.getDefault().createSSLEngine("127.0.0.1", 1);
            engine.setUseClientMode(true);
            ByteBuffer out = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
            engine.wrap(ByteBuffer.allocate(0), out);
            byte[] bytes = new byte[out.flip().remaining()];
            out.get(bytes);
            return bytes;
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new SSLException(e);
        }
    }

    /** Connections that send a byte at a time: half of them a handshake, half of them a request. */
    void sendingSlowly() throws IOException {
        byte[] hello = hello();
        byte[] request =
                Wire.framed(
                        Wire.request(
                                ApiKeys.API_VERSIONS, (short) 2, new ApiVersionsRequestData()));
        List<Socket> handshakes = new ArrayList<>();
        List<Wire> requests = new ArrayList<>();
        for (int at = 0; goesOn.getAsBoolean(); at++) {
            while (handshakes.size() < 200) {
                handshakes.add(dialer.socket(from));
            }
            for (int i = 0; i < 5 && requests.size() < 100; i++) {
                try {
                    requests.add(dialer.unknown(from));
                } catch (IOException e) {
                    count.accept(e.getClass().getSimpleName());
                }
            }
            int one = at;
            handshakes.removeIf(
                    each -> fails(() -> each.getOutputStream().write(hello[one % hello.length])));
            requests.removeIf(
                    each -> fails(() -> each.sendRaw(new byte[] {request[one % request.length]})));
            pause(100);
        }
    }

    /** Writes something. */
    @FunctionalInterface
    private interface Writing {
        void run() throws IOException;
    }

    private boolean fails(Writing writing) {
        try {
            writing.run();
            count.accept("sent a byte");
            return false;
        } catch (IOException e) {
            count.accept("cut off");
            return true;
        }
    }

    // ---- passwords

    /** Wrong passwords, by each mechanism, as fast as it goes. */
    void guess(Wire wire, int number) throws IOException {
        String guess = "guess-" + guessed.incrementAndGet();
        try {
            int error;
            if (number % 2 == 0) {
                error = Dialer.authenticate(wire, "PLAIN", Dialer.plain(guess)).errorCode();
            } else {
                ScramSaslClient client = scram(guess);
                byte[] first = client.evaluateChallenge(new byte[0]);
                byte[] challenge = Dialer.authenticate(wire, SCRAM, first).authBytes();
                byte[] last = client.evaluateChallenge(challenge);
                error = Dialer.authenticate(wire, last).errorCode();
            }
            if (error == 0) {
                count.accept(LET_IN + " by a guess");
            }
        } catch (javax.security.sasl.SaslException e) {
            throw new IOException(e);
        }
    }

    private static ScramSaslClient scram(String password) {
        try {
            return new ScramSaslClient(
                    ScramMechanism.SCRAM_SHA_256, Dialer.answering(Dialer.USER, password));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Listens to a client that signs in, which it does once before the attack. */
    void overhear() throws IOException {
        addScramUser();
        try (Wire wire = dialer.unknown(from)) {
            ScramSaslClient client = scram(Dialer.PASSWORD);
            byte[] first = client.evaluateChallenge(new byte[0]);
            byte[] challenge = Dialer.authenticate(wire, SCRAM, first).authBytes();
            byte[] last = client.evaluateChallenge(challenge);
            if (Dialer.authenticate(wire, last).errorCode() != 0) {
                throw new IOException("the password was refused");
            }
            overheard = new byte[][] {first, last};
        }
    }

    private void addScramUser() throws IOException {
        byte[] salt = new byte[16];
        try (Wire wire = dialer.signedIn(from)) {
            ScramFormatter formatter = new ScramFormatter(ScramMechanism.SCRAM_SHA_256);
            var request = new AlterUserScramCredentialsRequestData();
            request.upsertions()
                    .add(
                            new ScramCredentialUpsertion()
                                    .setName(Dialer.USER)
                                    .setMechanism((byte) 1)
                                    .setIterations(4_096)
                                    .setSalt(salt)
                                    .setSaltedPassword(
                                            formatter.hi(
                                                    Dialer.PASSWORD.getBytes(
                                                            StandardCharsets.UTF_8),
                                                    salt,
                                                    4_096)));
            var answer =
                    wire.ask(
                            ApiKeys.ALTER_USER_SCRAM_CREDENTIALS,
                            0,
                            request,
                            new AlterUserScramCredentialsResponseData());
            if (answer.results().get(0).errorCode() != 0) {
                throw new IOException(answer.toString());
            }
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    /** Says again what was heard; also with the nonce that the server gives now. */
    void replay(Wire wire, int number) throws IOException {
        byte[] challenge = Dialer.authenticate(wire, SCRAM, overheard[0]).authBytes();
        byte[] last = overheard[1];
        if (number % 2 == 0) {
            String now = new String(challenge, StandardCharsets.UTF_8).split(",", -1)[0];
            String then = new String(last, StandardCharsets.UTF_8);
            last =
                    then.replaceFirst("r=[^,]*", Matcher.quoteReplacement(now))
                            .getBytes(StandardCharsets.UTF_8);
        }
        if (Dialer.authenticate(wire, last).errorCode() == 0) {
            count.accept(LET_IN + " by a replay");
        }
    }

    // ---- transactions of others

    /** Lets a user without other rights use names of its own. */
    void allowOwnNames() throws IOException {
        try (Wire wire = dialer.signedIn(from)) {
            wire.send(LongRequests.allowOwn("User:" + Dialer.OTHER, Dialer.OTHER));
            wire.receive();
        }
    }

    /**
     * Tries to hold up the readers of somebody else's topic, to take over somebody else's
     * transactional id, and to end transactions by markers. The wire is not signed in.
     */
    void meddle(Wire unused, int number) throws IOException {
        try (Wire wire = dialer.signedIn(from, Dialer.OTHER)) {
            Named own = TransactionAttacks.open(wire, Dialer.OTHER + number);
            if (own == null) {
                throw new IOException("its own transactional id was refused");
            }
            wire.send(TransactionAttacks.add(own, Bystander.TOPIC, 0));
            int added =
                    wire.receive(
                                    ApiKeys.ADD_PARTITIONS_TO_TXN,
                                    3,
                                    new AddPartitionsToTxnResponseData())
                            .resultsByTopicV3AndBelow()
                            .iterator()
                            .next()
                            .resultsByPartition()
                            .iterator()
                            .next()
                            .partitionErrorCode();
            mustBeRefused(added, "added a partition of another");
            wire.send(TransactionAttacks.produce(own, 0, Bystander.TOPIC, 0));
            mustBeRefused(Asks.produced(wire).errorCode(), "produced to a topic of another");
            mustBeRefused(
                    TransactionAttacks.open(wire, Bystander.TRANSACTIONS) == null ? 1 : 0,
                    "fenced another");
            for (short epoch = 0; epoch < 3; epoch++) {
                for (long id = own.id() - 10; id < own.id(); id++) {
                    Named other = new Named(Bystander.TRANSACTIONS, id, epoch);
                    wire.send(TransactionAttacks.end(other, false));
                    mustBeRefused(
                            wire.receive(ApiKeys.END_TXN, 3, new EndTxnResponseData()).errorCode(),
                            "ended a transaction of another");
                    wire.send(
                            TransactionAttacks.end(
                                    new Named(Dialer.OTHER + number, id, epoch), false));
                    mustBeRefused(
                            wire.receive(ApiKeys.END_TXN, 3, new EndTxnResponseData()).errorCode(),
                            "ended a transaction by another id");
                    wire.send(TransactionAttacks.marker(id, epoch, Bystander.TOPIC));
                    int marked =
                            wire.receive(
                                            ApiKeys.WRITE_TXN_MARKERS,
                                            1,
                                            new WriteTxnMarkersResponseData())
                                    .markers()
                                    .get(0)
                                    .topics()
                                    .get(0)
                                    .partitions()
                                    .get(0)
                                    .errorCode();
                    mustBeRefused(marked, "wrote a marker");
                }
            }
            count.accept("all refused");
        }
    }

    private void mustBeRefused(int code, String what) {
        if (code == 0) {
            count.accept(LET_IN + ": " + what);
        }
    }

    /** Exchanges that are damaged: messages in any order, with bytes changed, cut and repeated. */
    void damagedExchange(Wire wire, int number) throws IOException {
        Random random = new Random();
        ScramSaslClient client = scram("guess");
        try {
            byte[] message = client.evaluateChallenge(new byte[0]);
            for (int i = 0; i < 4; i++) {
                if (i == 0 || random.nextInt(4) == 0) {
                    String[] names = {SCRAM, "SCRAM-SHA-512", "PLAIN", "GSSAPI", ""};
                    wire.ask(
                            ApiKeys.SASL_HANDSHAKE,
                            1,
                            new SaslHandshakeRequestData()
                                    .setMechanism(names[random.nextInt(names.length)]),
                            new SaslHandshakeResponseData());
                }
                var answer = Dialer.authenticate(wire, damaged(message, random));
                if (answer.errorCode() == 0 && answer.authBytes().length > 0) {
                    message =
                            random.nextBoolean()
                                    ? client.evaluateChallenge(answer.authBytes())
                                    : answer.authBytes();
                }
            }
            wire.send(Wire.request(ApiKeys.METADATA, (short) 12, new MetadataRequestData()));
            wire.receive();
            count.accept(LET_IN + " by a damaged exchange");
        } catch (javax.security.sasl.SaslException e) {
            throw new IOException(e);
        }
    }

    private static byte[] damaged(byte[] message, Random random) {
        byte[] bytes = java.util.Arrays.copyOf(message, random.nextInt(2 * message.length + 1));
        for (int i = random.nextInt(4); i > 0 && bytes.length > 0; i--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        return random.nextInt(3) == 0 ? message : bytes;
    }
}
