package io.firn.bench;

import io.firn.Batch;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Survives;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.Transaction;
import io.firn.file.FileTier;
import io.firn.host.HostedStore;
import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionCoordinator;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Counts, by heap histograms, what transactions keep in memory: named producers, partitions of an
 * open transaction, and aborted transactions.
 */
@Command(
        name = "bin/bench transaction-heap",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Counts by heap histograms what transactions keep in memory: named producers that have",
            "committed once, one open transaction over many partitions, and aborted transactions."
        })
public final class TransactionHeap implements Callable<Integer> {
    private static final Duration TIMEOUT = Duration.ofMinutes(10);
    private static final int LINES = 12;
    private static final int RECORD_BYTES = 100;

    /** Segments of the many partitions; none of them gets a second one. */
    private static final int SMALL_SEGMENT_BYTES = 64 << 10;

    @Option(names = "--names", description = "Named producers. Default: ${DEFAULT-VALUE}")
    private int names = TransactionCoordinator.MOST_NAMES;

    @Option(
            names = "--partitions",
            description = "Partitions of the open transaction. Default: ${DEFAULT-VALUE}")
    private int partitions = 5_000;

    @Option(names = "--aborted", description = "Aborted transactions. Default: ${DEFAULT-VALUE}")
    private int aborted = 100_000;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Work directory. Default: ${DEFAULT-VALUE}")
    private Path place = Places.MEMORY;

    private final PrintStream out = System.out;

    /** Runs the benchmark and exits. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new TransactionHeap()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        out.printf("%s; %s on %s%n", Machine.now(), place, Machine.fileSystem(place));
        names();
        openTransaction();
        abortedTransactions();
        return 0;
    }

    private static LogStore open(Path directory) {
        return LogStore.at(directory.resolve("store"))
                .tier(FileTier.at(directory.resolve("segments")))
                .open();
    }

    private static TopicOptions options() {
        return TopicOptions.defaults().withMinimumClass(Survives.PROCESS_CRASH);
    }

    private static Batch record(Topic topic) {
        return topic.newBatch().add(Values.ofLength(RECORD_BYTES));
    }

    /** Each name has committed a record once. */
    private void names() throws Exception {
        Path directory = Places.make(place);
        try {
            HeapHistogram before;
            try (LogStore store = open(directory)) {
                Topic topic = store.createTopic("t", options());
                commit(store, topic, "first");
                before = HeapHistogram.take();
                for (int i = 1; i < names; i++) {
                    commit(store, topic, "producer-" + i);
                }
                report("named producer", names - 1, before, HeapHistogram.take());
            }
            long begin = System.nanoTime();
            try (LogStore store = open(directory)) {
                double tookS = (System.nanoTime() - begin) / 1e9;
                report("named producer, opened again", names, before, HeapHistogram.take());
                out.printf(
                        Locale.ROOT,
                        "%,d names after %.1f s%n",
                        HostedStore.of(store).transactions().producers().size(),
                        tookS);
            }
        } finally {
            Places.delete(directory);
        }
    }

    /** Opens a name, commits one record, and keeps nothing of it here. */
    private static void commit(LogStore store, Topic topic, String name) {
        try (var producer = store.openProducer(name, TIMEOUT);
                Transaction tx = producer.beginTransaction()) {
            tx.append(topic.partition(0), record(topic));
            tx.commit();
        }
    }

    private void openTransaction() throws Exception {
        Path directory = Places.make(place);
        try (LogStore store = open(directory)) {
            Topic topic =
                    store.createTopic(
                            "t",
                            options()
                                    .withPartitions(partitions)
                                    .withSegmentBytes(SMALL_SEGMENT_BYTES));
            try (Transaction tx = store.beginTransaction()) {
                for (int i = 0; i < partitions; i++) {
                    tx.append(topic.partition(i), record(topic)); // its first segment, its index
                }
                tx.commit();
            }
            TransactionCoordinator coordinator = HostedStore.of(store).transactions();
            ProducerIdentity identity = coordinator.open("p", TIMEOUT, null);
            List<Partition> all =
                    IntStream.range(0, partitions).mapToObj(topic::partition).toList();
            HeapHistogram before = HeapHistogram.take();
            coordinator.add("p", identity, all);
            report("partition added to a transaction", partitions, before, HeapHistogram.take());
            coordinator.end("p", identity, false, false);
            report(
                    "partition after its end, markers not yet forced",
                    partitions,
                    before,
                    HeapHistogram.take());
        } finally {
            Places.delete(directory);
        }
    }

    private void abortedTransactions() throws Exception {
        Path directory = Places.make(place);
        try (LogStore store = open(directory)) {
            Topic topic = store.createTopic("t", options());
            Partition partition = topic.partition(0);
            abort(store, topic, 1);
            HeapHistogram before = HeapHistogram.take();
            abort(store, topic, aborted);
            report("aborted transaction", aborted, before, HeapHistogram.take());
            out.printf(
                    Locale.ROOT,
                    "%,d offsets, %,d of them undecided%n",
                    partition.nextOffset(),
                    partition.metrics().undecided());
        } finally {
            Places.delete(directory);
        }
    }

    private static void abort(LogStore store, Topic topic, int count) {
        for (int i = 0; i < count; i++) {
            try (Transaction tx = store.beginTransaction()) {
                tx.append(topic.partition(0), record(topic));
            }
        }
    }

    private void report(String what, long count, HeapHistogram before, HeapHistogram after) {
        List<HeapHistogram.Entry> grown = after.since(before);
        long bytes = grown.stream().mapToLong(HeapHistogram.Entry::bytes).sum();
        out.printf(
                Locale.ROOT,
                "%n%,d × %s: %,d bytes more are alive, %.1f each%n",
                count,
                what,
                bytes,
                (double) bytes / count);
        for (HeapHistogram.Entry each : grown.subList(0, LINES)) {
            out.printf(
                    Locale.ROOT,
                    "%,14d objects %,14d bytes  %s%n",
                    each.instances(),
                    each.bytes(),
                    each.name());
        }
    }
}
