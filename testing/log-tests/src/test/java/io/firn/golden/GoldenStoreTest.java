package io.firn.golden;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.file.FileTier;
import io.firn.host.HostedStore;
import io.firn.host.OutOfOrderSequenceException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Stores of every released format still open, and everything is in them. */
class GoldenStoreTest {
    private static final int MANY = 1_000_000;

    @TempDir private Path directory;

    static IntStream formats() {
        return IntStream.rangeClosed(1, GoldenStore.NEWEST);
    }

    @ParameterizedTest
    @MethodSource("formats")
    void shouldBeReadWithoutBeingTouched(int format) throws IOException {
        unpack(format);
        Map<String, String> before = contents();
        try (LogReader store =
                LogStore.at(directory)
                        .tier(FileTier.at(directory.resolve(FileStore.TIER)).withDeclaredDurable())
                        .invokerMode()
                        .openReadOnly()) {
            assertEquals(List.of(), store.findings());
            assertEquals(manifest(format), GoldenStore.describe(store));
        }

        assertEquals(before, contents());
    }

    @ParameterizedTest
    @MethodSource("formats")
    void shouldOpenForWriting(int format) throws IOException {
        unpack(format);
        try (FileStore files = new FileStore(directory)) {
            files.pass(Duration.ofDays(1)); // it was written later than that clock begins
            assertWhole(files.store());
            assertEquals(manifest(format), GoldenStore.describe(files.store()));
            files.reopen();
            assertWhole(files.store());
            assertEquals(manifest(format), GoldenStore.describe(files.store()));
        }
    }

    @ParameterizedTest
    @MethodSource("formats")
    void shouldGoOnWhereItEnded(int format) throws IOException {
        unpack(format);
        Map<String, Integer> records = new TreeMap<>();
        try (FileStore files = new FileStore(directory)) {
            files.pass(Duration.ofDays(1)); // it was written later than that clock begins
            for (Partition partition : partitions(files.store())) {
                records.put(partition.toString(), FileStore.readAll(partition).size());
                try (Appender appender = partition.openExclusiveAppender()) {
                    for (int i = 0; i < 50; i++) {
                        assertEquals(partition.nextOffset(), appender.append(new byte[3_000]));
                    }
                    appender.append(appender.newBatch().add(new byte[20], new byte[3_000]));
                }
            }
            files.reopen();
            assertWhole(files.store());
            for (Partition partition : partitions(files.store())) {
                List<StoredRecord> found = FileStore.readAll(partition);
                assertEquals(records.get(partition.toString()) + 51, found.size());
                for (int i = 0; i < found.size(); i++) {
                    assertEquals(partition.logStartOffset() + i, found.get(i).offset());
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("formats")
    void shouldStillKnowProducers(int format) throws IOException {
        unpack(format);
        try (FileStore files = new FileStore(directory)) {
            files.pass(Duration.ofDays(1)); // it was written later than that clock begins
            Partition partition = files.topic(GoldenStore.PRODUCERS).partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                int last = GoldenStore.PRODUCER_BATCHES - 1;
                for (int i = last - 4; i <= last; i++) {
                    assertEquals(2L * i, appender.append(batch(appender, 2 * i)));
                }
                Batch forgotten = batch(appender, 2 * (last - 5));
                assertThrows(OutOfOrderSequenceException.class, () -> appender.append(forgotten));
                assertEquals(2L * last + 2, appender.append(batch(appender, 2 * last + 2)));
            }
            assertTrue(HostedStore.of(files.store()).newProducerId() > 0, "an id is given twice");
        }
    }

    @ParameterizedTest
    @MethodSource("formats")
    void shouldFindEveryOffsetAndTimestamp(int format) throws IOException {
        unpack(format);
        try (FileStore files = new FileStore(directory)) {
            files.pass(Duration.ofDays(1)); // it was written later than that clock begins
            for (Partition partition : partitions(files.store())) {
                List<StoredRecord> records = FileStore.readAll(partition);
                try (Tailer tailer = partition.openTailer()) {
                    for (StoredRecord record : records) {
                        tailer.seek(record.offset());
                        assertEquals(record.offset(), next(tailer).offset());
                        long found = partition.findTimestamp(record.timestamp()).offset();
                        StoredRecord first =
                                records.stream()
                                        .filter(r -> r.timestamp() >= record.timestamp())
                                        .findFirst()
                                        .orElseThrow();
                        assertEquals(first.offset(), found);
                    }
                }
            }
        }
    }

    private static void assertWhole(LogStore store) {
        assertEquals(List.of(), store.findings());
        for (Partition partition : partitions(store)) {
            assertEquals(List.of(), partition.damage());
        }
    }

    private static List<Partition> partitions(LogStore store) {
        List<Partition> partitions = new ArrayList<>();
        for (String name : store.topicNames()) {
            Topic topic = store.openTopic(name);
            for (int i = 0; i < topic.partitionCount(); i++) {
                partitions.add(topic.partition(i));
            }
        }
        return partitions;
    }

    private static Batch batch(Appender appender, int sequence) {
        return appender.newBatch()
                .add(new byte[1])
                .add(new byte[1])
                .producer(GoldenStore.PRODUCER_ID, GoldenStore.PRODUCER_EPOCH, sequence);
    }

    private static StoredRecord next(Tailer tailer) {
        List<StoredRecord> records = new ArrayList<>();
        tailer.poll(
                record -> {
                    records.add(record.copy());
                    return Action.STOP;
                },
                MANY);
        return records.get(0);
    }

    private static List<String> manifest(int format) throws IOException {
        try (InputStream in = GoldenZip.resource(GoldenStore.manifestName(format))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    private void unpack(int format) throws IOException {
        GoldenZip.unpack(GoldenStore.storeName(format), directory);
    }

    /** Every file's size and checksum. */
    private Map<String, String> contents() throws IOException {
        Map<String, String> contents = new TreeMap<>();
        for (Path file : GoldenZip.files(directory)) {
            byte[] bytes = Files.readAllBytes(file);
            CRC32C crc = new CRC32C();
            crc.update(bytes);
            contents.put(
                    directory.relativize(file).toString(),
                    bytes.length + " bytes " + HexFormat.of().toHexDigits(crc.getValue()));
        }
        return contents;
    }
}
