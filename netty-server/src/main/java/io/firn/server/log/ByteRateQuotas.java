package io.firn.server.log;

import io.firn.server.quota.QuotaType;
import io.firn.server.quota.QuotaUsage;
import io.firn.server.wire.Exchange;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;

/**
 * The quotas of producers and consumers. As in Kafka, who exceeds one is answered at once, is told
 * for how long it should be silent, and nothing more is read from its connection for that long, up
 * to a limit. Used on the event loop of the request.
 */
final class ByteRateQuotas {
    private final QuotaUsage rates;

    ByteRateQuotas(QuotaUsage rates) {
        this.rates = rates;
    }

    /**
     * Records a produce request.
     *
     * @return for how many ms the client should be silent
     */
    int onProduce(Exchange exchange) {
        return rates.isLimited(QuotaType.PRODUCER_BYTE_RATE)
                ? record(QuotaType.PRODUCER_BYTE_RATE, exchange, exchange.bytes())
                : 0;
    }

    /**
     * Limits a fetch request to what the quota ever allows at once.
     *
     * @return for how many ms the client should be silent because the quota is exceeded already; it
     *     then receives no records
     */
    int onFetch(Exchange exchange, FetchRequestData request) {
        if (!rates.isLimited(QuotaType.CONSUMER_BYTE_RATE)) {
            return 0;
        }
        String principal = exchange.connection().principal();
        long most = rates.most(QuotaType.CONSUMER_BYTE_RATE, principal, exchange.clientId());
        if (most < request.maxBytes()) {
            request.setMaxBytes((int) most);
            request.setMinBytes((int) Math.min(request.minBytes(), most));
        }
        return record(QuotaType.CONSUMER_BYTE_RATE, exchange, 0);
    }

    /** Records the records of a response, and tells the client if it exceeds the quota by them. */
    void onFetched(Exchange exchange, FetchResponseData response, int bytes) {
        if (bytes > 0 && rates.isLimited(QuotaType.CONSUMER_BYTE_RATE)) {
            response.setThrottleTimeMs(record(QuotaType.CONSUMER_BYTE_RATE, exchange, bytes));
        }
    }

    private int record(QuotaType kind, Exchange exchange, long bytes) {
        String principal = exchange.connection().principal();
        long ms = rates.record(kind, principal, exchange.clientId(), (double) bytes);
        if (ms <= 0) {
            return 0;
        }
        int bounded = (int) Math.min(Integer.MAX_VALUE, ms);
        exchange.connection().throttle(bounded);
        return bounded;
    }
}
