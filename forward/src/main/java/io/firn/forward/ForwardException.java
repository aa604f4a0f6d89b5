package io.firn.forward;

import io.firn.RefusedException;

/**
 * Why a {@link Forward} has stopped: an operator has to decide or to correct something before it
 * goes on. The message says what was expected, what was found, and what to do. Nothing that was not
 * forwarded is deleted meanwhile.
 *
 * @see Forward
 */
public final class ForwardException extends RefusedException {
    private static final long serialVersionUID = 1L;

    /** The reasons. More may be added: a {@code switch} needs a {@code default}. */
    public enum Reason {
        /** The cluster has no position, or an older one, although records were forwarded. */
        POSITION_LOST,
        /** The position in the cluster belongs to another log than that in the store. */
        STORE_REPLACED,
        /** The topic in the cluster is another one than that which records were forwarded to. */
        TARGET_REPLACED,
        /** Another process, or another instance in this one, forwards under the same name. */
        FENCED,
        /** The cluster does not authenticate it, or does not allow what it does. */
        NOT_AUTHORIZED,
        /** The cluster does not have the topic, or it has too few partitions. */
        UNKNOWN_TOPIC,
        /** The cluster does not accept a record, which the message names. */
        RECORD_REFUSED,
        /** Records were deleted from the store before they were forwarded. */
        RECORDS_DELETED,
        /** Records cannot be read from the store. */
        RECORDS_UNREADABLE,
        /** The cluster, or Kafka's client, does not accept the configuration. */
        CONFIGURATION,
        /** An error of the program. */
        ERROR
    }

    private final Reason reason;

    ForwardException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    ForwardException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** Returns the reason. */
    public Reason reason() {
        return reason;
    }
}
