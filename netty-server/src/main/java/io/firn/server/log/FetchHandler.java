package io.firn.server.log;

import io.firn.server.quota.QuotaUsage;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.Handler;
import java.util.concurrent.Executor;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Errors;

/** Handles Fetch: sends batches as they are stored in the log. */
public final class FetchHandler implements Handler<FetchRequestData> {
    private final FetchReader reader;
    private final Executor background;
    private final ByteRateQuotas quotas;

    /**
     * Creates the handler.
     *
     * @param background reads data that may have to come from a disk
     * @param rates how much of their quotas consumers have used
     */
    public FetchHandler(ServedTopics topics, Executor background, QuotaUsage rates) {
        this.reader = new FetchReader(topics, topics.config().integer("fetch.max.bytes"));
        this.background = background;
        this.quotas = new ByteRateQuotas(rates);
    }

    @Override
    public void handle(Exchange exchange, FetchRequestData request) {
        if (request.sessionId() != 0) {
            // There are no fetch sessions: every response has session id 0.
            exchange.reply(
                    new FetchResponseData().setErrorCode(Errors.FETCH_SESSION_ID_NOT_FOUND.code()));
            return;
        }
        int throttleMs = quotas.onFetch(exchange, request);
        if (throttleMs > 0) {
            exchange.reply(new FetchResponseData().setThrottleTimeMs(throttleMs));
            return;
        }
        new FetchTask(reader, background, quotas, exchange, request).run();
    }
}
