package io.firn.management.console;

import io.firn.CursorReader.CursorMetrics;
import io.firn.server.ServerClients;
import io.firn.server.ServerClients.GroupStatus;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Groups and the cursors of the application, with their lag over all topics. */
final class GroupList {
    private static final int PAGE = 50;
    private static final List<String> ORDERS = List.of("lag", "name", "time");

    private final Snapshots now;
    private final ServerClients clients;

    GroupList(Snapshots now, ServerClients clients) {
        this.now = now;
        this.clients = clients;
    }

    /** The lag of a name, while it is summed up. */
    private static final class Sum {
        private final Set<String> topics = new HashSet<>();
        private int partitions;
        private long records;
        private long bytes;
        private long longestMs;

        void add(String topic, CursorMetrics cursor) {
            topics.add(topic);
            partitions++;
            records += cursor.lagRecords();
            bytes += cursor.lagBytes();
            longestMs = Math.max(longestMs, cursor.lagTime().map(t -> t.toMillis()).orElse(0L));
        }
    }

    /**
     * A group, or a cursor of the application.
     *
     * @param state null if it has no members, and never had any
     */
    record Row(
            String name,
            String state,
            int members,
            int topics,
            int partitions,
            long lagRecords,
            long lagBytes,
            long lagMs) {

        static Row of(String name, Sum sum) {
            return new Row(
                    name,
                    null,
                    0,
                    sum.topics.size(),
                    sum.partitions,
                    sum.records,
                    sum.bytes,
                    sum.longestMs);
        }

        Row with(GroupStatus group) {
            return new Row(
                    name,
                    group.state(),
                    group.members().size(),
                    topics,
                    partitions,
                    lagRecords,
                    lagBytes,
                    lagMs);
        }

        static Comparator<Row> by(String order) {
            Comparator<Row> byName = Comparator.comparing(Row::name);
            return switch (order) {
                case "lag" ->
                        Comparator.comparing(Row::lagRecords).reversed().thenComparing(byName);
                case "time" -> Comparator.comparing(Row::lagMs).reversed().thenComparing(byName);
                default -> byName;
            };
        }
    }

    Page<Row> answer(Query query) {
        Map<String, Sum> sums = new TreeMap<>();
        clients.groupIds().stream()
                .filter(query::matches)
                .forEach(each -> sums.put(each, new Sum()));
        now.cursors()
                .forEach(
                        (topic, cursors) ->
                                cursors.stream()
                                        .filter(each -> query.matches(each.cursor()))
                                        .forEach(each -> add(sums, topic, each)));
        List<Row> rows = new ArrayList<>();
        sums.forEach((name, sum) -> rows.add(Row.of(name, sum)));
        rows.sort(Row.by(query.oneOf("sort", ORDERS)));
        Page<Row> page = Page.of(rows, query.page(), PAGE);
        return new Page<>(
                page.total(),
                page.page(),
                page.size(),
                page.rows().stream().map(this::withMembers).toList());
    }

    private static void add(Map<String, Sum> sums, String topic, CursorMetrics cursor) {
        sums.computeIfAbsent(cursor.cursor(), any -> new Sum()).add(topic, cursor);
    }

    private Row withMembers(Row row) {
        return clients.group(row.name()).map(row::with).orElse(row);
    }
}
