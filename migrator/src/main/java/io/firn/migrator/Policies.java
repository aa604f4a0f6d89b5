package io.firn.migrator;

import io.firn.InvalidOptionException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** The policies that come along. */
public final class Policies {
    /** As a threshold: nothing is moved. */
    public static final double OFF = -1;

    private Policies() {}

    /**
     * Keeps each tier but the coldest filled to a part of its capacity: above it the oldest
     * segments go down, below it the newest of the colder tiers come up. The rest of the capacity
     * is what a burst finds free. Pafka's {@code storage.migrate.threshold}.
     *
     * @param threshold from 0 to 1; 0.5 is a good one; {@link #OFF} for no moves at all
     */
    public static MigrationPolicy threshold(double threshold) {
        if (threshold == OFF) {
            return snapshot -> List.of();
        }
        return new ThresholdPolicy(part("threshold", threshold));
    }

    /**
     * Empties a tier down to the low mark once it is filled above the high one, oldest segments
     * first. Nothing comes up.
     *
     * @param high above 0, up to 1
     * @param low from 0, below the high one
     */
    public static MigrationPolicy watermarks(double high, double low) {
        if (!(part("low", low) < part("high", high))) {
            throw new InvalidOptionException(
                    "the low watermark must be below the high one, found " + low + " and " + high);
        }
        return new WatermarkPolicy(high, low);
    }

    /**
     * Moves segments down by the time since they were sealed. Nothing comes up.
     *
     * @param ages how long segments stay in the hottest tier, in the one below it, and so on,
     *     ascending, each counted from the sealing; tiers without an age keep what they have
     */
    public static MigrationPolicy age(Duration... ages) {
        Objects.requireNonNull(ages, "ages");
        for (Duration age : ages) {
            Objects.requireNonNull(age, "ages");
        }
        List<Long> ms = Stream.of(ages).map(Duration::toMillis).toList();
        for (int i = 0; i < ms.size(); i++) {
            if (ms.get(i) < 0 || (i > 0 && ms.get(i) < ms.get(i - 1))) {
                throw new InvalidOptionException(
                        "ages are not negative and ascend, found " + List.of(ages));
            }
        }
        return new AgePolicy(ms);
    }

    /**
     * As {@link #threshold}, by what the topics' cursors have read: what all of them have read goes
     * down first; what one of them is going to read next is brought up ahead of it, and stays until
     * it was read. In partitions without cursors the oldest go first.
     *
     * @param threshold part of each tier that is filled, from 0 to 1
     * @param ahead segments that are brought up for each reader, the one it is in included; 1 or
     *     more
     */
    public static MigrationPolicy consumerAware(double threshold, int ahead) {
        if (ahead < 1) {
            throw new InvalidOptionException("ahead must be 1 or more segments, not " + ahead);
        }
        return new ConsumerAwarePolicy(part("threshold", threshold), ahead);
    }

    private static double part(String name, double value) {
        if (!(value >= 0 && value <= 1)) {
            throw new InvalidOptionException(name + " must be from 0 to 1, not " + value);
        }
        return value;
    }
}
