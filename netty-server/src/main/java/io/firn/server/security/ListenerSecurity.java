package io.firn.server.security;

import io.firn.InvalidOptionException;
import io.firn.server.config.Listener;
import java.util.concurrent.Executor;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.security.auth.KafkaPrincipalBuilder;
import org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder;
import org.apache.kafka.common.security.ssl.SslPrincipalMapper;

/** How the connections of a listener are encrypted, and how their clients prove who they are. */
public final class ListenerSecurity {
    /** Of a listener without encryption and authentication. */
    public static final ListenerSecurity PLAIN =
            new ListenerSecurity("PLAINTEXT", null, false, new Limits(Long.MAX_VALUE), null);

    private final String name;
    private final Tls tls;
    private final boolean sasl;
    private final Limits limits;
    private final Executor handshakes;
    private final KafkaPrincipalBuilder names;

    /**
     * The limits of clients that have not authenticated.
     *
     * @param timeoutMs the time that a client has for it
     */
    public record Limits(long timeoutMs) {}

    private ListenerSecurity(
            String name, Tls tls, boolean sasl, Limits limits, Executor handshakes) {
        this(name, tls, sasl, limits, handshakes, SslPrincipalMapper.fromRules("DEFAULT"));
    }

    private ListenerSecurity(
            String name,
            Tls tls,
            boolean sasl,
            Limits limits,
            Executor handshakes,
            SslPrincipalMapper mapper) {
        this.name = name;
        this.tls = tls;
        this.sasl = sasl;
        this.limits = limits;
        this.handshakes = handshakes;
        this.names = new DefaultKafkaPrincipalBuilder(null, mapper);
    }

    /**
     * Reads what a listener needs.
     *
     * @param handshakes runs what takes long in a handshake
     * @throws InvalidOptionException if a value is invalid or a file cannot be used
     */
    static ListenerSecurity of(Listener listener, Limits limits, Executor handshakes) {
        SslPrincipalMapper mapper;
        try {
            mapper = SslPrincipalMapper.fromRules(listener.text("ssl.principal.mapping.rules"));
        } catch (KafkaException | IllegalArgumentException e) {
            throw new InvalidOptionException(
                    "ssl.principal.mapping.rules: expected rules as RULE:PATTERN/NAME/ or DEFAULT,"
                            + " found '"
                            + listener.text("ssl.principal.mapping.rules")
                            + "': "
                            + e.getMessage());
        }
        Tls tls = listener.isEncrypted() ? new Tls(listener) : null;
        return new ListenerSecurity(
                listener.name(), tls, listener.isSasl(), limits, handshakes, mapper);
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

    boolean isSasl() {
        return sasl;
    }

    KafkaPrincipalBuilder names() {
        return names;
    }
}
