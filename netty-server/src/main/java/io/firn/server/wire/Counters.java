package io.firn.server.wire;

import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.protocol.ApiKeys;

/** Counts requests, by API, and the bytes that follow them. Thread-safe. */
public final class Counters {
    private final LongAdder[] requests = new LongAdder[ApiKeys.values().length];
    private final LongAdder requestsWithTrailingBytes = new LongAdder();
    private final LongAdder trailingBytes = new LongAdder();

    Counters() {
        for (int i = 0; i < requests.length; i++) {
            requests[i] = new LongAdder();
        }
    }

    void onRequest(ApiKeys key) {
        requests[key.ordinal()].increment();
    }

    /** Counts bytes that followed the fields of a request and were ignored. */
    void onTrailingBytes(int bytes) {
        if (bytes > 0) {
            requestsWithTrailingBytes.increment();
            trailingBytes.add(bytes);
        }
    }

    /** Requests since the start that were longer than their fields. */
    public long requestsWithTrailingBytes() {
        return requestsWithTrailingBytes.sum();
    }

    /** Bytes since the start that followed requests and were ignored. */
    public long trailingBytes() {
        return trailingBytes.sum();
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
