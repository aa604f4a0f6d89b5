package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.host.BatchReader;
import io.firn.host.BatchRun;
import io.firn.host.HostedPartition;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whether a reader of batches knows that the next ones are in memory, with real files. */
class BatchesInMemoryTest {
    private static final int SEGMENT_BYTES = 1 << 20;
    private static final int ROOM = 100_000;

    @TempDir private Path directory;
    private LogStore store;
    private Partition partition;
    private BatchReader reader;

    @BeforeEach
    void open() {
        TopicOptions options = TopicOptions.defaults().withSegmentBytes(SEGMENT_BYTES);
        try (LogStore first = openStore()) {
            Partition filled = first.createTopic("t", options).partition(0);
            try (Appender appender = filled.openAppender()) {
                for (int i = 0; i < 150; i++) {
                    appender.append(new byte[10_000]);
                }
            }
        }
        store = openStore();
        partition = store.openTopic("t").partition(0);
        reader = HostedPartition.of(partition).openBatchReader();
    }

    private LogStore openStore() {
        return LogStore.at(directory.resolve("store"))
                .tier(FileTier.at(directory.resolve("segments")))
                .open();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private long read(long from, int room) {
        try (BatchRun run = reader.read(from, room, true)) {
            return run.nextOffset();
        }
    }

    /** The file of the first segment, which is sealed. */
    private Path firstFile() throws IOException {
        try (Stream<Path> all = Files.walk(directory.resolve("segments"))) {
            List<Path> files =
                    all.filter(each -> each.toString().endsWith(".log")).sorted().toList();
            return files.get(0);
        }
    }

    @Test
    void shouldKnowThatWhatFollowsARunIsInMemory() {
        long next = read(0, ROOM);
        assertTrue(reader.isInMemory(next, ROOM));
        assertEquals(next + 9, read(next, ROOM));
    }

    @Test
    void shouldNotKnowWhereNothingWasReadJustBefore() {
        assertFalse(reader.isInMemory(0, ROOM));
        long next = read(0, ROOM);
        assertFalse(reader.isInMemory(next + 1, ROOM));
        assertFalse(reader.isInMemory(0, ROOM));
    }

    @Test
    void shouldNotKnowWhenTheFirstBatchIsLarger() {
        long next = read(0, ROOM);
        assertFalse(reader.isInMemory(next, 5_000));
        assertFalse(reader.isInMemory(next, 0));
        assertFalse(reader.isInMemory(next, -1));
    }

    @Test
    void shouldNotKnowWhenAReadWouldComeToTheEndOfTheSegment() {
        long next = read(0, ROOM);
        assertFalse(reader.isInMemory(next, SEGMENT_BYTES));
        assertFalse(reader.isInMemory(next, Integer.MAX_VALUE));
    }

    @Test
    void shouldNotKnowWhenTheEndOfTheSegmentIsNotInMemory() throws IOException {
        long next = read(0, ROOM);
        try (RandomAccessFile file = new RandomAccessFile(firstFile().toFile(), "rw")) {
            long length = file.length();
            file.setLength(length - 8192);
            file.setLength(length); // a hole, which nobody has read
        }
        assertFalse(reader.isInMemory(next, ROOM));
        assertEquals(next + 9, read(next, ROOM));
    }

    @Test
    void shouldSayThatPagesAreNotInMemoryWhichTheFileHasLost() throws IOException {
        long next = read(0, ROOM);
        try (RandomAccessFile file = new RandomAccessFile(firstFile().toFile(), "rw")) {
            long length = file.length();
            file.setLength(ROOM + 2 * 4096);
            file.setLength(length);
            file.seek(length - 4096);
            file.write(new byte[4096]);
        }
        assertFalse(reader.isInMemory(next, ROOM));
    }
}
