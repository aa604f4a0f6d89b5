package io.firn.kafka;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;

/**
 * Three brokers of Apache Kafka and a controller, each a process, on free ports of the loopback.
 */
public final class KafkaCluster implements AutoCloseable {
    private static final int CONTROLLER = 0;
    public static final int BROKERS = 3;

    private final Path directory;
    private final String classPath;
    private final Map<Integer, Process> nodes = new TreeMap<>();
    private final int[] ports = new int[BROKERS + 1];
    private final Admin admin;

    public KafkaCluster(Path directory, String classPath) throws Exception {
        this.directory = directory;
        this.classPath = classPath;
        for (int i = 0; i < ports.length; i++) {
            ports[i] = freePort();
        }
        String id = Uuid.randomUuid().toString();
        List<Process> formats = new ArrayList<>();
        for (int i = 0; i < ports.length; i++) {
            Path file = configure(i);
            formats.add(
                    java(
                            directory.resolve("format.log"),
                            "kafka.tools.StorageTool",
                            "format",
                            "-t",
                            id,
                            "-c",
                            file.toString()));
        }
        for (Process each : formats) {
            if (each.waitFor() != 0) {
                throw new IOException("could not format, see " + directory.resolve("format.log"));
            }
        }
        for (int i = 0; i < ports.length; i++) {
            start(i);
        }
        admin = Admin.create(client());
        await("the brokers", () -> admin.describeCluster().nodes().get().size() == BROKERS);
    }

    /**
     * Below those that the system gives to outgoing connections: a broker that was killed gets its
     * port again.
     */
    private static int freePort() throws IOException {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(12_000, 32_000);
            try (ServerSocket socket =
                    new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (BindException e) {
                continue; // it is taken
            }
        }
    }

    private Path configure(int node) throws IOException {
        List<String> lines = new ArrayList<>();
        boolean isController = node == CONTROLLER;
        lines.add("node.id=" + node);
        lines.add("process.roles=" + (isController ? "controller" : "broker"));
        lines.add("controller.quorum.voters=0@127.0.0.1:" + ports[CONTROLLER]);
        lines.add("controller.listener.names=CONTROLLER");
        lines.add("listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        lines.add(
                "listeners="
                        + (isController ? "CONTROLLER" : "PLAINTEXT")
                        + "://127.0.0.1:"
                        + ports[node]);
        lines.add("log.dirs=" + directory.resolve("node-" + node));
        lines.add("offsets.topic.replication.factor=3");
        lines.add("offsets.topic.num.partitions=2");
        lines.add("transaction.state.log.replication.factor=3");
        lines.add("transaction.state.log.num.partitions=2");
        lines.add("transaction.state.log.min.isr=1");
        lines.add("broker.session.timeout.ms=3000");
        lines.add("broker.heartbeat.interval.ms=500");
        lines.add("replica.lag.time.max.ms=3000");
        lines.add("auto.leader.rebalance.enable=false");
        lines.add("auto.create.topics.enable=false");
        lines.add("log.cleaner.backoff.ms=500");
        lines.add("log.cleaner.dedupe.buffer.size=2097152");
        lines.add("log.retention.check.interval.ms=1000");
        lines.add("log.initial.task.delay.ms=500");
        lines.add("num.io.threads=2");
        lines.add("num.network.threads=1");
        Path file = directory.resolve("node-" + node + ".properties");
        return Files.write(file, lines);
    }

    private Process java(Path output, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx320m");
        command.add("-XX:+UseSerialGC");
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
        command.add("-cp");
        command.add(classPath);
        command.addAll(List.of(arguments));
        return Children.start(output, command);
    }

    /** Starts a broker. */
    public void start(int node) throws IOException {
        nodes.put(
                node,
                java(
                        directory.resolve("node-" + node + ".log"),
                        "kafka.Kafka",
                        directory.resolve("node-" + node + ".properties").toString()));
    }

    /** Ends a broker with SIGKILL. */
    public void kill(int node) throws InterruptedException {
        Children.kill(nodes.get(node));
    }

    /** Creates a topic on the first broker, and stops the others, for who measures. */
    public void serveAlone(String topic, int partitions) throws Exception {
        createOn(topic, partitions, 1);
        await("a leader", () -> leader(new TopicPartition(topic, 0)) == 1);
        stop(2);
        stop(3);
    }

    /** Ends a broker as an operator does. */
    public void stop(int node) throws InterruptedException {
        Children.stop(nodes.get(node));
    }

