package io.firn.crashlab;

import io.firn.IsolationLevel;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.crashlab.ReplicaSource.Stored;
import io.firn.host.BatchReader;
import io.firn.host.BatchRun;
import io.firn.host.HostedPartition;
import io.firn.host.ReplicaAppender;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a replica must have after a crash: the batches that the source had sent, byte for byte, up
 * to some of them, and at least to where they were durable or to where they were being cut off.
 */
final class ReplicaPromise {
    private static final String TOPIC = "replica";

    private List<Stored> sent = List.of();
    private long least;
    private long leastStart;
    private long mostStart;
    private boolean exists;

    /** Where the log may end though no batch that was sent does: a filler may be before it. */
    private final Set<Long> otherEnds = new HashSet<>();

    /** What the log was truncated to, in order; the last one may be in progress. */
    private final List<Long> cuts = new ArrayList<>();

    private int overCuts;

    /** Where the log ended durably before the truncation that is in progress. */
    private long leastBeforeCut;

    /** The topic was created. */
    void exists() {
        exists = true;
    }

    /** These are being sent, of which those that were promised before are a part. */
    void sends(List<Stored> batches) {
        sent = batches;
        if (!batches.isEmpty() && least <= leastStart) {
            mostStart = Math.max(mostStart, batches.get(0).base()); // an empty log begins there
        }
    }

    /** So much is durable. */
    void durable(Partition partition) {
        least = Math.max(least, partition.durableOffset());
        leastStart = partition.logStartOffset();
        mostStart = leastStart;
    }

    /** The log start is being raised. */
    void raises(long start) {
        mostStart = Math.max(mostStart, start);
    }

    /** What is at an offset and above it is being cut off. */
    void truncates(long offset) {
        leastBeforeCut = least;
        least = Math.min(least, offset);
        cuts.add(offset);
        otherEnds.add(offset);
    }

    /** So many truncations were before, of which the offsets are not known. */
    void hasTruncations(long count) {
        for (long i = 0; i < count; i++) {
            cuts.add(Long.MAX_VALUE);
        }
        overCuts = cuts.size();
    }

    /** The truncation has returned. */
    void truncated() {
        overCuts = cuts.size();
        leastBeforeCut = 0;
    }

    /** Checks a store, and returns what of the sent batches it has; null if there is no topic. */
    List<Stored> check(LogStore store) {
        if (!store.topicNames().contains(TOPIC)) {
            Violation.require(!exists, "the topic is gone");
            return null;
        }
        Partition partition = store.openTopic(TOPIC).partition(0);
        long start = partition.logStartOffset();
        long next = partition.nextOffset();
        Violation.require(
                start >= leastStart && start <= mostStart,
                "log start " + start + ", not " + leastStart + " to " + mostStart);
        Violation.require(next >= least, "it ends at " + next + ", " + least + " was durable");
        Violation.require(partition.damage().isEmpty(), "damage was found: " + partition.damage());
        List<Stored> found = sent.stream().filter(each -> each.next() <= next).toList();
        boolean isEnd =
                next == start
                        || otherEnds.contains(next)
                        || sent.stream()
                                .anyMatch(each -> each.base() == next || each.next() == next);
        Violation.require(isEnd, "it ends at " + next + ", which is inside of a batch");
        checkBatches(partition, found, start);
        checkCuts(partition, next);
        checkTransactions(partition, found);
        try (ReplicaAppender appender =
                HostedPartition.of(store.openTopic(TOPIC).partition(0)).openReplicaAppender()) {
            boolean hasLast = !found.isEmpty() && last(found).base() >= start;
            Violation.require(
                    !hasLast || appender.lastEpoch() == last(found).epoch(),
                    "the last epoch is " + appender.lastEpoch());
        }
        return found;
    }

    static Stored last(List<Stored> batches) {
        return batches.get(batches.size() - 1);
    }

    private static void checkBatches(Partition partition, List<Stored> found, long start) {
        BatchReader reader =
                HostedPartition.of(partition).openBatchReader(IsolationLevel.READ_UNCOMMITTED);
        for (Stored each : found) {
            if (each.base() < start) {
                continue;
            }
            try (BatchRun run = reader.read(each.base(), 1, true)) {
                byte[] bytes = new byte[run == null ? 0 : run.bytes().remaining()];
                if (run != null) {
                    run.bytes().get(bytes);
                }
                Violation.require(
                        Arrays.equals(bytes, each.bytes()), "another batch is at " + each.base());
            }
        }
    }

    /** Whoever has seen an earlier state of the log can find out what of that is gone. */
    private void checkCuts(Partition partition, long next) {
        long count = HostedPartition.of(partition).truncations();
        Violation.require(
                count >= overCuts && count <= cuts.size(),
                count + " truncations, not " + overCuts + " to " + cuts.size());
        for (int seen = 0; seen < overCuts; seen++) {
            long lowest =
                    cuts.subList(seen, overCuts).stream().mapToLong(each -> each).min().orElse(0);
            long told = HostedPartition.of(partition).truncatedSince(seen);
            Violation.require(
                    told <= lowest, "since " + seen + " it says " + told + ", not " + lowest);
        }
        long told = HostedPartition.of(partition).truncatedSince(overCuts);
        Violation.require(
                next >= leastBeforeCut || told <= next,
                "it ends at " + next + ", but says that it was truncated to " + told);
    }

    /** Only while nothing was deleted: otherwise the beginning of a transaction may be gone. */
    private void checkTransactions(Partition partition, List<Stored> found) {
        if (mostStart > leastStart || sent.isEmpty() || sent.get(0).base() < leastStart) {
            return;
        }
        Map<Long, Long> open = new HashMap<>();
        int aborted = 0;
        for (Stored each : found) {
            if (each.producer() >= 0 && each.commits() == null) {
                open.putIfAbsent(each.producer(), each.base());
            } else if (each.producer() >= 0) {
                open.remove(each.producer());
                aborted += each.commits() ? 0 : 1;
            }
        }
        long end = partition.visibleOffset(IsolationLevel.READ_UNCOMMITTED);
        long stable = open.values().stream().mapToLong(each -> each).min().orElse(end);
        long visible = partition.visibleOffset(IsolationLevel.READ_COMMITTED);
        Violation.require(
                visible == Math.min(stable, end),
                "committed records end at " + visible + ", not at " + Math.min(stable, end));
        int known = HostedPartition.of(partition).abortedTransactions(0, Long.MAX_VALUE).size();
        Violation.require(known == aborted, known + " transactions are aborted, not " + aborted);
    }
}
