package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.DamagedRangeException;
import io.firn.IsolationLevel;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PartitionReader;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.host.BatchReader;
import io.firn.host.BatchRun;
import io.firn.host.HostedPartition;
import io.firn.read.FoundTimestamp;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A segment file loses its end from outside, while a read-only store knows how far it was written.
 */
class FollowedLossTest {
    /** In the second of three batches. */
    private static final int IN_SECOND = 30_000;

    @TempDir private Path directory;
    private LogStore writer;
    private LogReader reader;
    private PartitionReader followed;

    /** Has the reader know the end of the first segment, which then loses what it has after it. */
    private void lose(int length) throws IOException {
        lose(length, Disk.SMALL);
    }

    private void lose(int length, TopicOptions options) throws IOException {
        Disk disk = new Disk(directory);
        writer = disk.open();
        Topic topic = writer.createTopic(Disk.TOPIC, options);
        Partition partition = topic.partition(0);
        Disk.append(partition, 6);
        partition.force();
        reader = disk.builder().invokerMode().openReadOnly();
        followed = reader.openTopic(Disk.TOPIC).partition(0);
        assertEquals(6, followed.visibleOffset());
        Disk.append(partition, 6);
        partition.force();
        try (RandomAccessFile file = new RandomAccessFile(sealed(disk).toFile(), "rw")) {
            file.setLength(length);
        }
    }

    /** The file of the first segment when the background has sealed it. */
    private static Path sealed(Disk disk) throws IOException {
        while (true) {
            try {
                Path file = disk.sealed(0, "log");
                Path begun = disk.active();
                if (Files.exists(file) && Files.exists(begun)) {
                    return file;
                }
            } catch (NoSuchElementException e) {
                Thread.onSpinWait();
            }
        }
    }

    @AfterEach
    void close() {
        reader.close();
        writer.close();
    }

    private static List<Long> read(Tailer tailer) {
        List<Long> read = new ArrayList<>();
        while (tailer.poll(
                        record -> {
                            byte[] value = new byte[record.valueLength()];
                            record.getValue(value, 0);
                            assertEquals(Disk.value(record.offset())[0], value[0]);
                            read.add(record.offset());
                            return Action.CONTINUE;
                        },
                        1)
                > 0) {
            continue;
        }
        return read;
    }

    @Test
    void shouldReadWhatIsLeftAndReportTheRest() throws IOException {
        lose(IN_SECOND);
        try (Tailer tailer = followed.openTailer()) {
            for (long offset = 0; offset < 2; offset++) {
                long expected = offset;
                assertEquals(
                        1,
                        tailer.poll(
                                record -> {
                                    assertEquals(expected, record.offset());
                                    return Action.CONTINUE;
                                },
                                1));
            }
            DamagedRangeException told =
                    assertThrows(DamagedRangeException.class, () -> read(tailer));
            assertEquals(2, told.fromOffset());
            assertEquals(6, told.toOffset());
            tailer.seek(told.toOffset());
            assertEquals(List.of(6L, 7L, 8L, 9L, 10L, 11L), read(tailer));
        }
        assertEquals(1, followed.damage().size(), followed.damage().toString());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 61, 18_000})
    void shouldReportAllWhenNoBatchIsLeft(int length) throws IOException {
        lose(length);
        try (Tailer tailer = followed.openTailer()) {
            assertEquals(0, read0(tailer).fromOffset());
            tailer.seek(4);
            assertEquals(4, read0(tailer).fromOffset());
            tailer.seek(6);
            assertEquals(6, read(tailer).size());
        }
    }

    private static DamagedRangeException read0(Tailer tailer) {
        DamagedRangeException told = assertThrows(DamagedRangeException.class, () -> read(tailer));
        assertEquals(6, told.toOffset());
        return told;
    }

    @Test
    void shouldReportItToReadersOfBatches() throws IOException {
        lose(IN_SECOND);
        BatchReader batches =
                HostedPartition.of(followed).openBatchReader(IsolationLevel.READ_UNCOMMITTED);
        try (BatchRun run = batches.read(0, 1 << 20, true)) {
            assertEquals(0, run.baseOffset());
            assertEquals(2, run.nextOffset());
        }
        assertThrows(DamagedRangeException.class, () -> batches.read(2, 1 << 20, true));
        try (BatchRun run = batches.read(6, 1 << 20, true)) {
            assertEquals(6, run.baseOffset());
        }
    }

    @Test
    void shouldEndSearchesByTime() throws IOException {
        lose(IN_SECOND);
        assertEquals(new FoundTimestamp(1, 1), followed.findTimestamp(1));
        assertEquals(new FoundTimestamp(6, 6), followed.findTimestamp(4));
        assertEquals(new FoundTimestamp(11, 11), followed.findLatestTimestamp());
    }

    @Test
    void shouldEndASearchByTimeThatComesToAnotherSegmentFirst() throws Exception {
        Disk disk = new Disk(directory);
        writer = disk.open();
        Partition partition = writer.createTopic(Disk.TOPIC, Disk.SMALL).partition(0);
        Disk.append(partition, 12);
        partition.force();
        sealed(disk, 0);
        reader = disk.builder().invokerMode().openReadOnly();
        followed = reader.openTopic(Disk.TOPIC).partition(0);
        assertEquals(12, followed.visibleOffset());
        Disk.append(partition, 6);
        partition.force();
        try (RandomAccessFile file = new RandomAccessFile(sealed(disk, 6).toFile(), "rw")) {
            file.setLength(IN_SECOND);
        }
        assertEquals(new FoundTimestamp(12, 12), followed.findTimestamp(10));
    }

    private static Path sealed(Disk disk, long offset) throws Exception {
        while (true) {
            try {
                return disk.sealed(offset, "log");
            } catch (NoSuchElementException e) {
                Thread.sleep(1);
            }
        }
    }
}
