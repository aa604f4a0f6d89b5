package io.firn.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.CallbackHandler;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.PasswordCallback;
import org.apache.kafka.common.message.SaslAuthenticateRequestData;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeRequestData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.protocol.ApiKeys;

/** Connects to a server: as anybody, or by TLS and with a password. */
final class Dialer {
    static final String USER = "bystander";
    static final String PASSWORD = "by-the-way";

    /** A user with a password, and no right but what ACLs give it. */
    static final String OTHER = "mallory";

    private final int port;
    private final Path trusted;
    private final SSLSocketFactory tls;

    private Dialer(int port, Path trusted, SSLSocketFactory tls) {
        this.port = port;
        this.trusted = trusted;
        this.tls = tls;
    }

    /**
     * By TLS and a password if a store of trusted certificates is given.
     *
     * @param trusted may be null
     */
    static Dialer to(int port, Path trusted) throws IOException {
        try {
            return new Dialer(
                    port,
                    trusted,
                    trusted == null ? null : TestKeys.context(trusted, null).getSocketFactory());
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    /** What a server needs that lets nobody in without TLS and a password. */
    static Map<String, String> guarded(TestKeys keys) {
        Map<String, String> settings = new LinkedHashMap<>(keys.keystore());
        settings.put("listeners", "SASL_SSL://127.0.0.1:0");
        settings.put("sasl.enabled.mechanisms", "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512");
        settings.put(
                "listener.name.sasl_ssl.plain.sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required user_"
                        + USER
                        + "=\""
                        + PASSWORD
                        + "\" user_"
                        + OTHER
                        + "=\""
                        + PASSWORD
                        + "\";");
        settings.put("super.users", "User:" + USER);
        return settings;
    }

    int port() {
        return port;
    }

    /** A connection that may do everything, from an address of this machine. */
    Wire signedIn(String from) throws IOException {
        return signedIn(from, USER);
    }

    /** A connection of one of the users. */
    Wire signedIn(String from, String user) throws IOException {
        Wire wire = unknown(from);
        try {
            if (tls != null
                    && authenticate(wire, "PLAIN", plain(user, PASSWORD)).errorCode() != 0) {
                throw new IOException("the password was refused");
            }
            return wire;
        } catch (IOException | RuntimeException | AssertionError e) {
            wire.close();
            throw e;
        }
    }

    /** A connection that is encrypted, if the server wants that, and not authenticated. */
    Wire unknown(String from) throws IOException {
        return tls == null ? new Wire(from, port) : encrypted(from, tls);
    }

    /** What connects with a certificate, whose key is beside the trusted ones. */
    SSLSocketFactory presenting(String name) throws Exception {
        return TestKeys.context(trusted, TestKeys.of(trusted.getParent(), name)).getSocketFactory();
    }

    /** A connection that is encrypted and not authenticated. */
    Wire encrypted(String from, SSLSocketFactory sockets) throws IOException {
        Socket plain = socket(from);
        try {
            SSLSocket socket = (SSLSocket) sockets.createSocket(plain, "127.0.0.1", port, true);
            socket.startHandshake();
            return new Wire(socket);
        } catch (IOException e) {
            plain.close();
            throw e;
        }
    }

    /** A connection on which nothing was sent. */
    Socket socket(String from) throws IOException {
        Socket socket = new Socket();
        try {
            socket.bind(new InetSocketAddress(from, 0));
            socket.setSoTimeout(30_000);
            socket.setTcpNoDelay(true);
            socket.connect(new InetSocketAddress("127.0.0.1", port), 10_000);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    static byte[] plain(String password) {
        return plain(USER, password);
    }

    private static byte[] plain(String user, String password) {
        return ("\0" + user + "\0" + password).getBytes(StandardCharsets.UTF_8);
    }

    /** Who a client of SASL says it is. */
    static CallbackHandler answering(String name, String password) {
        return all -> {
            for (Callback each : all) {
                if (each instanceof NameCallback asked) {
                    asked.setName(name);
                } else if (each instanceof PasswordCallback asked) {
                    asked.setPassword(password.toCharArray());
                }
            }
        };
    }

    /** Chooses a mechanism and sends its first message. */
    static SaslAuthenticateResponseData authenticate(Wire wire, String mechanism, byte[] first)
            throws IOException {
        SaslHandshakeResponseData chosen =
                wire.ask(
                        ApiKeys.SASL_HANDSHAKE,
                        1,
                        new SaslHandshakeRequestData().setMechanism(mechanism),
                        new SaslHandshakeResponseData());
        if (chosen.errorCode() != 0) {
            throw new IOException(mechanism + " was refused: error " + chosen.errorCode());
        }
        return authenticate(wire, first);
    }

    /** Sends the next message of a mechanism. */
    static SaslAuthenticateResponseData authenticate(Wire wire, byte[] message) throws IOException {
        return wire.ask(
                ApiKeys.SASL_AUTHENTICATE,
                2,
                new SaslAuthenticateRequestData().setAuthBytes(message),
                new SaslAuthenticateResponseData());
    }
}
