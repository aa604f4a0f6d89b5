package io.firn.server.wire;

import org.apache.kafka.common.protocol.ApiMessage;

/** Handles the requests of one API. */
@FunctionalInterface
public interface Handler<Q extends ApiMessage> {

    /**
     * Handles a request. The exchange is answered once, now or later, on any thread. An exception
     * that is thrown becomes the response.
     */
    void handle(Exchange exchange, Q request);
}
