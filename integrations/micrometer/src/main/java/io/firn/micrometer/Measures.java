package io.firn.micrometer;

import io.firn.CursorReader.CursorMetrics;
import io.firn.Finding;
import io.firn.PartitionReader.PartitionMetrics;
import io.firn.StoreMetrics;
import io.firn.StoreMetrics.TierMetrics;
import io.firn.micrometer.Measure.Kind;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.ToDoubleFunction;

/** All meters. */
final class Measures {
    private static final String BYTES = "bytes";

    static final List<Measure<StoreMetrics>> STORE =
            List.of(
                    gauge(
                            "firn.transactions",
                            "transactions that readers of committed records wait for",
                            each -> each.transactions().size()),
                    counter(
                            "firn.background.errors",
                            "failures of background work",
                            StoreMetrics::backgroundErrors),
                    bytesCounted(
                            "firn.scrubbed",
                            "bytes of sealed segments that were verified",
                            StoreMetrics::scrubbedBytes));

    static final List<Measure<Finding>> FINDING =
            List.of(gauge("firn.findings", "conditions to know of, by kind", each -> 1));

    static final List<Measure<TierMetrics>> TIER =
            List.of(
                    bytes("firn.tier.used", "bytes of blocks in use", TierMetrics::usedBytes),
                    bytes(
                            "firn.tier.capacity",
                            "size; NaN when only the file system limits it",
                            each -> of(each.capacityBytes())),
                    bytes(
                            "firn.tier.free",
                            "bytes that can still be written; NaN when that is not known",
                            each -> of(each.freeBytes())),
                    gauge(
                            "firn.tier.moves",
                            "moves of segments in progress",
                            TierMetrics::movesInFlight),
                    gauge("firn.tier.segments", "segments with records", TierMetrics::segments),
                    counter(
                            "firn.tier.spilled.segments",
                            "segments begun here because a hotter tier was full or failed",
                            TierMetrics::spilledSegments),
                    bytesCounted(
                            "firn.tier.moved.down",
                            "bytes moved from here to colder tiers",
                            TierMetrics::movedDownBytes),
                    bytesCounted(
                            "firn.tier.moved.up",
                            "bytes moved from here to hotter tiers",
                            TierMetrics::movedUpBytes),
                    gauge(
                            "firn.tier.in.rotation",
                            "1 when new segments are put here, otherwise 0",
                            each -> each.isInRotation() ? 1 : 0));

    static final List<Measure<PartitionMetrics>> TOPIC =
            List.of(
                    gauge(
                            "firn.topic.log.start.offset",
                            "the earliest offset that can be read",
                            PartitionMetrics::logStartOffset),
                    gauge(
                            "firn.topic.durable.offset",
                            "the offset below which everything is durable",
                            PartitionMetrics::durableOffset),
                    gauge(
                            "firn.topic.next.offset",
                            "the offset that the next record gets",
                            PartitionMetrics::nextOffset),
                    bytes("firn.topic.size", "bytes of the batches", PartitionMetrics::bytes),
                    gauge("firn.topic.segments", "segments", PartitionMetrics::segments),
                    counter("firn.topic.forces", "forces", PartitionMetrics::forces),
                    bytesCounted(
                            "firn.topic.forced.size",
                            "bytes made durable by forces",
                            PartitionMetrics::forcedBytes),
                    counter("firn.topic.rolls", "segments begun", PartitionMetrics::rolls),
                    counter(
                            "firn.topic.stalls",
                            "appends that had to wait for a block",
                            PartitionMetrics::stalls),
                    bytes(
                            "firn.topic.backlog",
                            "bytes of filled segments that are not sealed or deleted yet",
                            PartitionMetrics::backlogBytes),
                    gauge(
                            "firn.topic.undecided",
                            "offsets that wait for the end of a transaction",
                            PartitionMetrics::undecided),
                    counter(
                            "firn.topic.unread.deleted",
                            "records deleted although a cursor had not passed them",
                            PartitionMetrics::unreadDeleted),
                    gauge(
                            "firn.topic.poisoned",
                            "partitions that refuse appends because their medium failed",
                            each -> each.isPoisoned() ? 1 : 0));

    static final List<Measure<CursorMetrics>> CURSOR =
            List.of(
                    gauge(
                            "firn.cursor.lag",
                            "offsets from the next record to the visible end",
                            CursorMetrics::lagRecords),
                    bytes(
                            "firn.cursor.lag.size",
                            "bytes of their batches",
                            CursorMetrics::lagBytes),
                    new Measure<>(
                            Kind.LONGEST,
                            "firn.cursor.lag.time",
                            null,
                            "age of the next record; NaN when it cannot be read",
                            each -> each.lagTime().map(Measures::seconds).orElse(Double.NaN)));

    private Measures() {}

    private static double of(OptionalLong number) {
        return number.isPresent() ? number.getAsLong() : Double.NaN;
    }

    private static double seconds(Duration time) {
        return time.toMillis() / 1_000.0;
    }

    private static <T> Measure<T> gauge(String name, String meaning, ToDoubleFunction<T> value) {
        return new Measure<>(Kind.GAUGE, name, null, meaning, value);
    }

    private static <T> Measure<T> bytes(String name, String meaning, ToDoubleFunction<T> value) {
        return new Measure<>(Kind.GAUGE, name, BYTES, meaning, value);
    }

    private static <T> Measure<T> counter(String name, String meaning, ToDoubleFunction<T> value) {
        return new Measure<>(Kind.COUNTER, name, null, meaning, value);
    }

    private static <T> Measure<T> bytesCounted(
            String name, String meaning, ToDoubleFunction<T> value) {
        return new Measure<>(Kind.COUNTER, name, BYTES, meaning, value);
    }
}
