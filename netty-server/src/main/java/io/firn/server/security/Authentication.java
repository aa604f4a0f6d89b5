package io.firn.server.security;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSession;
import javax.security.sasl.SaslException;
import javax.security.sasl.SaslServer;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SaslAuthenticationContext;
import org.apache.kafka.common.security.auth.SslAuthenticationContext;
import org.apache.kafka.common.security.authenticator.SaslInternalConfigs;

/**
 * Who the client of a connection is, and what is missing until that is known. Changed on the
 * connection's event loop; what its listener asks for and who the client is, any thread may read.
 *
 * <pre>
 *  without SASL ──────────────────────────────┐
 *                                             ▼
 *  HANDSHAKE ──▶ EXCHANGE ──proved──────────▶ DONE
 *      │  ▲         │                          │
 *      │  └─────────┼───a new SaslHandshake────┘
 *      └─────▶ FAILED ◀ any error
 * </pre>
 *
 * As in Kafka, a client whose session ends authenticates again on the same connection, by the same
 * mechanism and as the same principal.
 */
public final class Authentication {
    private static final String ANONYMOUS = KafkaPrincipal.ANONYMOUS.toString();

    /** Distinguished names have some hundred; what is remembered of a client is named by it. */
    private static final int MOST_NAME_CHARS = 1_024;

    /** The longest session that a client is told of: it counts in ns. */
    private static final long LONGEST_SESSION_MS = TimeUnit.DAYS.toMillis(3_650);

    private enum Step {
        HANDSHAKE,
        EXCHANGE,
        DONE,
        FAILED
    }

    private final ListenerSecurity listener;
    private final InetAddress peer;
    private volatile String principal;
    private volatile Access access;
    private volatile boolean complete;

    private Step step;
    private Optional<SSLSession> session = Optional.empty();
    private String mechanism;
    private String said;
    private String refusal;
    private String means = "SASL";
    private SaslServer exchange;
    private boolean hasEnd;
    private long endNs;
    private ClientCertificate certificate;

    /**
     * Begins with nothing known.
     *
     * @param peer the address of the client
     */
    public Authentication(ListenerSecurity listener, InetAddress peer) {
        this.listener = listener;
        this.peer = peer;
        this.complete = listener.tls() == null && !listener.isSasl();
        this.step = listener.isSasl() ? Step.HANDSHAKE : Step.DONE;
        becomes(ANONYMOUS);
    }

    private void becomes(String name) {
        String host = peer == null ? "" : peer.getHostAddress();
        access = Access.of(listener.control(), listener.audit(), listener.name(), name, host);
        principal = name;
    }

    /** Returns how the listener is secured. */
    public ListenerSecurity listener() {
        return listener;
    }

    /**
     * Returns whether the client has done all that its listener asks for: its requests are handled.
     */
    public boolean isComplete() {
        return complete;
    }

    /** Returns who the client is, such as {@code User:alice}. */
    public String principal() {
        return principal;
    }

    /** Returns what the client may do. */
    public Access access() {
        return access;
    }

    /** Returns whether the client has proved who it is. */
    public boolean isKnown() {
        return !principal.equals(ANONYMOUS);
    }

    /** Returns whether the client has tried and failed; the connection is to be closed. */
    public boolean isFailed() {
        return step == Step.FAILED;
    }

    /** Returns why the client has failed, for the log. */
    public String failure() {
        String what = "the client has failed to authenticate by " + means;
        return refusal == null ? what : what + ": " + refusal;
    }

    /** Returns whether a request is read: before authentication, only those that serve it. */
    public boolean mayAsk(ApiKeys api, long nowNs) {
        return switch (api) {
            case API_VERSIONS, SASL_HANDSHAKE, SASL_AUTHENTICATE -> true;
            default ->
                    step == Step.DONE
                            && complete
                            && !(hasEnd && nowNs - endNs >= 0)
                            && !isCertificateOver(nowNs);
        };
    }

    /**
     * Called when the connection is encrypted; takes the name of the client's certificate. If that
     * has expired, the client has failed.
     */
    public void onEncrypted(SSLSession encrypted, long nowNs) {
        certificate = ClientCertificate.of(encrypted, System.currentTimeMillis(), nowNs);
        if (isCertificateOver(nowNs)) {
            refuseCertificate(certificate.expiry());
        } else if (listener.isSasl()) {
            session = Optional.of(encrypted);
        } else {
            signInByCertificate(encrypted);
        }
    }

    private void signInByCertificate(SSLSession encrypted) {
        String name =
                listener.names()
                        .build(new SslAuthenticationContext(encrypted, peer, listener.name()))
                        .toString();
        if (name.length() > MOST_NAME_CHARS) {
            refuseCertificate(
                    "the name of its certificate has "
                            + name.length()
                            + " characters, expected at most "
                            + MOST_NAME_CHARS);
            return;
        }
        becomes(name);
        complete = true;
        if (isKnown()) {
            listener.audit().signedIn(auditClient(), "TLS");
        }
    }

    private void refuseCertificate(String why) {
        step = Step.FAILED;
        means = "TLS";
        refusal = why;
        listener.audit().failed(certificate.subject(), address(), listener.name(), "TLS");
    }

