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
record CommittedTopic(ServedTopic served, Errors refusal) {
    /** Finds a topic that a request names. */
    static CommittedTopic named(ServedTopics topics, String name, Access access, Right right) {
        ServedTopic served = topics.find(name);
        if (!access.may(right, name)) {
            return new CommittedTopic(served, Errors.TOPIC_AUTHORIZATION_FAILED);
        }
        return new CommittedTopic(
                served, served == null ? Errors.UNKNOWN_TOPIC_OR_PARTITION : Errors.NONE);
    }

    /** Finds a topic that a request gives the id of. */
    static CommittedTopic withId(ServedTopics topics, Uuid id, Access access, Right right) {
        ServedTopic served = topics.find(id);
        if (served == null) {
            return new CommittedTopic(null, Errors.UNKNOWN_TOPIC_ID);
        }
        return new CommittedTopic(
                served,
                access.may(right, served.name()) ? Errors.NONE : Errors.TOPIC_AUTHORIZATION_FAILED);
    }
}
