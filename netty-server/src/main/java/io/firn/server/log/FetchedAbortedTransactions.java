package io.firn.server.log;

import io.firn.format.BatchFormat;
import io.firn.host.BatchRun;
import io.firn.host.HostedPartition;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;

/**
 * The aborted transactions that a client has to know for what it fetches. A client takes all that a
 * producer appends for aborted from the first offset of such a transaction on, until it reads the
 * marker. So one of which compaction has left nothing, not even the marker, must not be told.
 */
final class FetchedAbortedTransactions {
    private FetchedAbortedTransactions() {}

    /**
     * Returns those of what was read, in the order of their first offsets: some clients rely on it.
     */
    static List<AbortedTransaction> of(HostedPartition partition, List<BatchRun> runs) {
        if (runs.isEmpty()) {
            return List.of();
        }
        long to = runs.get(runs.size() - 1).nextOffset();
        List<io.firn.host.AbortedTransaction> found =
                new ArrayList<>(partition.abortedTransactions(runs.get(0).baseOffset(), to));
        if (found.isEmpty()) {
            return List.of();
        }
        Set<Long> markers = markersIn(runs);
        found.removeIf(each -> each.lastOffset() < to && !markers.contains(each.lastOffset()));
        return found.stream()
                .sorted(Comparator.comparingLong(io.firn.host.AbortedTransaction::firstOffset))
                .map(
                        each ->
                                new AbortedTransaction()
                                        .setProducerId(each.producerId())
                                        .setFirstOffset(each.firstOffset()))
                .toList();
    }

    private static Set<Long> markersIn(List<BatchRun> runs) {
        Set<Long> markers = new HashSet<>();
        for (BatchRun run : runs) {
            ByteBuffer bytes = run.bytes();
            int at = bytes.position();
            while (at < bytes.limit()) {
                short attributes = bytes.getShort(at + BatchFormat.ATTRIBUTES);
                if ((attributes & BatchFormat.CONTROL_FLAG) != 0) {
                    markers.add(bytes.getLong(at + BatchFormat.BASE_OFFSET));
                }
                at += BatchFormat.size(bytes, at);
            }
        }
        return markers;
    }
}
