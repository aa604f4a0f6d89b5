package io.firn.forward.lab;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.LogStore;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.forward.Forward;
import io.firn.forward.ForwardSnapshot;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Properties;
import java.util.Random;

/**
 * Appends to a store and forwards what it appends, until it is killed or there is enough; then
 * until everything is forwarded. Arguments: directory, bootstrap servers, records, seed.
 */
public final class ForwardChild {
    static final String TOPIC = "readings";
    static final String TARGET = "plant7.readings";
    static final int PARTITIONS = 3;
    private static final int BATCH = 50;

    private ForwardChild() {}

    static LogStore open(Path directory) {
        return LogStore.at(directory).tier(FileTier.at(directory.resolve("segments"))).open();
    }

    /** Runs it. */
    public static void main(String[] arguments) throws InterruptedException {
        Properties cluster = new Properties();
        cluster.setProperty("bootstrap.servers", arguments[1]);
        cluster.setProperty("max.block.ms", "10000");
        cluster.setProperty("compression.type", "lz4");
        long records = Long.parseLong(arguments[2]);
        TopicOptions options =
                TopicOptions.defaults().withPartitions(PARTITIONS).withSegmentBytes(4 << 20);
        try (LogStore store = open(Path.of(arguments[0]));
                Forward forward =
                        Forward.from(store)
                                .to(cluster)
                                .name("plant7")
                                .topic(store.ensureTopic(TOPIC, options).name(), TARGET)
                                .start()) {
            System.out.println("started");
            append(store.openTopic(TOPIC), records, new Random(Long.parseLong(arguments[3])));
            while (!forward.snapshot().isCaughtUp()) {
                ForwardSnapshot snapshot = forward.snapshot();
                if (!snapshot.isRunning()) {
                    System.out.println("stopped: " + snapshot.failure());
                    System.exit(1);
                }
                Thread.sleep(20);
            }
        }
        System.out.println("done");
    }

    private static void append(Topic topic, long records, Random random)
            throws InterruptedException {
        long each = records / PARTITIONS;
        Appender[] appenders = new Appender[PARTITIONS];
        for (int i = 0; i < PARTITIONS; i++) {
            appenders[i] = topic.partition(i).openAppender();
        }
        boolean isEnough = false;
        while (!isEnough) {
            isEnough = true;
            for (int i = 0; i < PARTITIONS; i++) {
                long next = topic.partition(i).nextOffset();
                if (next < each) {
                    isEnough = false;
                    appenders[i].append(batch(topic, i, next, random));
                }
            }
            Thread.sleep(random.nextInt(20));
        }
    }

    private static Batch batch(Topic topic, int partition, long next, Random random) {
        Batch batch = topic.newBatch();
        for (int i = 0; i < BATCH; i++) {
            byte[] value = new byte[Long.BYTES + random.nextInt(400)];
            random.nextBytes(value);
            ByteBuffer.wrap(value).putLong(next + i);
            byte[] key = random.nextInt(4) == 0 ? null : new byte[] {(byte) partition, (byte) i};
            if (random.nextInt(8) == 0) {
                batch.header("h", new byte[] {(byte) i});
            }
            batch.add(key, value);
        }
        return batch;
    }
}
