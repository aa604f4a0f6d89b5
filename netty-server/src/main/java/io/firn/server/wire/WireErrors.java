package io.firn.server.wire;

import org.apache.kafka.common.protocol.ApiKeys;

/** Maps failures to Kafka's exceptions. */
@FunctionalInterface
public interface WireErrors {

    /** Returns an exception that Kafka has an error code for; logs unexpected failures. */
    Throwable toWire(ApiKeys key, Throwable error);
}
