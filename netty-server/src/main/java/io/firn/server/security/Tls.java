package io.firn.server.security;

import io.firn.InvalidOptionException;
import io.firn.medium.FileMedium;
import io.firn.medium.OpenToOthers;
import io.firn.server.config.Listener;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.config.internals.BrokerSecurityConfigs;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;

/**
 * The certificates of a listener, and how it encrypts. Files that have changed are taken up for the
 * connections that follow; those that are open keep what they have. Thread-safe.
 */
public final class Tls {
    private static final System.Logger LOG = System.getLogger("io.firn.server");

    /** The JDK keeps up to 20,480 sessions of clients that do not take a ticket instead. */
    private static final int MOST_SESSIONS = 2_000;

    private final Listener listener;
    private final Map<String, Object> options;
    private final TlsEngines.Library openSsl;
    private final long sessionsNs;
    private volatile Current current;

    /** What was logged of files that cannot be used: they are looked at again and again. */
    private String refusal = "";

    /**
     * What was read, and the engines that use it. With them end the sessions that clients may
     * resume, and the keys of their tickets: neither library limits the age of each kind of
     * session.
     */
    private record Current(DefaultSslEngineFactory read, TlsEngines engines, long sinceNs) {}

    /**
     * Reads the certificates.
     *
     * @param openSsl makes the engines if the listener does not want the JDK's
     * @throws InvalidOptionException if a file cannot be read or used; names it
     */
    Tls(Listener listener, TlsEngines.Library openSsl) {
        this.listener = listener;
        this.openSsl = openSsl;
        this.options = options(listener);
        this.sessionsNs =
                TimeUnit.MILLISECONDS.toNanos(
                        Long.parseLong(listener.text("firn.ssl.session.timeout.ms")));
        for (String key : List.of("ssl.keystore.location", "ssl.truststore.location")) {
            String file = listener.text(key);
            if (file != null) {
                OpenToOthers.warn(FileMedium.real(), key, Path.of(file));
            }
        }
        try {
            this.current = read();
        } catch (RuntimeException | GeneralSecurityException e) {
            throw new InvalidOptionException(describe() + " cannot be used: " + reasons(e));
        }
    }

    private String describe() {
        String keys = listener.text("ssl.keystore.location");
        String trusted = listener.text("ssl.truststore.location");
        return "listener "
                + listener.name()
                + ": "
                + (keys == null
                        ? "ssl.keystore.certificate.chain"
                        : "ssl.keystore.location " + keys)
                + (trusted == null ? "" : " with ssl.truststore.location " + trusted);
    }

    /** None of the messages contains a password. */
    private static String reasons(Throwable thrown) {
        StringBuilder all = new StringBuilder();
        Throwable each = thrown;
        for (int i = 0; each != null && i < 4; i++) {
            String message = each.getMessage();
            if (message != null && all.indexOf(message) < 0) {
                all.append(i == 0 ? "" : ": ").append(message);
            }
            each = each.getCause();
        }
        return all.toString();
    }

    // ---- options

    private static Map<String, Object> options(Listener listener) {
        expect(
                listener,
                "ssl.keystore.location",
                "ssl.keystore.certificate.chain",
                "the certificate of the server");
        String clients = clientAuth(listener);
        if (!clients.equals("none")) {
            // Else whoever has a certificate of any public authority would be let in.
            expect(
                    listener,
                    "ssl.truststore.location",
                    "ssl.truststore.certificates",
                    "whose certificates of clients are accepted (ssl.client.auth is "
                            + clients
                            + ")");
        }
        ConfigDef known = new ConfigDef();
        SslConfigs.addClientSslSupport(known);
        Map<String, String> given = new HashMap<>();
        for (String key : known.names()) {
            if (listener.knows(key) && listener.text(key) != null) {
                given.put(key, listener.text(key));
            }
        }
        if (listener.list("ssl.cipher.suites").isEmpty()) {
            given.put("ssl.cipher.suites", String.join(",", strongSuites()));
        }
        Map<String, Object> all = new HashMap<>(known.parse(given));
        all.put(BrokerSecurityConfigs.SSL_CLIENT_AUTH_CONFIG, clients);
        return all;
    }