    private boolean isCertificateOver(long nowNs) {
        return certificate != null && certificate.isOver(nowNs);
    }

    /**
     * Returns when the client's certificate ends, by the clock of the event loop, and with it the
     * connection; empty if it has shown none. To authenticate by SASL again does not change it.
     */
    public OptionalLong certificateEndNs() {
        return certificate == null ? OptionalLong.empty() : OptionalLong.of(certificate.endNs());
    }

    /** Called when the handshake of TLS has failed, other than by the end of the connection. */
    public void onEncryptionFailed() {
        listener.audit().failed(null, address(), listener.name(), "TLS");
    }

    private String address() {
        return peer == null ? null : peer.getHostAddress();
    }

    // ---- SASL

    /**
     * Begins to authenticate by a mechanism; returns the response. After version 0 tokens would
     * come without the header of a request. It is known all the same, since librdkafka looks for it
     * to see whether there is SASL, and then uses version 1.
     */
    public SaslHandshakeResponseData handshake(String wanted, short version) {
        List<String> enabled = listener.isSasl() ? listener.mechanisms().names() : List.of();
        SaslHandshakeResponseData response = new SaslHandshakeResponseData().setMechanisms(enabled);
        boolean again = step == Step.DONE && listener.isSasl() && hasEnd;
        if (step == Step.DONE && !again) {
            return response.setErrorCode(Errors.ILLEGAL_SASL_STATE.code());
        }
        if (step != Step.HANDSHAKE && !again) {
            step = Step.FAILED;
            return response.setErrorCode(Errors.ILLEGAL_SASL_STATE.code());
        }
        if (version == 0) {
            step = Step.FAILED;
            return response.setErrorCode(Errors.UNSUPPORTED_VERSION.code());
        }
        if (!enabled.contains(wanted) || (again && !wanted.equals(mechanism))) {
            step = Step.FAILED;
            return response.setErrorCode(Errors.UNSUPPORTED_SASL_MECHANISM.code());
        }
        mechanism = wanted;
        said = null;
        refusal = null;
        exchange = listener.mechanisms().begin(wanted, name -> said = name, why -> refusal = why);
        step = Step.EXCHANGE;
        return response;
    }

    /** Takes what the client says by its mechanism; returns the response. */
    public SaslAuthenticateResponseData authenticate(byte[] message, long nowNs) {
        SaslAuthenticateResponseData response = new SaslAuthenticateResponseData();
        if (step != Step.EXCHANGE) {
            step = step == Step.DONE ? Step.DONE : Step.FAILED;
            return response.setErrorCode(Errors.ILLEGAL_SASL_STATE.code())
                    .setErrorMessage("SaslAuthenticate is expected after SaslHandshake only.");
        }
        try {
            byte[] answer = evaluate(message);
            if (exchange.isComplete()) {
                response.setSessionLifetimeMs(proved(nowNs));
                listener.audit().signedIn(auditClient(), mechanism);
            }
            return response.setAuthBytes(answer == null ? new byte[0] : answer);
        } catch (SaslException | RuntimeException | StackOverflowError e) {
            // What it was stays here: an unknown user looks like a wrong password.
            step = Step.FAILED;
            exchange = null;
            listener.audit().failed(said, address(), listener.name(), mechanism);
            return response.setErrorCode(Errors.SASL_AUTHENTICATION_FAILED.code())
                    .setErrorMessage(
                            "Authentication failed during authentication due to invalid"
                                    + " credentials with SASL mechanism "
                                    + mechanism);
        }
    }

    private byte[] evaluate(byte[] message) throws SaslException {
        if (message.length > listener.limits().receiveBytes()) {
            throw new SaslException("a message of " + message.length + " bytes");
        }
        SaslMechanisms.check(mechanism, message);
        return exchange.evaluateResponse(message);
    }

    /** Returns for how many ms the client need not authenticate again; 0 for ever. */
    private long proved(long nowNs) throws SaslException {
        String name =
                listener.names()
                        .build(
                                new SaslAuthenticationContext(
                                        exchange,
                                        listener.protocol(),
                                        peer,
                                        listener.name(),
                                        session))
                        .toString();
        long ms = sessionMs();
        exchange = null;
        if (complete && !name.equals(principal)) {
            throw new SaslException("another principal");
        }
        if (!complete) {
            becomes(name);
        }
        complete = true;
        step = Step.DONE;
        hasEnd = ms > 0;
        endNs = nowNs + Math.min(ms, Long.MAX_VALUE / 4_000_000) * 1_000_000;
        return ms;
    }

    /** A session ends with the token that it began with, or earlier; 0 for never. */
    private long sessionMs() {
        long most = listener.limits().reauthMs();
        if (!SaslMechanisms.hasTokens(mechanism)) {
            return most;
        }
        String key = SaslInternalConfigs.CREDENTIAL_LIFETIME_MS_SASL_NEGOTIATED_PROPERTY_KEY;
        long end = (Long) exchange.getNegotiatedProperty(key);
        long rest = Math.max(1, end - System.currentTimeMillis());
        return Math.min(rest, most > 0 ? most : LONGEST_SESSION_MS);
    }

    private AuditLog.Client auditClient() {
        return new AuditLog.Client(principal, address(), listener.name());
    }
}
