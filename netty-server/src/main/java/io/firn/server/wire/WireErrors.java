package io.firn.server.wire;

import org.apache.kafka.common.protocol.ApiKeys;

/** Turns failures into Kafka's exceptions. */
@FunctionalInterface
public interface WireErrors {

    /** An exception that Kafka has a code for; the unexpected ones are logged on the way. */
    Throwable toWire(ApiKeys key, Throwable error);
}