    private static void expect(Listener listener, String key, String other, String what) {
        if (listener.text(key) == null && listener.text(other) == null) {
            throw new InvalidOptionException(
                    key
                            + ": expected "
                            + what
                            + ", for listener "
                            + listener
                            + ", here or in "
                            + other
                            + "; found nothing");
        }
    }

    /** As in Kafka, the key for all listeners does not hold for those that authenticate by SASL. */
    static String clientAuth(Listener listener) {
        String key = "ssl.client.auth";
        return listener.isSasl() && !listener.hasOwn(key) ? "none" : listener.text(key);
    }

    /** Those of the JDK with forward secrecy and authenticated encryption. */
    private static List<String> strongSuites() {
        try {
            SSLParameters usual = SSLContext.getDefault().getDefaultSSLParameters();
            return Arrays.stream(usual.getCipherSuites())
                    .filter(
                            each ->
                                    each.matches("TLS_(AES|CHACHA20)_.*")
                                            || each.matches("TLS_ECDHE_.*_(GCM|CHACHA20)_.*"))
                    .toList();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK has no TLS", e);
        }
    }

    private Current read() throws GeneralSecurityException {
        DefaultSslEngineFactory factory = new DefaultSslEngineFactory();
        factory.configure(options);
        KeyPairCheck.check(factory.keystore(), listener);
        factory.sslContext().getServerSessionContext().setSessionCacheSize(MOST_SESSIONS);
        SSLEngine engine = factory.createServerSslEngine("", 0);
        if (engine.getEnabledProtocols().length == 0
                || engine.getEnabledCipherSuites().length == 0) {
            throw new GeneralSecurityException("no protocol or no cipher suite is left");
        }
        boolean isOpenSsl = listener.text("firn.ssl.engine").equals("openssl");
        return new Current(
                factory,
                isOpenSsl ? openSsl.engines(options(factory, engine)) : jdk(factory),
                System.nanoTime());
    }

    private static TlsEngines jdk(DefaultSslEngineFactory factory) {
        return (peerAddress, peerPort) -> {
            SSLEngine engine = factory.createServerSslEngine(peerAddress, peerPort);
            SSLParameters parameters = engine.getSSLParameters();
            parameters.setUseCipherSuitesOrder(true);
            engine.setSSLParameters(parameters);
            return engine;
        };
    }

    /** What the JDK's engine would use. */
    private TlsEngines.Options options(DefaultSslEngineFactory factory, SSLEngine engine)
            throws GeneralSecurityException {
        KeyManagerFactory keys =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(factory.keystore(), KeyPairCheck.password(listener));
        TrustManagerFactory trusted = null;
        if (factory.truststore() != null) {
            trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trusted.init(factory.truststore());
        }
        return new TlsEngines.Options(
                keys,
                trusted,
                clientAuth(listener),
                List.of(engine.getEnabledProtocols()),
                List.of(engine.getEnabledCipherSuites()),
                MOST_SESSIONS);
    }

    // ---- use

    /** Returns what engines of the JDK are made of; another one when files have changed. */
    public SSLContext context() {
        return current.read.sslContext();
    }

    /** Returns how engines of the JDK are set up. */
    public SSLParameters parameters() {
        return jdk(current.read).newEngine("", 0).getSSLParameters();
    }

    /** Returns the engine of a new connection. */
    public SSLEngine newEngine(String peerAddress, int peerPort) {
        return current.engines.newEngine(peerAddress, peerPort);
    }

    /**
     * Takes up files that have changed. If they cannot be used, this is logged, and what was read
     * before stays in use. Forgets sessions when it is time. Reads files.
     */
    synchronized void reload() {
        try {
            boolean isChanged = current.read.shouldBeRebuilt(options);
            if (isChanged || System.nanoTime() - current.sinceNs >= sessionsNs) {
                current = read();
                refusal = "";
            }
            if (isChanged) {
                LOG.log(
                        System.Logger.Level.INFO,
                        "{0} has changed: it is used for new connections",
                        describe());
            }
        } catch (RuntimeException | GeneralSecurityException e) {
            String now = reasons(e);
            if (!now.equals(refusal)) {
                refusal = now;
                LOG.log(
                        System.Logger.Level.ERROR,
                        "{0} has changed and cannot be used; what was read before stays in use: {1}",
                        describe(),
                        now);
            }
        }
    }
}
