package io.firn.migrator;

import io.firn.InvalidOptionException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * The policies that are provided.
 *
 * @see Migrator
 */
public final class Policies {
    private Policies() {}

    /** Moves nothing. */
    public static MigrationPolicy none() {
        return snapshot -> List.of();
    }

    /**
     * Keeps each tier except the coldest filled to a part of its capacity: above it the oldest
     * segments move down, below it the newest of the colder tiers move up. The rest of the capacity
     * is free for bursts. Pafka's {@code storage.migrate.threshold}.
     *
     * @param threshold from 0 to 1, for example 0.5
     */
    public static MigrationPolicy threshold(double threshold) {
        return new ThresholdPolicy(part("threshold", threshold));
    }

    /**
     * Once a tier is filled above the high watermark, moves its oldest segments down until it is at
     * the low watermark. Moves nothing up.
     *
     * @param high above 0, up to 1
     * @param low from 0, below {@code high}
     */
    public static MigrationPolicy watermarks(double high, double low) {
        if (!(part("low", low) < part("high", high))) {
            throw new InvalidOptionException(
                    "the low watermark must be below the high one, found " + low + " and " + high);
        }
        return new WatermarkPolicy(high, low);
    }

    /**
     * Moves segments down by the time since they were sealed. Moves nothing up.
     *
     * @param ages how long segments stay in the hottest tier, in the one below it, and so on,
     *     ascending, each counted from the seal; segments in tiers without an age stay there
     */
    public static MigrationPolicy age(Duration... ages) {
        Objects.requireNonNull(ages, "ages");
        for (Duration age : ages) {
            Objects.requireNonNull(age, "ages");
        }
        for (int i = 0; i < ages.length; i++) {
            if (ages[i].isNegative() || (i > 0 && ages[i].compareTo(ages[i - 1]) < 0)) {
                throw new InvalidOptionException(
                        "ages must not be negative and must ascend, found " + List.of(ages));
            }
        }
        return new AgePolicy(List.of(ages));
    }

    /**
     * Moves as {@link #threshold} does, but by the positions of the topics' cursors: what all of
     * them have read moves down first; what one of them will read next moves up before it is
     * reached, and stays until it was read. In partitions without cursors the oldest segments move
     * first.
     *
     * @param threshold the part of each tier to keep filled, from 0 to 1
     * @param ahead the number of segments to move up for each reader, including the one it is in; 1
     *     or more
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
