package io.firn.management.console;

import io.firn.CursorReader.CursorMetrics;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * How far a cursor is behind in a partition. The committed offsets of groups are cursors.
 *
 * @param lagMs the age of the next record; null if it cannot be read
 */
record LagRow(
        String topic,
        int partition,
        String cursor,
        long offset,
        long lagRecords,
        long lagBytes,
        Long lagMs) {
    private static final int MOST = 200;

    static LagRow of(String topic, CursorMetrics cursor) {
        return new LagRow(
                topic,
                cursor.partition(),
                cursor.cursor(),
                cursor.offset(),
                cursor.lagRecords(),
                cursor.lagBytes(),
                cursor.lagTime().map(time -> time.toMillis()).orElse(null));
    }

    /** Returns those of a topic that are the farthest behind. */
    static List<LagRow> largest(
            String topic, Map<String, List<CursorMetrics>> all, Predicate<CursorMetrics> wanted) {
        return sorted(
                all.getOrDefault(topic, List.of()).stream()
                        .filter(wanted)
                        .map(each -> of(topic, each))
                        .toList());
    }

    static List<LagRow> sorted(List<LagRow> rows) {
        return rows.stream()
                .sorted(
                        Comparator.comparingLong(LagRow::lagRecords)
                                .reversed()
                                .thenComparing(LagRow::topic)
                                .thenComparing(LagRow::partition)
                                .thenComparing(LagRow::cursor))
                .limit(MOST)
                .toList();
    }
}
