package io.firn.forward.cluster;

/** Thrown when the cluster, or the way to it, did not do what was asked. */
public final class TargetFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What can be done. */
    public enum Kind {
        /**
         * Try again, with a new producer: it passes, or the positions say which instance continues.
         */
        PASSING,
        /** The cluster does not have the topic, or does not know of it yet. */
        UNKNOWN_TOPIC,
        /** Credentials, or rights, have to be corrected. */
        NOT_AUTHORIZED,
        /** The configuration has to be corrected. */
        CONFIGURATION,
        /** The cluster does not accept a record. */
        RECORD_REFUSED
    }

    private final Kind kind;

    TargetFailure(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** Returns what can be done. */
    public Kind kind() {
        return kind;
    }
}
