package io.firn.server.security;

import io.firn.InvalidOptionException;
import io.firn.server.config.Listener;
import java.util.concurrent.Executor;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.security.auth.KafkaPrincipalBuilder;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder;
import org.apache.kafka.common.security.ssl.SslPrincipalMapper;

/**
 * How the connections of a listener are encrypted, and how their clients prove who they are.
 * Thread-safe.
 */
public final class ListenerSecurity {
    /** Of a listener without encryption and authentication. */
    public static final ListenerSecurity PLAIN = new ListenerSecurity();

    private final String name;
    private final SecurityProtocol protocol;
    private final Tls tls;
    private final SaslMechanisms mechanisms;
    private final Limits limits;
    private final Executor handshakes;
    private final AuditLog audit;
    private final KafkaPrincipalBuilder names;
    private final AccessControl control;

    /**
     * The limits of clients that have not authenticated.
     *
     * @param timeoutMs the time that a client has for it
     * @param receiveBytes the size of a request before
     * @param failureDelayMs the time after which a client is told that it has failed
     * @param reauthMs the time after which it has to authenticate by SASL again; 0 for never
     */
    public record Limits(long timeoutMs, int receiveBytes, long failureDelayMs, long reauthMs) {}

    /**
     * What all listeners of a server use.
     *
     * @param scram the users that authenticate by SCRAM
     * @param handshakes runs what takes long in a handshake
     * @param control decides what clients may do; null if everybody may do everything
     * @param audit is told of those who sign in
     * @param openSsl makes engines of TLS that are not the JDK's
     */
    public record Services(
            ScramUsers scram,
            Executor handshakes,
            AccessControl control,
            AuditLog audit,
            TlsEngines.Library openSsl) {}

    private ListenerSecurity() {
        name = "PLAINTEXT";
        protocol = SecurityProtocol.PLAINTEXT;
        tls = null;
        mechanisms = null;
        limits = new Limits(Long.MAX_VALUE, Integer.MAX_VALUE, 0, 0);
        handshakes = null;
        control = null;
        audit = new AuditLog();
        names = new DefaultKafkaPrincipalBuilder(null, SslPrincipalMapper.fromRules("DEFAULT"));
    }

    /**
     * Reads what a listener needs.
     *
     * @throws InvalidOptionException if a value is invalid or a file cannot be used
     */
    ListenerSecurity(Listener listener, Limits limits, Services services) {
        this.audit = services.audit();
        this.name = listener.name();
        this.protocol = SecurityProtocol.forName(listener.protocol());
        this.limits = limits;
        this.handshakes = services.handshakes();
        this.control = services.control();
        this.names = new DefaultKafkaPrincipalBuilder(null, mapper(listener));
        this.tls = listener.isEncrypted() ? new Tls(listener, services.openSsl()) : null;
        this.mechanisms = listener.isSasl() ? new SaslMechanisms(listener, services.scram()) : null;
    }

    private static SslPrincipalMapper mapper(Listener listener) {
        String rules = listener.text("ssl.principal.mapping.rules");
        try {
            return SslPrincipalMapper.fromRules(rules);
        } catch (KafkaException | IllegalArgumentException e) {
            throw new InvalidOptionException(
                    "ssl.principal.mapping.rules: expected rules as RULE:PATTERN/NAME/ or DEFAULT,"
                            + " found '"
                            + rules
                            + "': "
                            + e.getMessage());
        }
    }

    /** Returns the log of those who sign in and of what they are denied. */
    public AuditLog audit() {
        return audit;
    }

    /** Returns the name of the listener. */
    public String name() {
        return name;
    }

    /** Returns the certificates and options of TLS; null if connections are not encrypted. */
    public Tls tls() {
        return tls;
    }

    /** Returns the limits of clients that have not authenticated. */
    public Limits limits() {
        return limits;
    }

    /** Returns what runs the parts of handshakes that take long. */
    public Executor handshakes() {
        return handshakes;
    }

    /** Returns whether clients authenticate by SASL. */
    public boolean isSasl() {
        return mechanisms != null;
    }

    /** Returns what verifies tokens; null if clients show none. */
    BearerTokens tokens() {
        return mechanisms == null ? null : mechanisms.tokens();
    }

    SaslMechanisms mechanisms() {
        return mechanisms;
    }

    SecurityProtocol protocol() {
        return protocol;
    }

    AccessControl control() {
        return control;
    }

    KafkaPrincipalBuilder names() {
        return names;
    }
}
