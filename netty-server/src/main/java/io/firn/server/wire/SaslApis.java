package io.firn.server.wire;

import io.firn.server.security.Authentication;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.SaslAuthenticateRequestData;
import org.apache.kafka.common.message.SaslHandshakeRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/** Handles SaslHandshake and SaslAuthenticate. Whoever fails is told so after a delay. */
public final class SaslApis {
    private SaslApis() {}

    /** Serves the two APIs. */
    public static void serve(ApiTable table) {
        table.serve(ApiKeys.SASL_HANDSHAKE, SaslHandshakeRequestData.class, SaslApis::handshake);
        table.serve(
                ApiKeys.SASL_AUTHENTICATE,
                SaslAuthenticateRequestData.class,
                SaslApis::authenticate);
    }

    private static void handshake(Exchange exchange, SaslHandshakeRequestData request) {
        Authentication client = exchange.connection().authentication();
        end(exchange, client, client.handshake(request.mechanism(), exchange.version()));
    }

    private static void authenticate(Exchange exchange, SaslAuthenticateRequestData request) {
        Authentication client = exchange.connection().authentication();
        long nowNs = exchange.eventLoop().ticker().nanoTime();
        end(exchange, client, client.authenticate(request.authBytes(), nowNs));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // it ends with the event loop
    private static void end(Exchange exchange, Authentication client, ApiMessage response) {
        if (client.isFailed()) {
            exchange.connection().endAfterAnswers(client.failure());
            long ms = client.listener().limits().failureDelayMs();
            exchange.eventLoop()
                    .schedule(() -> exchange.reply(response), ms, TimeUnit.MILLISECONDS);
        } else {
            exchange.connection().onProgress();
            exchange.reply(response);
        }
    }
}
