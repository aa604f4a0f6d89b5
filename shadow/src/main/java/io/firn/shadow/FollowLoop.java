package io.firn.shadow;

import io.firn.shadow.source.SourceClient;
import io.firn.shadow.source.SourceTopic;
import io.firn.shadow.source.TopicSelection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** What the shadow's thread does: asks the source, appends, and finds new topics and partitions. */
final class FollowLoop implements AutoCloseable {
    private static final long LONGEST_POLL_MS = 100;
    private static final long POLL_WITH_REST_MS = 1;

    private final FollowContext context;
    private final SourceClient source;
    private final FetchRate rate;
    private final TopicSelection selection;
    private final boolean canFetchAhead;
    private final Map<String, FollowedTopic> topics = new ConcurrentSkipListMap<>();
    private int metadataVersion = -1;
    private volatile String clusterId;
    private volatile String sourceError;
    private volatile List<String> missing;

    /**
     * @param canFetchAhead whether a broker is asked for records of some partitions while those of
     *     others arrive and are appended
     */
    FollowLoop(
            FollowContext context,
            SourceClient source,
            TopicSelection selection,
            boolean canFetchAhead) {
        this.context = context;
        this.source = source;
        this.selection = selection;
        this.canFetchAhead = canFetchAhead;
        this.rate = context.rate();
        this.missing = selection.names();
    }

    /** Ends a {@link #step} that waits. Thread-safe. */
    void wakeup() {
        source.wakeup();
    }

    /** Takes what was answered, and asks for more; waits for a moment if there is nothing to do. */
    void step() {
        List<PartitionFollower> followers = followers();
        appendRests(followers);
        ask(followers);
        source.poll(pollMs(followers));
        sourceError = source.error();
        for (PartitionFollower each : followers) {
            if (each.takeNeedsMetadata()) {
                source.requestMetadata();
            }
        }
        if (source.hasMetadata() && source.metadataVersion() != metadataVersion) {
            metadataVersion = source.metadataVersion();
            update();
        }
        long nowMs = context.nowMs();
        topics.values().forEach(each -> each.retry(nowMs));
    }

    private List<PartitionFollower> followers() {
        List<PartitionFollower> followers = new ArrayList<>();
        topics.values().forEach(each -> followers.addAll(each.followers()));
        return followers;
    }

    private void update() {
        Map<String, SourceTopic> found = source.topics();
        String cluster = source.clusterId();
        clusterId = cluster;
        found.forEach(
                (name, topic) ->
                        topics.computeIfAbsent(name, key -> new FollowedTopic(context, key))
                                .update(cluster, topic));
        topics.forEach(
                (name, topic) -> {
                    if (!found.containsKey(name)) {
                        topic.onMissing();
                    }
                });
        missing = selection.names().stream().filter(name -> !found.containsKey(name)).toList();
    }

    private void appendRests(List<PartitionFollower> followers) {
        long nowMs = context.nowMs();
        for (PartitionFollower each : followers) {
            if (each.hasRest()) {
                each.appendRest(nowMs);
            }
        }
    }

    private long pollMs(List<PartitionFollower> followers) {
        if (followers.stream().anyMatch(PartitionFollower::hasRest)) {
            return POLL_WITH_REST_MS;
        }
        long waitMs = rate.waitMs(System.nanoTime());
        return waitMs > 0 ? Math.min(waitMs, LONGEST_POLL_MS) : LONGEST_POLL_MS;
    }

    private void ask(List<PartitionFollower> followers) {
        long nowMs = context.nowMs();
        Map<Integer, Map<PartitionFollower.Need, List<PartitionFollower>>> wanted = new HashMap<>();
        for (PartitionFollower each : followers) {
            PartitionFollower.Need need = each.due(nowMs);
            if (need != PartitionFollower.Need.NOTHING) {
                wanted.computeIfAbsent(
                                each.leader(), node -> new EnumMap<>(PartitionFollower.Need.class))
                        .computeIfAbsent(need, key -> new ArrayList<>())
                        .add(each);
            }
        }
        wanted.forEach((node, partitions) -> ask(node, partitions, followers));
    }

    /** What comes before a fetch is asked first, and alone. */
    private void ask(
            int node,
            Map<PartitionFollower.Need, List<PartitionFollower>> wanted,
            List<PartitionFollower> all) {
        boolean waits = rate.waitMs(System.nanoTime()) > 0;
        for (Map.Entry<PartitionFollower.Need, List<PartitionFollower>> each : wanted.entrySet()) {
            PartitionFollower.Need need = each.getKey();
            if (waits && need == PartitionFollower.Need.FETCH) {
                return;
            }
            if (!source.isReady(node)) {
                String error = source.connectionError(node);
                if (error != null) {
                    each.getValue().forEach(follower -> follower.onUnreachable(error));
                }
                return;
            }
            // An answer is filled in this order, and ends where it is full.
            Collections.shuffle(each.getValue());
            boolean isFirst = source.askedOf(node) == 0;
            boolean isAhead = canFetchAhead && rate.isUnlimited() && source.isQuick(node);
            if (need == PartitionFollower.Need.FETCH && isAhead) {
                fetchAhead(node, each.getValue(), isFirst, all);
            } else if (isFirst) {
                send(node, need, each.getValue(), rate.mostBytes());
            } else {
                return;
            }
        }
    }

    /**
     * Asks for half of the partitions that are behind, so that the broker reads these while the
     * others are appended; the others are asked for in the next step. A request that has nothing to
     * wait for must not stand behind one that waits for new records, so there are two only while
     * the broker has records for both.
     */
    private void fetchAhead(
            int node, List<PartitionFollower> due, boolean isFirst, List<PartitionFollower> all) {
        int behind = (int) due.stream().filter(PartitionFollower::isBehind).count();
        if (isFirst && behind < 2) {
            send(node, PartitionFollower.Need.FETCH, due, rate.mostBytes());
        } else if (isFirst) {
            List<PartitionFollower> asked = new ArrayList<>();
            int left = behind / 2;
            for (PartitionFollower each : due) {
                if (!each.isBehind() || left-- > 0) {
                    asked.add(each);
                }
            }
            send(node, PartitionFollower.Need.FETCH, asked, source.mostBytes() / 2);
        } else if (behind > 0
                && all.stream().anyMatch(each -> each.leader() == node && each.isAnsweredSoon())) {
            send(node, PartitionFollower.Need.FETCH, due, source.mostBytes() / 2);
        }
    }

    private void send(
            int node,
            PartitionFollower.Need need,
            List<PartitionFollower> partitions,
            int mostBytes) {
        partitions.forEach(PartitionFollower::sent);
        switch (need) {
            case EPOCH_END -> source.epochEnds(node, partitions);
            case EARLIEST -> source.listOffsets(node, partitions, true);
            case LATEST -> source.listOffsets(node, partitions, false);
            case PROBE, FETCH -> source.fetch(node, partitions, mostBytes);
            case NOTHING -> throw new IllegalStateException("nothing is asked");
        }
    }

    /** Returns the state. Thread-safe. */
    ShadowSnapshot snapshot(boolean isRunning, Throwable failure) {
        Map<String, FollowedTopic> now = new TreeMap<>(topics);
        List<PartitionStatus> partitions = new ArrayList<>();
        now.values().forEach(each -> partitions.addAll(each.statuses()));
        return new ShadowState(isRunning, failure, clusterId, sourceError, missing, partitions);
    }

    @Override
    public void close() {
        try {
            topics.values().forEach(FollowedTopic::close);
        } finally {
            source.close();
        }
    }
}
