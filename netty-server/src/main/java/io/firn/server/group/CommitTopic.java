package io.firn.server.group;

import io.firn.server.log.ServedTopic;
import io.firn.server.log.ServedTopics;
import io.firn.server.security.Access;
import io.firn.server.security.Right;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;

/**
 * A topic that offsets are committed of.
 *
 * @param served null if there is no such topic
 * @param refusal why its offsets are not committed; NONE if they may be
 */
record CommitTopic(ServedTopic served, Errors refusal) {
    /** Finds a topic that a request names. */
    static CommitTopic named(ServedTopics topics, String name, Access access, Right right) {
        ServedTopic served = topics.find(name);
        if (!access.may(right, name)) {
            return new CommitTopic(served, Errors.TOPIC_AUTHORIZATION_FAILED);
        }
        return new CommitTopic(
                served, served == null ? Errors.UNKNOWN_TOPIC_OR_PARTITION : Errors.NONE);
    }

    /** Finds a topic that a request gives the id of. */
    static CommitTopic withId(ServedTopics topics, Uuid id, Access access, Right right) {
        ServedTopic served = topics.find(id);
        if (served == null) {
            return new CommitTopic(null, Errors.UNKNOWN_TOPIC_ID);
        }
        return new CommitTopic(
                served,
                access.may(right, served.name()) ? Errors.NONE : Errors.TOPIC_AUTHORIZATION_FAILED);
    }
}
