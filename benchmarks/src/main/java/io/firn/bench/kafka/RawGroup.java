package io.firn.bench.kafka;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** Many {@link RawMember}s on one thread, so that the server is measured and not the clients. */
final class RawGroup implements MeasuredGroup {
    private static final long PATIENCE_NS = TimeUnit.MINUTES.toNanos(4);
    private static final int SELECT_MS = 20;
    private static final Map<String, Supplier<ConsumerPartitionAssignor>> ASSIGNORS =
            Map.of(
                    "range", RangeAssignor::new,
                    "cooperative-sticky", CooperativeStickyAssignor::new);

    private final Selector selector = Selector.open();
    private final List<RawMember> members = new ArrayList<>();
    private final InetSocketAddress server;
    private final String group;
    private final String assignor;
    private final Cluster cluster;
    private final int partitions;
    private int joinsOfGone;
    private int named;

    RawGroup(Broker broker, String group, String topic, int partitions, String assignor)
            throws IOException {
        this.server = broker.address();
        this.group = group;
        this.partitions = partitions;
        this.assignor = assignor;
        Node node = new Node(1, server.getHostString(), server.getPort());
        List<PartitionInfo> all = new ArrayList<>();
        for (int i = 0; i < partitions; i++) {
            all.add(new PartitionInfo(topic, i, node, new Node[] {node}, new Node[] {node}));
        }
        this.cluster = new Cluster("measured", List.of(node), all, Set.of(), Set.of());
    }

    @Override
    public void add(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            members.add(
                    new RawMember(
                            selector,
                            server,
                            "member-" + named++,
                            group,
                            cluster,
                            ASSIGNORS.get(assignor).get()));
        }
    }

    @Override
    public void remove(int count) throws IOException {
        List<RawMember> going = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            going.add(members.remove(i * members.size() / count));
        }
        going.forEach(RawMember::leave);
        until(
                "answers to those that leave",
                () -> going.stream().allMatch(m -> m.peer().isQuiet()));
        for (RawMember member : going) {
            joinsOfGone += member.joins();
            member.peer().close();
        }
    }

    @Override
    public void awaitStable() throws IOException {
        until("a stable group", this::isStable);
    }

    private boolean isStable() {
        Set<TopicPartition> assigned = new HashSet<>();
        for (RawMember member : members) {
            if (!member.isStable() || member.generation() != generation()) {
                return false;
            }
            assigned.addAll(member.assigned());
        }
        return assigned.size() == partitions;
    }

    @Override
    public int generation() {
        return members.isEmpty() ? 0 : members.get(0).generation();
    }

    @Override
    public int joins() {
        return joinsOfGone + members.stream().mapToInt(RawMember::joins).sum();
    }

    private void until(String what, BooleanSupplier condition) throws IOException {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            long now = System.nanoTime();
            if (now - start > PATIENCE_NS) {
                throw new IOException(
                        "waited in vain for "
                                + what
                                + ": "
                                + members.stream().filter(RawMember::isStable).count()
                                + " of "
                                + members.size()
                                + " members are stable");
            }
            selector.select(SELECT_MS);
            for (SelectionKey key : selector.selectedKeys()) {
                if (key.isValid()) {
                    ((Peer) key.attachment()).ready();
                }
            }
            selector.selectedKeys().clear();
            for (RawMember member : members) {
                member.tick(now);
            }
        }
    }

    @Override
    public void close() throws IOException {
        for (RawMember member : members) {
            member.peer().close();
        }
        selector.close();
    }
}
