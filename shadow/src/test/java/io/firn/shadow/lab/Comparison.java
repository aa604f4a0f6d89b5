package io.firn.shadow.lab;

import io.firn.IsolationLevel;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.PartitionReader;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.file.FileTier;
import io.firn.host.BatchReader;
import io.firn.host.BatchRun;
import io.firn.host.HostedPartition;
import io.firn.kafka.KafkaCluster;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Compares a copy with the segment files of the leader, and with what a consumer reads. */
final class Comparison implements AutoCloseable {
    private final KafkaCluster cluster;
    private final LogReader store;
    private long batches;
    private long bytes;
    private long fillers;
    private long records;

    Comparison(KafkaCluster cluster, Path directory) {
        this.cluster = cluster;
        this.store =
                LogStore.at(directory)
                        .tier(FileTier.at(directory.resolve("segments")))
                        .openReadOnly();
    }

    private PartitionReader copy(TopicPartition partition) {
        return store.openTopic(partition.topic()).partition(partition.partition());
    }

    /** Reads the batches of a copy, without those that stand for what the source has not. */
    private Map<Long, ByteBuffer> copied(TopicPartition partition) {
        Map<Long, ByteBuffer> found = new TreeMap<>();
        PartitionReader copy = copy(partition);
        BatchReader reader =
                HostedPartition.of(copy).openBatchReader(IsolationLevel.READ_UNCOMMITTED);
        long offset = copy.logStartOffset();
        while (true) {
            try (BatchRun run = reader.read(offset, 1 << 20, true)) {
                if (run == null) {
                    break;
                }
                ByteBuffer all = ByteBuffer.allocate(run.bytes().remaining());
                all.put(run.bytes().duplicate()).flip();
                split(all, found);
                if (run.baseOffset() > offset) {
                    throw new IllegalStateException(partition + " has no batch at " + offset);
                }
                offset = run.nextOffset();
            }
        }
        return found;
    }

    /** Reads the batches of the leader's segment files below the high watermark. */
    private Map<Long, ByteBuffer> original(TopicPartition partition) throws Exception {
        Map<Long, ByteBuffer> found = new TreeMap<>();
        Path log = cluster.log(cluster.leader(partition), partition);
        try (Stream<Path> files = Files.list(log)) {
            for (Path each :
                    files.filter(file -> file.toString().endsWith(".log")).sorted().toList()) {
                split(read(each), found);
            }
        }
        return found;
    }

    private static ByteBuffer read(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            ByteBuffer all = ByteBuffer.allocate((int) channel.size());
            while (all.hasRemaining() && channel.read(all) >= 0) {
                continue;
            }
            return all.flip();
        }
    }

    private static void split(ByteBuffer all, Map<Long, ByteBuffer> into) {
        int at = 0;
        while (all.limit() - at >= 61 && all.getInt(at + 8) > 0) {
            int length = 12 + all.getInt(at + 8);
            into.put(all.getLong(at), all.slice(at, length));
            at += length;
        }
    }

    private static boolean isFiller(ByteBuffer batch) {
        return batch.remaining() == 61 && batch.getInt(57) == 0 && batch.getLong(43) == -1;
    }

    /**
     * Compares every batch, byte for byte, that the leader has from the start of the copy on.
     *
     * @throws IllegalStateException when one differs, is missing, or is too many
     */
    void batches(TopicPartition partition) throws Exception {
        Map<Long, ByteBuffer> copied = copied(partition);
        Map<Long, ByteBuffer> original = original(partition);
        long start = copy(partition).logStartOffset();
        original.forEach(
                (offset, batch) -> {
                    if (offset >= start && !batch.equals(copied.get(offset))) {
                        throw new IllegalStateException(
                                partition
                                        + ": the batch at offset "
                                        + offset
                                        + (copied.containsKey(offset)
                                                ? " differs"
                                                : " is missing"));
                    }
                    batches++;
                    bytes += batch.remaining();
                });
        copied.forEach(
                (offset, batch) -> {
                    if (isFiller(batch)) {
                        fillers++;
                    } else if (!original.containsKey(offset)) {
                        throw new IllegalStateException(
                                partition + ": the source has no batch at offset " + offset);
                    }
                });
    }

    private record Read(long timestamp, int key, int value) {}

    /**
     * Compares what a consumer of the source and a tailer here read.
     *
     * @param hasAll whether the copy must not have more, as it has of a topic that was compacted
     */
    void records(TopicPartition partition, boolean isCommitted, boolean hasAll) throws Exception {
        Map<Long, Read> consumed = consumed(partition, isCommitted);
        Map<Long, Read> tailed = tailed(partition, isCommitted);
        consumed.forEach(
                (offset, record) -> {
                    if (!record.equals(tailed.get(offset))) {
                        throw new IllegalStateException(
                                partition
                                        + ": offset "
                                        + offset
                                        + " is read differently: "
                                        + record
                                        + " and "
                                        + tailed.get(offset));
                    }
                });
        if (hasAll && consumed.size() != tailed.size()) {
            throw new IllegalStateException(
                    partition
                            + ": "
                            + consumed.size()
                            + " records there, "
                            + tailed.size()
                            + " here");
        }
        records += consumed.size();
    }

    private Map<Long, Read> tailed(TopicPartition partition, boolean isCommitted) {
        Map<Long, Read> found = new TreeMap<>();
        try (Tailer tailer =
                store.openTopic(partition.topic())
                        .openTailer(
                                TailerOptions.defaults()
                                        .withIsolation(
                                                isCommitted
                                                        ? IsolationLevel.READ_COMMITTED
                                                        : IsolationLevel.READ_UNCOMMITTED)
                                        .withPartitions(partition.partition()))) {
            while (tailer.forEach(
                            record ->
                                    found.put(
                                            record.offset(),
                                            new Read(
                                                    record.timestamp(),
                                                    hash(record.key()),
                                                    hash(record.value()))),
                            10_000)
                    > 0) {
                continue;
            }
        }
        return found;
    }

    private static int hash(ByteBuffer bytes) {
        if (bytes == null) {
            return -1;
        }
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        return Arrays.hashCode(copy);
    }

    private Map<Long, Read> consumed(TopicPartition partition, boolean isCommitted)
            throws Exception {
        Map<String, Object> settings = cluster.client();
        settings.put("isolation.level", isCommitted ? "read_committed" : "read_uncommitted");
        Map<Long, Read> found = new TreeMap<>();
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            while (consumer.position(partition) < end) {
                for (ConsumerRecord<byte[], byte[]> each : consumer.poll(Duration.ofMillis(500))) {
                    found.put(
                            each.offset(),
                            new Read(
                                    each.timestamp(),
                                    each.key() == null ? -1 : Arrays.hashCode(each.key()),
                                    each.value() == null ? -1 : Arrays.hashCode(each.value())));
                }
            }
        }
        return found;
    }

    String figures() {
        return batches
                + " batches ("
                + bytes
                + " bytes) equal, "
                + fillers
                + " fillers, "
                + records
                + " records read alike";
    }

    @Override
    public void close() {
        store.close();
    }
}