    public Map<String, Object> client() {
        Map<String, Object> client = new HashMap<>();
        client.put(
                "bootstrap.servers",
                Stream.of(1, 2, 3)
                        .map(node -> "127.0.0.1:" + ports[node])
                        .collect(Collectors.joining(",")));
        return client;
    }

    public String bootstrapServers() {
        return (String) client().get("bootstrap.servers");
    }

    public Admin admin() {
        return admin;
    }

    public void create(String topic, int partitions, Map<String, String> settings)
            throws Exception {
        admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 3).configs(settings)))
                .all()
                .get();
    }

    /** Creates a topic of one partition with replicas on these brokers, the leader first. */
    public void create(String topic, List<Integer> replicas, Map<String, String> settings)
            throws Exception {
        admin.createTopics(List.of(new NewTopic(topic, Map.of(0, replicas)).configs(settings)))
                .all()
                .get();
    }

    /** Creates a topic whose partitions have one replica each, all on one broker. */
    public void createOn(String topic, int partitions, int node) throws Exception {
        Map<Integer, List<Integer>> replicas = new HashMap<>();
        for (int i = 0; i < partitions; i++) {
            replicas.put(i, List.of(node));
        }
        admin.createTopics(List.of(new NewTopic(topic, replicas))).all().get();
    }

    /** Waits until something is so; failures count as no. */
    public static void await(String what, Callable<Boolean> condition) throws Exception {
        long until = System.nanoTime() + 180_000_000_000L;
        Exception last = null;
        while (System.nanoTime() < until) {
            try {
                if (condition.call()) {
                    return;
                }
                last = null;
            } catch (ExecutionException e) {
                last = e;
            }
            Thread.sleep(100);
        }
        throw new IllegalStateException("still waiting for " + what, last);
    }

    public List<TopicPartition> partitions(Collection<String> topics) throws Exception {
        List<TopicPartition> partitions = new ArrayList<>();
        for (TopicDescription each : describe(topics)) {
            each.partitions()
                    .forEach(p -> partitions.add(new TopicPartition(each.name(), p.partition())));
        }
        return partitions;
    }

    private Collection<TopicDescription> describe(Collection<String> topics) throws Exception {
        return admin.describeTopics(topics).allTopicNames().get().values();
    }

    /** Returns the broker that leads a partition; −1 if none does. */
    public int leader(TopicPartition partition) throws Exception {
        for (TopicDescription each : describe(List.of(partition.topic()))) {
            TopicPartitionInfo info = each.partitions().get(partition.partition());
            return info.leader() == null || info.leader().isEmpty() ? -1 : info.leader().id();
        }
        return -1;
    }

    /** Returns whether all replicas of topics are in sync. */
    public boolean isInSync(Collection<String> topics) throws Exception {
        for (TopicDescription each : describe(topics)) {
            for (TopicPartitionInfo info : each.partitions()) {
                if (info.isr().size() < info.replicas().size()) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Makes the next replica of each partition its leader. */
    public void moveLeaders(Collection<String> topics) throws Exception {
        Map<TopicPartition, Optional<NewPartitionReassignment>> orders = new HashMap<>();
        for (TopicDescription each : describe(topics)) {
            for (TopicPartitionInfo info : each.partitions()) {
                List<Integer> order =
                        new ArrayList<>(info.replicas().stream().map(n -> n.id()).toList());
                Collections.rotate(order, 1);
                orders.put(
                        new TopicPartition(each.name(), info.partition()),
                        Optional.of(new NewPartitionReassignment(order)));
            }
        }
        admin.alterPartitionReassignments(orders).all().get();
        await(
                "the new order of replicas",
                () -> admin.listPartitionReassignments().reassignments().get().isEmpty());
        Set<TopicPartition> all = orders.keySet();
        admin.electLeaders(ElectionType.PREFERRED, all).partitions().get();
    }

    /** Returns the high watermarks. */
    public Map<TopicPartition, Long> ends(Collection<String> topics) throws Exception {
        Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
        partitions(topics).forEach(each -> asked.put(each, OffsetSpec.latest()));
        Map<TopicPartition, Long> ends = new HashMap<>();
        admin.listOffsets(asked).all().get().forEach((p, found) -> ends.put(p, found.offset()));
        return ends;
    }

    /** Returns where a broker keeps a partition. */
    public Path log(int node, TopicPartition partition) {
        return directory.resolve("node-" + node).resolve(partition.toString());
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
        for (Process each : nodes.values()) {
            try {
                Children.kill(each);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
