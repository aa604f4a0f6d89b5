package io.firn.shadow.lab;

import io.firn.kafka.KafkaCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.TopicPartition;

/**
 * Kills brokers and a shadow, and moves leaders, under load; then compares each batch with the
 * leader's log. Arguments: directory, leader moves, kills of the shadow, seed. System properties:
 * {@code firn.kafka.path}, the class path of Kafka's programs, and {@code firn.shadow.command}.
 */
public final class ShadowKills {
    private static final int MOVES_PER_KILL = 5;

    private final Path directory;
    private final int moves;
    private final int kills;
    private final Random random;
    private final long seed;
    private final AtomicInteger brokerKills = new AtomicInteger();
    private final AtomicInteger shadowKills = new AtomicInteger();
    private final AtomicReference<Exception> failure = new AtomicReference<>();

    private ShadowKills(String[] arguments) {
        directory = Path.of(arguments[0]);
        moves = Integer.parseInt(arguments[1]);
        kills = Integer.parseInt(arguments[2]);
        seed = Long.parseLong(arguments[3]);
        random = new Random(seed);
    }

    /** Runs it. */
    public static void main(String[] arguments) throws Exception {
        new ShadowKills(arguments).run();
        System.exit(0); // Kafka's clients may have threads that do not end soon
    }

    private static void say(String format, Object... arguments) {
        System.out.printf(format + "%n", arguments);
    }

    private void run() throws Exception {
        say("seed %d, in %s", seed, directory);
        try (KafkaCluster cluster =
                new KafkaCluster(
                        Files.createDirectories(directory.resolve("kafka")),
                        System.getProperty("firn.kafka.path"))) {
            SourceLoad.createTopics(cluster);
            KafkaCluster.await("all replicas", () -> cluster.isInSync(SourceLoad.TOPICS));
            SourceLoad load = new SourceLoad(cluster).start(seed);
            Thread mover = new Thread(() -> guarded(() -> moveLeaders(cluster)));
            mover.start();
            ShadowProcess shadow = shadow(cluster, "store");
            killShadow(shadow, mover);
            mover.join();
            load.stop();
            if (failure.get() != null) {
                throw failure.get();
            }
            say(load.figures());
            say(
                    "%d moves of all leaders, %d of them by kill -9 of a broker",
                    moves, brokerKills.get());
            say("%d kills of the shadow", shadowKills.get());
            KafkaCluster.await("all replicas", () -> cluster.isInSync(SourceLoad.TOPICS));
            shadow.catchUp();
            compare(cluster, "store", false);
            shadow(cluster, "late").catchUp();
            compare(cluster, "late", true);
        }
        say("No batch differs.");
    }

    private interface Task {
        void run() throws Exception;
    }

    private void guarded(Task task) {
        try {
            task.run();
        } catch (Exception e) {
            failure.compareAndSet(null, e);
        }
    }

    private ShadowProcess shadow(KafkaCluster cluster, String name) {
        return new ShadowProcess(
                System.getProperty("firn.shadow.command"),
                directory.resolve(name),
                directory.resolve(name + ".log"),
                List.of(
                        "--bootstrap-server",
                        cluster.bootstrapServers(),
                        "--topic",
                        String.join(",", SourceLoad.TOPICS),
                        "--segment-bytes",
                        "1048576",
                        "--report",
                        "2"));
    }

    private void moveLeaders(KafkaCluster cluster) throws Exception {
        for (int i = 1; i <= moves; i++) {
            while ((long) shadowKills.get() * moves < (long) (i - 1) * kills) {
                Thread.sleep(50); // both go on until the end
            }
            if (i % MOVES_PER_KILL == 0) {
                int node = 1 + brokerKills.getAndIncrement() % KafkaCluster.BROKERS;
                cluster.kill(node);
                Thread.sleep(4000); // longer than its session, so that others lead
                cluster.start(node);
                KafkaCluster.await("all replicas", () -> cluster.isInSync(SourceLoad.TOPICS));
            } else {
                KafkaCluster.await(
                        "a move",
                        () -> {
                            cluster.moveLeaders(SourceLoad.TOPICS);
                            return true;
                        });
                Thread.sleep(random.nextInt(1500));
            }
        }
    }

    private void killShadow(ShadowProcess shadow, Thread mover) throws Exception {
        for (int i = 0; i < kills || mover.isAlive(); i++) {
            shadow.start();
            shadow.awaitOutput();
            Thread.sleep(random.nextInt(2500));
            if (!shadow.isRunning()) {
                throw new IllegalStateException("the shadow ended by itself");
            }
            shadow.kill();
            shadowKills.incrementAndGet();
            if (failure.get() != null) {
                throw failure.get();
            }
            if ((i + 1) % 10 == 0) {
                say("%d kills of the shadow, %d of brokers", i + 1, brokerKills.get());
            }
        }
    }

    /**
     * Of a topic that was compacted after it was copied, the copy has batches as they were before;
     * only what is left at the source is compared then, by its records.
     */
    private void compare(KafkaCluster cluster, String store, boolean isLate) throws Exception {
        Map<TopicPartition, Long> ends = cluster.ends(SourceLoad.TOPICS);
        List<TopicPartition> partitions = new ArrayList<>(ends.keySet());
        try (Comparison comparison = new Comparison(cluster, directory.resolve(store))) {
            for (TopicPartition each : partitions) {
                boolean isCompacted = each.topic().equals(SourceLoad.COMPACTED);
                if (!isCompacted || isLate) {
                    comparison.batches(each);
                }
                comparison.records(each, true, !isCompacted || isLate);
                comparison.records(each, false, !isCompacted || isLate);
            }
            say("%s: %s", store, comparison.figures());
        }
    }
}
