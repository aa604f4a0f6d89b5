package io.firn.server.security;

import io.firn.InvalidOptionException;
import io.firn.server.config.Listener;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.CallbackHandler;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.UnsupportedCallbackException;
import javax.security.sasl.SaslException;
import javax.security.sasl.SaslServer;
import org.apache.kafka.common.security.oauthbearer.internals.OAuthBearerSaslServer;
import org.apache.kafka.common.security.plain.PlainAuthenticateCallback;
import org.apache.kafka.common.security.plain.internals.PlainSaslServer;
import org.apache.kafka.common.security.scram.ScramCredentialCallback;
import org.apache.kafka.common.security.scram.internals.ScramMechanism;
import org.apache.kafka.common.security.scram.internals.ScramSaslServer;

/**
 * The SASL mechanisms of a listener: Kafka's own, created directly, so that no provider is
 * registered in an embedder's process. Thread-safe.
 */
final class SaslMechanisms {
    private static final String PLAIN = "PLAIN";
    private static final String BEARER = "OAUTHBEARER";

    /** Kafka's patterns for these messages recurse as deeply as they are long. */
    private static final int MOST_SCRAM_BYTES = 4_096;

    private final List<String> names;
    private final ScramUsers scram;
    private final PlainUsers plain;
    private final BearerTokens tokens;

    SaslMechanisms(Listener listener, ScramUsers scram) {
        this.names = listener.list("sasl.enabled.mechanisms");
        this.scram = scram;
        if (names.isEmpty()) {
            throw new InvalidOptionException(
                    "sasl.enabled.mechanisms: expected one or more of PLAIN, SCRAM-SHA-256,"
                            + " SCRAM-SHA-512 and OAUTHBEARER for listener "
                            + listener
                            + ", found none");
        }
        this.plain = names.contains(PLAIN) ? PlainUsers.of(listener) : null;
        this.tokens = names.contains(BEARER) ? tokens(listener) : null;
    }

    /** Only here is the library for tokens loaded. */
    private static BearerTokens tokens(Listener listener) {
        try {
            return new BearerTokens(listener);
        } catch (NoClassDefFoundError e) {
            throw new InvalidOptionException(
                    "sasl.enabled.mechanisms: OAUTHBEARER for listener "
                            + listener
                            + " needs the library org.bitbucket.b_c:jose4j; add it to the class"
                            + " path, or remove OAUTHBEARER");
        }
    }

    /** Returns what verifies the tokens of OAUTHBEARER; null if it is not enabled. */
    BearerTokens tokens() {
        return tokens;
    }

    /** Returns whether clients of a mechanism show a token, which has an end. */
    static boolean hasTokens(String mechanism) {
        return mechanism.equals(BEARER);
    }

    List<String> names() {
        return names;
    }

    /**
     * Returns a new exchange by a mechanism that is enabled.
     *
     * @param onName is told who the client says it is
     * @param onRefusal is told why a token is refused
     */
    SaslServer begin(String name, Consumer<String> onName, Consumer<String> onRefusal) {
        if (name.equals(PLAIN)) {
            return new PlainSaslServer(callbacks(null, onName));
        }
        if (name.equals(BEARER)) {
            return new OAuthBearerSaslServer(new BearerExchange(tokens, onName, onRefusal));
        }
        ScramMechanism mechanism = ScramMechanism.forMechanismName(name);
        try {
            return new ScramSaslServer(mechanism, Map.of(), callbacks(mechanism, onName));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has what " + name + " needs", e);
        }
    }

    /**
     * Checks a message before Kafka's patterns see it.
     *
     * @throws SaslException if it is larger or has more parts than it should have
     */
    static void check(String mechanism, byte[] message) throws SaslException {
        if (hasTokens(mechanism)) {
            BearerExchange.check(message);
        } else if (mechanism.startsWith("SCRAM") && message.length > MOST_SCRAM_BYTES) {
            throw new SaslException("a message of " + message.length + " bytes");
        }
    }

    private CallbackHandler callbacks(ScramMechanism mechanism, Consumer<String> onName) {
        return all -> {
            String name = null;
            for (Callback each : all) {
                if (each instanceof NameCallback asked) {
                    name = asked.getDefaultName();
                    onName.accept(name);
                } else if (each instanceof ScramCredentialCallback asked && mechanism != null) {
                    asked.scramCredential(scram.find(name, mechanism));
                } else if (each instanceof PlainAuthenticateCallback asked && plain != null) {
                    asked.authenticated(plain.isPassword(name, asked.password()));
                } else {
                    throw new UnsupportedCallbackException(each); // delegation tokens
                }
            }
        };
    }
}
