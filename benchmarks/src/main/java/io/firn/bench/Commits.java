package io.firn.bench;

import io.firn.Batch;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.Transaction;
import io.firn.file.FileTier;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.MappedByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.zip.CRC32C;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures transactions that append one record to each of two partitions, in turns with a floor:
 * the same bytes copied into two mapped files that are forced one after the other, and then a
 * decision into a third one.
 */
@Command(
        name = "bin/bench commits",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures the commit of a transaction over two partitions, and over one, in turns with",
            "three hand-written forces: two for the data, one for the decision."
        })
public final class Commits implements Callable<Integer> {
    private static final int FLOOR_MIB = 64;
    private static final int DECISION_BYTES = 256;
    private static final long WARM_UP_NS = 5_000_000_000L;

    @Option(names = "--bytes", description = "Bytes of a record. Default: ${DEFAULT-VALUE}")
    private int bytes = 256;

    @Option(names = "--turns", description = "Turns. Default: ${DEFAULT-VALUE}")
    private int turns = 20;

    @Option(
            names = "--commits",
            description = "Transactions in each turn. Default: ${DEFAULT-VALUE}")
    private int commits = 200;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Work directory; empty for one in memory. Default: ${DEFAULT-VALUE}")
    private String directory = "target";

    private final PrintStream out = System.out;
    private final CRC32C crc = new CRC32C();
    private byte[] value;
    private byte[] image;
    private int position;

    /** Runs the benchmark and exits. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Commits()).execute(args));
    }

    @Override
    public Integer call() throws IOException {
        value = Values.ofLength(bytes);
        image = BatchImage.batch(value, 1);
        Path place = Places.make(directory);
        out.printf(
                "%s; %s; %d B%n", Machine.now(), Machine.fileSystem(place.toAbsolutePath()), bytes);
        try (LogStore store =
                        LogStore.at(place.resolve("store"))
                                .tier(FileTier.at(place.resolve("segments")))
                                .open();
                FloorFile first = FloorFile.open(place.toString(), FLOOR_MIB);
                FloorFile second = FloorFile.open(place.toString(), FLOOR_MIB);
                FloorFile journal = FloorFile.open(place.toString(), FLOOR_MIB)) {
            Topic topic = store.createTopic("t", TopicOptions.defaults().withPartitions(2));
            Runnable two = () -> transaction(store, topic, 2);
            Runnable one = () -> transaction(store, topic, 1);
            Runnable floor = () -> floor(first.memory(), second.memory(), journal.memory());
            long start = System.nanoTime();
            while (System.nanoTime() - start < WARM_UP_NS) {
                measure(1, two, one, floor);
            }
            double[][] us = measure(turns, two, one, floor);
            report("two partitions", us[0], us[2]);
            report("one partition", us[1], us[2]);
            report("three forces", us[2], us[2]);
        } finally {
            Places.delete(place);
        }
        return 0;
    }

    private double[][] measure(int count, Runnable... operations) {
        double[][] us = new double[operations.length][count * commits];
        for (int turn = 0; turn < count; turn++) {
            for (int i = 0; i < operations.length; i++) {
                for (int n = 0; n < commits; n++) {
                    long start = System.nanoTime();
                    operations[i].run();
                    us[i][turn * commits + n] = (System.nanoTime() - start) / 1e3;
                }
            }
        }
        for (double[] each : us) {
            Arrays.sort(each);
        }
        return us;
    }

    private void transaction(LogStore store, Topic topic, int partitions) {
        Batch batch = topic.newBatch();
        try (Transaction tx = store.beginTransaction()) {
            for (int i = 0; i < partitions; i++) {
                Partition partition = topic.partition(i);
                tx.append(partition, batch.clear().add(value));
            }
            tx.commit();
        }
    }

    private void floor(MappedByteBuffer one, MappedByteBuffer two, MappedByteBuffer decisions) {
        if (position + image.length + DECISION_BYTES > one.capacity()) {
            position = 0;
        }
        write(one, image.length);
        write(two, image.length);
        one.force(position, image.length);
        two.force(position, image.length);
        write(decisions, DECISION_BYTES);
        decisions.force(position, DECISION_BYTES);
        position += Math.max(image.length, DECISION_BYTES);
    }

    private void write(MappedByteBuffer to, int length) {
        int some = Math.min(length, image.length);
        crc.reset();
        crc.update(image, 0, some);
        to.put(position, image, 0, some);
    }

    private void report(String what, double[] us, double[] floor) {
        double p50 = us[us.length / 2];
        double p99 = us[us.length * 99 / 100];
        out.printf(
                Locale.ROOT,
                "%-15s p50 %8.1f us (%.2f), p99 %8.1f us (%.2f)%n",
                what,
                p50,
                p50 / floor[floor.length / 2],
                p99,
                p99 / floor[floor.length * 99 / 100]);
    }
}
