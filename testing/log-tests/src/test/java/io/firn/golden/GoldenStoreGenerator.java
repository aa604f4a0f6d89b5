package io.firn.golden;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.Compression;
import io.firn.Durability;
import io.firn.Partition;
import io.firn.RetainUntilRead;
import io.firn.Survives;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.host.HostedAppender;
import io.firn.host.HostedCursor;
import io.firn.host.HostedStore;
import io.firn.kafka.KafkaBatches;
import io.firn.kafka.RandomRecords;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Writes the golden store of the newest format. The build never runs it: a golden store is what an
 * older Firn wrote, so it is made once, by the first version with a new format, and never again. To
 * add one, raise {@link GoldenStore#NEWEST}, then from the root of the project:
 *
 * <pre>
 * mvn -q -pl log-tests -am test-compile
 * cd log-tests
 * java -cp "target/classes:target/test-classes:$(cat target/test-classpath)" \
 *     io.firn.golden.GoldenStoreGenerator src/test/resources/golden
 * </pre>
 *
 * It refuses to replace a store that is there.
 */
final class GoldenStoreGenerator {
    private static final int SEGMENT_BYTES = 64 * 1024;

    private GoldenStoreGenerator() {}

    /** Wants the directory with the golden stores. */
    public static void main(String[] arguments) throws IOException {
        Path target = Path.of(arguments[0]);
        Path zip = target.resolve(GoldenStore.storeName(GoldenStore.NEWEST));
        if (Files.exists(zip)) {
            throw new FileAlreadyExistsException(zip + ": a golden store is written once");
        }
        Path directory = Files.createTempDirectory("golden");
        try (FileStore files = new FileStore(directory)) {
            write(files);
            Files.createDirectories(target);
            Files.write(
                    target.resolve(GoldenStore.manifestName(GoldenStore.NEWEST)),
                    GoldenStore.describe(files.store()));
        }
        GoldenZip.pack(directory, zip);
        for (Path left : walk(directory)) {
            Files.delete(left);
        }
    }

    private static void write(FileStore files) throws IOException {
        writeSegmentsInAllStates(files);
        writeEveryCodec(files);
        writeProducer(files);
        files.store().createTopic("empty", options().withPartitions(3));
        files.store().createTopic("gone", options());
        files.store().deleteTopic("gone");
    }

    /** Deleted, begun in the middle, sealed, written in two terms, and still being written. */
    private static void writeSegmentsInAllStates(FileStore files) throws IOException {
        String name = "segments";
        files.store()
                .createTopic(
                        name,
                        options()
                                .withPartitions(2)
                                .withRetentionBytes(1L << 40)
                                .withRetainUntilRead(
                                        RetainUntilRead.by("reader").withLimitBytes(1L << 41))
                                .withMaxRecordBytes(50_000));
        for (int life = 0; life < 2; life++) {
            Topic topic = files.topic(name);
            try (Appender appender = topic.partition(0).openExclusiveAppender()) {
                for (int i = 0; i < 60; i++) {
                    files.pass(Duration.ofMillis(250));
                    appender.append(text(life, i, 1_700));
                }
            }
            try (Appender appender = topic.partition(1).openExclusiveAppender()) {
                appender.append(text(life, 0, 10));
            }
            files.reopen();
        }
        Topic topic = files.topic(name);
        topic.cursor("reader").commit(0, 77);
        topic.cursor("reader").commit(1, 1);
        topic.cursor("a name/with ü").commit(1, 2);
        topic.cursor("outside").commit(0, 60);
        HostedCursor outside = HostedCursor.of(topic.cursor("outside"));
        outside.commitAny(0, 10_000);
        outside.commitAny(1, -2);
        // In the middle of the second segment.
        topic.partition(0).deleteRecordsBefore(50);
        for (int i = 0; i < 10; i++) {
            files.store().doWork();
        }
    }

    private static void writeEveryCodec(FileStore files) throws IOException {
        RandomRecords random = new RandomRecords(GoldenStore.NEWEST);
        for (Compression codec : Compression.values()) {
            String name = "codec-" + codec;
            TopicOptions options =
                    options()
                            .withRollAge(Duration.ofHours(1))
                            .withCompression(codec)
                            .withDurability(Durability.WRITTEN);
            Topic topic = files.store().createTopic(name, options);
            for (int segment = 0; segment < 2; segment++) {
                try (Appender appender = topic.partition(0).openExclusiveAppender()) {
                    Batch batch = appender.newBatch();
                    batch.key(text(1, 2, 5)).value(text(3, 4, 500)).header("h", new byte[3]).add();
                    batch.key((byte[]) null).value((byte[]) null).header("none", null).add();
                    appender.append(batch);
                    appender.append(text(5, 6, 100));
                    KafkaBatches foreign = KafkaBatches.of(codec);
                    HostedAppender.of(appender)
                            .appendBatch(foreign.encode(random.next(0, 0, 5, 200)));
                    HostedAppender.of(appender)
                            .appendBatch(
                                    foreign.appendTime(files.nowMs())
                                            .encode(random.next(0, 0, 5, 200)));
                }
                if (segment == 0) {
                    files.sealAll(topic);
                }
            }
        }
    }

    private static void writeProducer(FileStore files) {
        Partition partition =
                files.store().createTopic(GoldenStore.PRODUCERS, options()).partition(0);
        try (Appender appender = partition.openExclusiveAppender()) {
            for (int i = 0; i < GoldenStore.PRODUCER_BATCHES; i++) {
                Batch batch = appender.newBatch().add(text(i, 0, 20)).add(text(i, 1, 20));
                batch.producer(GoldenStore.PRODUCER_ID, GoldenStore.PRODUCER_EPOCH, 2 * i);
                appender.append(batch);
            }
        }
        HostedStore.of(files.store()).newProducerId();
    }

    /** Wants no more than every medium gives, so that the store can be written to anywhere. */
    private static TopicOptions options() {
        return TopicOptions.defaults()
                .withSegmentBytes(SEGMENT_BYTES)
                .withMinimumClass(Survives.PROCESS_CRASH);
    }

    /** Text that packs well. */
    private static byte[] text(int a, int b, int length) {
        String line = "snow " + a + " falls on snow " + b + ". ";
        return line.repeat(1 + length / line.length())
                .substring(0, length)
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Everything in a directory, what lies in another first. */
    private static List<Path> walk(Path directory) throws IOException {
        try (Stream<Path> walk = Files.walk(directory)) {
            return walk.sorted(Comparator.reverseOrder()).toList();
        }
    }
}
