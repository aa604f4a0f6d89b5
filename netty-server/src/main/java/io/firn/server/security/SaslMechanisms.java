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
import javax.security.sasl.SaslServer;
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

    private final List<String> names;
    private final ScramUsers scram;
    private final PlainUsers plain;

    SaslMechanisms(Listener listener, ScramUsers scram) {
        this.names = listener.list("sasl.enabled.mechanisms");
        this.scram = scram;
        if (names.isEmpty()) {
            throw new InvalidOptionException(
                    "sasl.enabled.mechanisms: expected one or more of PLAIN, SCRAM-SHA-256 and"
                            + " SCRAM-SHA-512 for listener "
                            + listener
                            + ", found none");
        }
        this.plain = names.contains(PLAIN) ? PlainUsers.of(listener) : null;
    }

    List<String> names() {
        return names;
    }

    /**
     * Returns a new exchange by a mechanism that is enabled.
     *
     * @param onName is told who the client says it is
     */
    SaslServer begin(String name, Consumer<String> onName) {
        if (name.equals(PLAIN)) {
            return new PlainSaslServer(callbacks(null, onName));
        }
        ScramMechanism mechanism = ScramMechanism.forMechanismName(name);
        try {
            return new ScramSaslServer(mechanism, Map.of(), callbacks(mechanism, onName));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has what " + name + " needs", e);
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
