package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.StoreOpenException;
import io.firn.TopicOptions;
import io.firn.UnreadableTopicException;
import io.firn.file.FileTier;
import io.firn.open.StoreBuilder;
import io.firn.sim.SecondRun;
import io.firn.sim.SimulatedFileMedium;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Every bit of a small store, flipped: nothing wrong is read, and nothing more is lost than was
 * hit. Of the spare space, which is created again if it is hit, some bits do.
 */
class BitFlipTest {
    private static final Path DIRECTORY = Path.of("/sim/store");
    private static final Path SEGMENTS = Path.of("/sim/segments");
    private static final byte[] LATER = "later".getBytes(StandardCharsets.UTF_8);
    private static final Logger LOG = Logger.getLogger("io.firn");
    private static final int BYTES_APART_IN_SPARE = 61;

    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private final CachedEpochClock clock = new CachedEpochClock();
    private final TreeMap<Long, byte[]> expected = new TreeMap<>();
    private final TreeSet<Long> bases = new TreeSet<>();

    /** A sealed segment, and one that goes on after a clean close. */
    @BeforeEach
    void makeStore() throws IOException {
        LOG.setLevel(Level.OFF);
        clock.update(1_700_000_000_000L);
        TopicOptions options =
                TopicOptions.defaults()
                        .withSegmentBytes(64 * 1024)
                        .withRollAge(java.time.Duration.ofSeconds(1));
        try (LogStore store = open(medium)) {
            Partition partition = store.createTopic("t", options).partition(0);
            try (Appender appender = partition.openAppender()) {
                appendSome(appender);
                roll(store);
                appendSome(appender);
            }
            store.openTopic("t").cursor("c").commit(0, 3);
            partition.deleteRecordsBefore(1);
            assertEquals(1, partition.metrics().rolls());
        }
        expected.remove(0L);
        assertEquals(List.of(1L), List.of(expected.firstKey()));
    }

    private void roll(LogStore store) {
        for (int i = 0; i < 4; i++) {
            clock.advance(1_000);
            store.doWork();
        }
    }

    private void appendSome(Appender appender) {
        Batch batch = appender.newBatch();
        for (int size : new int[] {1, 3, 1, 2, 1}) {
            batch.clear().producer(7, 0, expected.size());
            for (int i = 0; i < size; i++) {
                byte[] value = ("record " + expected.size()).getBytes(StandardCharsets.UTF_8);
                batch.key(new byte[] {(byte) i}).value(value).header("h", value).add();
                expected.put((long) expected.size(), value);
            }
            bases.add(appender.append(batch));
        }
    }

    private LogStore open(SimulatedFileMedium on) {
        return StoreBuilder.over(DIRECTORY, on)
                .tier(FileTier.at(SEGMENTS).withMedium(on))
                .clock(clock)
                .invokerMode()
                .open();
    }

    @Test
    void shouldLoseNoMoreThanTheBatchOfWhichABitOfASealedSegmentFlipped() throws IOException {
        flipEachBitOfData(only(".log"), dataBytes(0, 8));
    }

    @Test
    void shouldLoseNoMoreThanTheBatchOfWhichABitOfTheUnsealedSegmentFlipped() throws IOException {
        Path active = only(".active");
        int data = dataBytes(8, 16);
        flipEachBitOfData(active, data);
        // And after the last batch, where the next one goes.
        for (int bit = 8 * data; bit < 8 * (data + 100); bit++) {
            if (SecondRun.leavesOut(bit, 9)) {
                continue;
            }
            SimulatedFileMedium rotten = flipped(active, bit);
            check(rotten, "bit " + bit, expected.firstKey(), expected.lastKey() + 1);
        }
    }

    /** Flips below the data: marks in both slots, seal, sidecars, and what the store knows. */
    @Test
    void shouldReadNothingWrongWhenAnyBitOfAnyOtherFileFlipped() throws IOException {
        for (Path file : files()) {
            String name = file.getFileName().toString();
            int from = 0;
            int to = (int) medium.open(file, false).size();
            if (name.equals("lock") || name.endsWith(".log")) {
                continue;
            }
            if (name.endsWith(".active")) {
                from = to - 2 * 4096; // the marks
            }
            int step = name.equals("spare") ? BYTES_APART_IN_SPARE : 1;
            for (int at = from; at < to; at += step) {
                for (int bit = 0; bit < 8; bit++) {
                    if (SecondRun.leavesOut(8 * at + bit, 9)) {
                        continue;
                    }
                    checkOther(flipped(file, 8 * at + bit), file + ", bit " + (8 * at + bit));
                }
                if (name.endsWith(".active") && (at + 1) % 4096 == 100) {
                    at += 4096 - 100; // a mark is shorter than its page
                }
            }
        }
    }

