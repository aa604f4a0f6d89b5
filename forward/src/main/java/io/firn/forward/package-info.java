/**
 * Sends what a store has to a Kafka cluster, in order and exactly once. Start with {@link
 * io.firn.forward.Forward}.
 */
package io.firn.forward;
