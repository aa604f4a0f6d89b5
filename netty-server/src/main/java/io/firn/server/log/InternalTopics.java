package io.firn.server.log;

import org.apache.kafka.common.internals.Topic;

/**
 * The rules for topics whose names Kafka reserves for itself. They are reported to clients as
 * internal, so that a subscription by pattern leaves them out, and only administrators may append
 * to them.
 */
final class InternalTopics {
    private static final String ADMINISTRATOR = "__admin_client";

    private InternalTopics() {}

    /** Returns whether Kafka reserves a name. */
    static boolean isReserved(String name) {
        return Topic.isInternal(name);
    }

    /** Returns whether a client may append to internal topics, by Kafka's rule. */
    static boolean mayAppend(String clientId) {
        return ADMINISTRATOR.equals(clientId);
    }
}
