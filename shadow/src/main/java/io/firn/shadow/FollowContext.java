package io.firn.shadow;

import io.firn.LogStore;
import io.firn.TopicOptions;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * What the parts of a shadow share.
 *
 * @param clockMs the time that pauses and lags are measured by, in ms
 */
record FollowContext(
        LogStore store,
        TopicOptions topicOptions,
        OnDivergence onDivergence,
        OnGap onGap,
        ShadowListener listener,
        FetchRate rate,
        LongSupplier clockMs,
        long retryPauseMs,
        long longestRetryPauseMs) {
    private static final System.Logger LOG = System.getLogger("io.firn");

    long nowMs() {
        return clockMs.getAsLong();
    }

    RetryPause newPause() {
        return new RetryPause(
                retryPauseMs, longestRetryPauseMs, RandomGenerator.of("L64X128MixRandom"));
    }

    /** Logs an event and tells the listener. */
    void tell(ShadowEvent event) {
        LOG.log(
                System.Logger.Level.WARNING,
                "shadow of {0}{1}: {2}",
                event.topic().isEmpty() ? "all topics" : event.topic(),
                event.partition() < 0 ? "" : "-" + event.partition(),
                event.message());
        try {
            listener.onEvent(event);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "the listener of a shadow failed", e);
        }
    }
}
