package io.firn.store;

/** What belongs to a topic. */
interface TopicMember {
    /** The topic. */
    TopicContext topic();
}
