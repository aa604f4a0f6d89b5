package io.firn.server.wire;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.protocol.ApiKeys;

/** Counts requests by API, and trailing bytes, since the server started. Thread-safe. */
public final class RequestCounters {
    private static final double NS_PER_MS = 1_000_000;
    private static final double[] BOUNDS_MS = {
        0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000
    };

    private final LongAdder[] requests = new LongAdder[ApiKeys.values().length];
    private final LongAdder requestsWithTrailingBytes = new LongAdder();
    private final LongAdder trailingBytes = new LongAdder();
    private final LongAdder throttles = new LongAdder();
    private final LongAdder throttledMs = new LongAdder();
    private final AtomicReferenceArray<Times> times = new AtomicReferenceArray<>(requests.length);

    /** How long requests of an API took; each count is of those that took at most as long. */
    private static final class Times {
        private final LongAdder[] counts = new LongAdder[BOUNDS_MS.length + 1];
        private final LongAdder totalNs = new LongAdder();

        Times() {
            for (int i = 0; i < counts.length; i++) {
                counts[i] = new LongAdder();
            }
        }
    }

    RequestCounters() {
        for (int i = 0; i < requests.length; i++) {
            requests[i] = new LongAdder();
        }
    }

    void onRequest(ApiKeys key) {
        requests[key.ordinal()].increment();
    }

    /** Counts a request that was answered, by the time since it was read. */
    void onAnswer(ApiKeys key, long ns) {
        Times ofApi = times.get(key.ordinal());
        if (ofApi == null) {
            times.compareAndSet(key.ordinal(), null, new Times());
            ofApi = times.get(key.ordinal());
        }
        int bucket = 0;
        while (bucket < BOUNDS_MS.length && ns > BOUNDS_MS[bucket] * NS_PER_MS) {
            bucket++;
        }
        ofApi.counts[bucket].increment();
        ofApi.totalNs.add(ns);
    }

    /** Counts that a client is muted, because it has exceeded a quota. */
    void onThrottle(long ms) {
        if (ms > 0) {
            throttles.increment();
            throttledMs.add(ms);
        }
    }

    /** Returns the longest times of {@link #times}, in ms, without that of the last. */
    public static List<Double> timeBoundsMs() {
        return Arrays.stream(BOUNDS_MS).boxed().toList();
    }

    /**
     * Returns how many requests of an API took at most as long as each bound and longer than that
     * before it, and how many took longer than all; empty if none was answered.
     */
    public List<Long> times(ApiKeys key) {
        Times ofApi = times.get(key.ordinal());
        return ofApi == null ? List.of() : Arrays.stream(ofApi.counts).map(LongAdder::sum).toList();
    }

    /** Returns the time that all requests of an API took together. */
    public double seconds(ApiKeys key) {
        Times ofApi = times.get(key.ordinal());
        return ofApi == null ? 0 : ofApi.totalNs.sum() / NS_PER_MS / 1_000;
    }

    /** Returns how often a client was muted. */
    public long throttles() {
        return throttles.sum();
    }

    /** Returns for how long together. */
    public long throttledMs() {
        return throttledMs.sum();
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
