/** Follows topics of a Kafka cluster into a store. Start with {@link io.firn.shadow.Shadow}. */
package io.firn.shadow;
