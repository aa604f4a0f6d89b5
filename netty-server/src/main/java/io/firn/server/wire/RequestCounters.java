package io.firn.server.wire;

import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.protocol.ApiKeys;

/** Counts requests by API, and trailing bytes, since the server started. Thread-safe. */
public final class RequestCounters {
    private final LongAdder[] requests = new LongAdder[ApiKeys.values().length];
    private final LongAdder requestsWithTrailingBytes = new LongAdder();
    private final LongAdder trailingBytes = new LongAdder();

    RequestCounters() {
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

    /** Returns the number of requests that were longer than their fields. */
    public long requestsWithTrailingBytes() {
        return requestsWithTrailingBytes.sum();
    }

    /** Returns the number of bytes that followed the fields of requests and were ignored. */
    public long trailingBytes() {
        return trailingBytes.sum();
    }

    /** Returns the number of requests of an API. */
    public long requests(ApiKeys key) {
        return requests[key.ordinal()].sum();
    }

    /** Returns the number of requests. */
    public long requests() {
        long sum = 0;
        for (LongAdder each : requests) {
            sum += each.sum();
        }
        return sum;
    }
}
