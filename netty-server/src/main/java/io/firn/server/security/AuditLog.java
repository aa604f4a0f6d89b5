package io.firn.server.security;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongSupplier;
import javax.annotation.concurrent.GuardedBy;

/**
 * Logs who has signed in, what was denied, and what administrators have changed, to the logger
 * {@code io.firn.audit}: one line for each event, with the fields in a fixed order.
 *
 * <pre>
 *  sign-in principal=User:alice address=10.0.0.7 listener=SASL_SSL mechanism=SCRAM-SHA-256
 *  sign-in-failed user=alice address=10.0.0.7 listener=SASL_SSL mechanism=SCRAM-SHA-256
 *  denied principal=User:alice address=10.0.0.7 listener=SASL_SSL operation=WRITE resource=TOPIC:orders
 *  change principal=User:admin address=10.0.0.7 listener=SASL_SSL api=DELETE_TOPICS resource=Topic:orders result=NONE
 * </pre>
 *
 * <p>Of each kind there are a limited number of lines a second; the next line of the kind ends with
 * {@code omitted=} and the number of those that were left out. In what a client has sent,
 * everything that could be taken for a field or another line is written as {@code \}{@code uXXXX}.
 * Thread-safe.
 */
public final class AuditLog {
    private static final System.Logger LOG = System.getLogger("io.firn.audit");

    /** Lines of one kind in a second. */
    static final int MOST_PER_SECOND = 50;

    private static final int MOST_CHARS = 300;
    private static final String NO_ERROR = "NONE";
    private static final long SECOND_NS = 1_000_000_000;

    private enum Kind {
        SIGN_IN("sign-in", System.Logger.Level.INFO),
        SIGN_IN_FAILED("sign-in-failed", System.Logger.Level.WARNING),
        DENIED("denied", System.Logger.Level.WARNING),
        CHANGE("change", System.Logger.Level.INFO),
        /** Of its own, so that failures, which need no right, leave out no change. */
        CHANGE_FAILED("change", System.Logger.Level.INFO);

        private final String word;
        private final System.Logger.Level level;

        Kind(String word, System.Logger.Level level) {
            this.word = word;
            this.level = level;
        }
    }

    /**
     * A client, as the lines name it.
     *
     * @param principal the principal, with its type, such as {@code User:alice}
     * @param address the address, without a name
     * @param listener the name of the listener that it is connected to
     */
    public record Client(String principal, String address, String listener) {}

    /** The lines of a kind in the present second. */
    private static final class Rate {
        private long startNs;
        private int lines;
        private long omitted;

        boolean mayLog(long nowNs) {
            if (lines == 0 || nowNs - startNs >= SECOND_NS) {
                startNs = nowNs;
                lines = 0;
            }
            if (lines >= MOST_PER_SECOND) {
                omitted++;
                return false;
            }
            lines++;
            return true;
        }

        long takeOmitted() {
            long before = omitted;
            omitted = 0;
            return before;
        }
    }

    private final LongSupplier clock;

    @GuardedBy("this")
    private final Map<Kind, Rate> rates = new EnumMap<>(Kind.class);

    /** Creates a log of which nothing was left out so far. */
    public AuditLog() {
        this(System::nanoTime);
    }

    /**
     * Creates a log.
     *
     * @param clock the present time in ns
     */
    AuditLog(LongSupplier clock) {
        this.clock = clock;
    }

    /** Logs that a client has proved who it is. */
    void signedIn(Client client, String mechanism) {
        log(Kind.SIGN_IN, client, "mechanism", mechanism);
    }

    /**
     * Logs that a client has failed to prove who it is.
     *
     * @param user who it said it was; null if it did not come so far
     */
    void failed(String user, String address, String listener, String mechanism) {
        Client client = new Client(user, address, listener);
        log(Kind.SIGN_IN_FAILED, client, "mechanism", mechanism);
    }

    /**
     * Logs that a client was denied something.
     *
     * @param operation what it wanted to do, such as {@code WRITE}
     * @param resource with what, such as {@code TOPIC:orders}
     */
    public void denied(Client client, String operation, String resource) {
        log(Kind.DENIED, client, "operation", operation, "resource", resource);
    }

    /**
     * Logs that an administrator has changed something, or failed to.
     *
     * @param api the request, such as {@code DELETE_TOPICS}
     * @param resource what was to be changed, such as {@code Topic:orders}
     * @param result Kafka's name for the error; {@code NONE} if there was none
     */
    public void changed(Client client, String api, String resource, String result) {
        Kind kind = result.equals(NO_ERROR) ? Kind.CHANGE : Kind.CHANGE_FAILED;
        log(kind, client, "api", api, "resource", resource, "result", result);
    }

    private void log(Kind kind, Client client, String... fields) {
        if (!LOG.isLoggable(kind.level)) {
            return;
        }
        long omitted;
        synchronized (this) {
            Rate rate = rates.computeIfAbsent(kind, any -> new Rate());
            if (!rate.mayLog(clock.getAsLong())) {
                return;
            }
            omitted = rate.takeOmitted();
        }
        StringBuilder line = new StringBuilder(200).append(kind.word);
        append(line, kind == Kind.SIGN_IN_FAILED ? "user" : "principal", client.principal);
        append(line, "address", client.address);
        append(line, "listener", client.listener);
        for (int i = 0; i < fields.length; i += 2) {
            append(line, fields[i], fields[i + 1]);
        }
        if (omitted > 0) {
            line.append(" omitted=").append(omitted);
        }
        LOG.log(kind.level, line.toString());
    }

    /** Logs how many lines were left out and not told of; to be called at the end. */
    public void end() {
        for (Kind kind : Kind.values()) {
            long omitted;
            synchronized (this) {
                Rate rate = rates.get(kind);
                omitted = rate == null ? 0 : rate.takeOmitted();
            }
            if (omitted > 0) {
                LOG.log(kind.level, kind.word + " omitted=" + omitted);
            }
        }
    }

    /** Writes a field, with its value as one word without {@code =}. */
    private static void append(StringBuilder line, String field, String value) {
        line.append(' ').append(field).append('=');
        if (value == null || value.isEmpty()) {
            line.append('-');
            return;
        }
        int length = Math.min(value.length(), MOST_CHARS);
        for (int i = 0; i < length; i++) {
            char c = value.charAt(i);
            if (c > ' ' && c < 0x7F && c != '\\' && c != '=') {
                line.append(c);
            } else {
                line.append(String.format("\\u%04X", (int) c));
            }
        }
        if (length < value.length()) {
            line.append("...");
        }
    }
}
