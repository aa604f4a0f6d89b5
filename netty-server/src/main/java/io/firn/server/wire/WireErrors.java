package io.firn.server.wire;

import org.apache.kafka.common.protocol.ApiKeys;

/** Turns what went wrong in here into what a client understands. */
@FunctionalInterface
public interface WireErrors {

    /** An exception that Kafka has a code for; the unexpected ones are logged on the way. */
    Throwable toWire(ApiKeys key, Throwable error);
}
