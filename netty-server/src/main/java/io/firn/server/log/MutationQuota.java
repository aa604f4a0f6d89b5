package io.firn.server.log;

import io.firn.server.quota.QuotaType;
import io.firn.server.quota.QuotaUsage;
import io.firn.server.wire.ClientConnection;
import io.firn.server.wire.Exchange;
import org.apache.kafka.common.protocol.Errors;

/**
 * The quota of changes for one request that creates or deletes partitions. As in Kafka, it is asked
 * for each topic before its change: a client that knows of THROTTLING_QUOTA_EXCEEDED is refused
 * what follows after the quota is exceeded, an older one is only muted. Not thread-safe.
 */
public final class MutationQuota {
    private final QuotaUsage rates;
    private final Exchange exchange;
    private final boolean strict;
    private final boolean limited;
    private long throttleMs;

    /**
     * Creates the quota of a request.
     *
     * @param strictSince the version of the request from which on clients know of the error
     */
    public MutationQuota(QuotaUsage rates, Exchange exchange, int strictSince) {
        this.rates = rates;
        this.exchange = exchange;
        this.strict = exchange.version() >= strictSince;
        this.limited = rates.isLimited(QuotaType.CONTROLLER_MUTATION_RATE);
    }

    /**
     * Records a change.
     *
     * @throws org.apache.kafka.common.errors.ThrottlingQuotaExceededException if it may not be made
     */
    public void record(int partitions) {
        if (!limited) {
            return;
        }
        String principal = exchange.connection().principal();
        long ms = rates.recordMutation(principal, exchange.clientId(), partitions, strict);
        throttleMs = Math.max(throttleMs, ms);
        if (strict && ms > 0) {
            throw Errors.THROTTLING_QUOTA_EXCEEDED.exception();
        }
    }

    /**
     * Mutes the connection if the quota is exceeded, for the time that is returned or a part of it.
     *
     * @return for how many ms the client should be silent, as the answer that follows has to say
     */
    public int throttle() {
        int ms = (int) Math.min(Integer.MAX_VALUE, throttleMs);
        if (ms > 0) {
            ClientConnection connection = exchange.connection();
            connection.eventLoop().execute(() -> connection.throttle(ms));
        }
        return ms;
    }
}
