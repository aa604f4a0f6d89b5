package io.firn;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * For which cursors a topic's retention waits, and how long at most: what is due by {@link
 * TopicOptions#retentionBytes} or {@link TopicOptions#retentionAge} is deleted when these cursors
 * have passed it, or when one of the limits is exceeded. Immutable; each {@code with…} returns a
 * changed copy.
 *
 * <p>What counts is the position that is persisted (see {@link Cursor#commit}), so that after a
 * crash no reader is sent to records that are gone. A cursor whose position cannot be read, because
 * its file is damaged or a newer version of Firn wrote it, counts as one that has read nothing,
 * until it is advanced or deleted. {@link Partition#deleteRecordsBefore} never waits. Without a
 * limit, a reader that never comes back lets the log grow until the tiers are full.
 */
public final class RetainUntilRead {
    private static final RetainUntilRead NONE =
            new RetainUntilRead(Set.of(), false, OptionalLong.empty(), Optional.empty());

    private final Set<String> cursors;
    private final boolean isAll;
    private final OptionalLong limitBytes;
    private final Optional<Duration> limitAge;

    private RetainUntilRead(
            Set<String> cursors,
            boolean isAll,
            OptionalLong limitBytes,
            Optional<Duration> limitAge) {
        this.cursors = cursors;
        this.isAll = isAll;
        this.limitBytes = limitBytes;
        this.limitAge = limitAge;
    }

    /** Retention waits for no cursor. */
    public static RetainUntilRead none() {
        return NONE;
    }

    /**
     * Retention waits for these cursors. One that does not exist, or has no position in a
     * partition, has read nothing there: everything is retained for it, up to the limits. So is
     * everything for one that was deleted, until it is no longer named here.
     *
     * @throws InvalidOptionException when there is none, or a name is empty or given twice
     */
    public static RetainUntilRead by(String... names) {
        return by(List.of(names));
    }

    /** As {@link #by(String...)}. */
    public static RetainUntilRead by(Collection<String> names) {
        Set<String> distinct = OptionValues.distinct("retainUntilRead", List.copyOf(names));
        if (distinct.isEmpty() || distinct.contains("")) {
            throw new InvalidOptionException(
                    "retainUntilRead: at least one cursor and no empty name is expected, found "
                            + distinct);
        }
        return new RetainUntilRead(distinct, false, NONE.limitBytes, NONE.limitAge);
    }

    /**
     * Retention waits in each partition for all cursors that have a position there, among them the
     * offsets that consumer groups of the server have committed. It does not wait for a reader that
     * has not begun: name its cursor.
     */
    public static RetainUntilRead byAll() {
        return new RetainUntilRead(Set.of(), true, NONE.limitBytes, NONE.limitAge);
    }

    /** Returns whether it waits for no cursor. */
    public boolean isNone() {
        return cursors.isEmpty() && !isAll;
    }

    /** Returns whether it waits for all cursors that have a position. */
    public boolean isAll() {
        return isAll;
    }

    /**
     * Returns the names of the cursors that it waits for, whose order has no meaning; empty when
     * these are all, or none.
     */
    public Set<String> cursors() {
        return cursors;
    }

    /** Returns the size of a partition above which it waits no longer; empty for no limit. */
    public OptionalLong limitBytes() {
        return limitBytes;
    }

    /** Returns for how long after a segment was sealed it waits; empty for no limit. */
    public Optional<Duration> limitAge() {
        return limitAge;
    }

    /** See {@link #limitBytes}; 0 or more. */
    public RetainUntilRead withLimitBytes(long value) {
        OptionalLong limit = OptionalLong.of(OptionValues.notNegative("limitBytes", value));
        return new RetainUntilRead(cursors, isAll, limit, limitAge);
    }

    /** Removes {@link #limitBytes}. */
    public RetainUntilRead withoutLimitBytes() {
        return new RetainUntilRead(cursors, isAll, OptionalLong.empty(), limitAge);
    }

    /** See {@link #limitAge}; a part of a ms counts as a whole one. Not negative. */
    public RetainUntilRead withLimitAge(Duration value) {
        Duration whole = OptionValues.wholeMillis("limitAge", value);
        return new RetainUntilRead(cursors, isAll, limitBytes, Optional.of(whole));
    }

    /** Removes {@link #limitAge}. */
    public RetainUntilRead withoutLimitAge() {
        return new RetainUntilRead(cursors, isAll, limitBytes, Optional.empty());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RetainUntilRead that
                && cursors.equals(that.cursors)
                && isAll == that.isAll
                && limitBytes.equals(that.limitBytes)
                && limitAge.equals(that.limitAge);
    }

    @Override
    public int hashCode() {
        return Objects.hash(cursors, isAll, limitBytes, limitAge);
    }

    @Override
    public String toString() {
        if (isNone()) {
            return "none";
        }
        return (isAll ? "all cursors" : cursors)
                + " (limitBytes "
                + OptionValues.shown(limitBytes)
                + ", limitAge "
                + OptionValues.shown(limitAge)
                + ")";
    }
}
