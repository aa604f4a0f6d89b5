package io.firn.forward;

import io.firn.CursorReader.CursorMetrics;
import io.firn.Topic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The state as values. */
record ForwardState(
        boolean isRunning,
        boolean isConnected,
        Optional<ForwardException> failure,
        Optional<String> lastError,
        long transactions,
        List<PartitionStatus> partitions)
        implements ForwardSnapshot {

    static ForwardState of(ForwardLoop loop, boolean isRunning, ForwardPlan plan) {
        if (loop == null) {
            return new ForwardState(false, false, Optional.empty(), Optional.empty(), 0, List.of());
        }
        List<PartitionStatus> partitions = new ArrayList<>();
        for (Topic topic : loop.sources().topics()) {
            List<CursorMetrics> lags =
                    topic.cursorMetrics().stream()
                            .filter(each -> each.cursor().equals(plan.cursor()))
                            .toList();
            loop.sources().partitions().stream()
                    .filter(each -> each.mapping().topic().equals(topic.name()))
                    .forEach(each -> partitions.add(PartitionState.of(each, lags)));
        }
        partitions.sort(
                Comparator.comparing(PartitionStatus::topic)
                        .thenComparingInt(PartitionStatus::partition));
        return new ForwardState(
                isRunning,
                isRunning && loop.isConnected(),
                loop.failure(),
                loop.lastError(),
                loop.transactions(),
                List.copyOf(partitions));
    }

    /** The state of a partition as values. */
    record PartitionState(
            String topic,
            int partition,
            String target,
            long forwardedTo,
            long forwardedRecords,
            long forwardedBytes,
            long lagRecords,
            long lagBytes,
            Optional<Duration> lagTime,
            long dropped)
            implements PartitionStatus {

        static PartitionState of(SourcePartition source, List<CursorMetrics> lags) {
            int number = source.partition().index();
            Optional<CursorMetrics> lag =
                    lags.stream().filter(each -> each.partition() == number).findFirst();
            return new PartitionState(
                    source.mapping().topic(),
                    number,
                    source.mapping().target(),
                    source.forwardedTo(),
                    source.forwardedRecords(),
                    source.forwardedBytes(),
                    lag.map(CursorMetrics::lagRecords).orElse(0L),
                    lag.map(CursorMetrics::lagBytes).orElse(0L),
                    lag.flatMap(CursorMetrics::lagTime),
                    source.dropped());
        }
    }
}
