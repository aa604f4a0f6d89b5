package io.firn.shadow.source;

/** What a request for a partition failed with, by what can be done about it. */
public enum SourceError {
    /** None: it was answered. */
    NONE,
    /** The broker is not the leader, or the leader epoch of the request is not current. */
    NOT_LEADER,
    /** The offset is below the log's start or above its end. */
    OUT_OF_RANGE,
    /** The topic does not exist, or has another id than the request's. */
    UNKNOWN_TOPIC,
    /** The connection failed. */
    DISCONNECTED,
    /** Something that may pass: the request is repeated after a pause. */
    TRANSIENT,
    /** The cluster does not allow it, or does not know the request. */
    REFUSED
}
