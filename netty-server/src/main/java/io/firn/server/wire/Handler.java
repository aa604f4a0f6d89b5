package io.firn.server.wire;

import org.apache.kafka.common.protocol.ApiMessage;

/** Answers requests of one API. */
@FunctionalInterface
public interface Handler<Q extends ApiMessage> {

    /**
     * Takes a request; the exchange is replied to now or later, on any thread, once. What is thrown
     * becomes the answer.
     */
    void handle(Exchange exchange, Q request);
}
