package io.firn.server.wire;

import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.protocol.ApiKeys;

/** Counts requests, by API. Thread-safe. */
public final class Counters {
    private final LongAdder[] requests = new LongAdder[ApiKeys.values().length];

    Counters() {
        for (int i = 0; i < requests.length; i++) {
            requests[i] = new LongAdder();
        }
    }

    void onRequest(ApiKeys key) {
        requests[key.ordinal()].increment();
    }

    /** Requests of an API since the start. */
    public long requests(ApiKeys key) {
        return requests[key.ordinal()].sum();
    }

    /** Requests of all APIs since the start. */
    public long requests() {
        long sum = 0;
        for (LongAdder each : requests) {
            sum += each.sum();
        }
        return sum;
    }
}