    private void flipEachBitOfData(Path file, int bytes) throws IOException {
        for (int bit = 0; bit < 8 * bytes; bit++) {
            if (SecondRun.leavesOut(bit, 9)) {
                continue;
            }
            long hit = baseOf(file, bit / 8);
            Long behind = bases.higher(hit);
            long end = behind == null ? expected.lastKey() + 1 : behind;
            SimulatedFileMedium rotten = flipped(file, bit);
            check(rotten, file + ", bit " + bit, hit, end);
        }
    }

    /** Opens, reads, and goes on; records outside of the range must be there. */
    private void check(SimulatedFileMedium rotten, String what, long hitFrom, long hitTo) {
        try (LogStore store = open(rotten)) {
            Partition partition = store.openTopic("t").partition(0);
            assertEquals(expected.lastKey() + 1, partition.nextOffset(), what);
            Found found = Found.in(partition);
            found.assertRightOrNamed(expected);
            found.assertReadable(expected.firstKey(), hitFrom);
            found.assertReadable(hitTo, expected.lastKey() + 1);
            assertEquals(found.lost().isEmpty(), partition.damage().isEmpty(), "named both ways");
            goOn(partition);
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(what + ": " + e.getMessage(), e);
        }
    }

    /** What comes next gets the next offset, and can be read. */
    private void goOn(Partition partition) {
        try (Appender appender = partition.openExclusiveAppender()) {
            assertEquals(expected.lastKey() + 1, appender.append(LATER));
        }
        Found found = Found.in(partition);
        assertArrayEquals(LATER, found.records().get(expected.lastKey() + 1));
    }

    /** The store refuses to open, or says what it does without, and what it serves is right. */
    private void checkOther(SimulatedFileMedium rotten, String what) {
        LogStore store;
        try {
            store = open(rotten);
        } catch (StoreOpenException e) {
            return;
        } catch (RuntimeException e) {
            throw new AssertionError(what + ": " + e, e);
        }
        try (store) {
            Partition partition;
            try {
                partition = store.openTopic("t").partition(0);
            } catch (UnreadableTopicException e) {
                assertFalse(store.findings().isEmpty(), "a topic is not served in silence");
                return;
            }
            assertEquals(expected.lastKey() + 1, partition.nextOffset());
            Found found = Found.in(partition);
            // Without its file the log start is where the segments start.
            TreeMap<Long, byte[]> all = new TreeMap<>(expected);
            all.put(0L, "record 0".getBytes(StandardCharsets.UTF_8));
            found.records().forEach((offset, value) -> assertArrayEquals(all.get(offset), value));
            found.assertReadable(expected.firstKey(), expected.lastKey() + 1);
            assertTrue(partition.logStartOffset() == 1 || !store.findings().isEmpty());
            long cursor = store.openTopic("t").cursor("c").offset(0);
            assertTrue(cursor == 3 || !store.findings().isEmpty());
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(what + ": " + e.getMessage(), e);
        }
    }

    private SimulatedFileMedium flipped(Path file, int bit) throws IOException {
        SimulatedFileMedium copy = medium.kill();
        copy.rot(file, bit / 8, 1 << bit % 8);
        return copy;
    }

    /** Bytes of the batches of some offsets. */
    private int dataBytes(long fromOffset, long toOffset) throws IOException {
        int bytes = 0;
        Path file = fromOffset == 0 ? only(".log") : only(".active");
        while (baseOf(file, bytes) >= fromOffset && bytes < medium.open(file, false).size()) {
            byte[] header = new byte[12];
            medium.open(file, false).read(bytes, header, 0, 12);
            int length = java.nio.ByteBuffer.wrap(header).getInt(8);
            if (length == 0) {
                break;
            }
            bytes += 12 + length;
            if (java.nio.ByteBuffer.wrap(header).getLong(0) >= toOffset) {
                break;
            }
        }
        return bytes;
    }

    /** The base offset of the batch that a byte of a segment belongs to. */
    private long baseOf(Path file, int position) throws IOException {
        byte[] header = new byte[12];
        int at = 0;
        while (true) {
            medium.open(file, false).read(at, header, 0, 12);
            java.nio.ByteBuffer numbers = java.nio.ByteBuffer.wrap(header);
            int size = 12 + numbers.getInt(8);
            if (position < at + size) {
                return numbers.getLong(0);
            }
            at += size;
        }
    }

    private Path only(String ending) throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path file : files()) {
            if (file.toString().endsWith(ending)) {
                found.add(file);
            }
        }
        assertEquals(1, found.size(), found::toString);
        return found.get(0);
    }

    private List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        collect(Path.of("/sim"), files);
        return files;
    }

    private void collect(Path path, List<Path> files) throws IOException {
        for (String name : medium.list(path)) {
            Path child = path.resolve(name);
            try {
                collect(child, files);
            } catch (java.nio.file.NotDirectoryException e) {
                files.add(child);
            }
        }
    }
}
