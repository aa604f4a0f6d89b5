package io.firn.trouble;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.Compression;
import io.firn.DamagedRangeException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PartitionReader.DamagedRange;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.host.BatchReader;
import io.firn.host.BatchRun;
import io.firn.host.HostedPartition;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Several damaged batches in one sealed segment: exactly those are lost. */
class DamagedBatchesTest {
    private static final int BATCHES = 300;
    private static final int EACH = 3;

    @TempDir Path directory;
    private final TreeMap<Long, byte[]> expected = new TreeMap<>();

    private LogStore open() {
        return LogStore.at(directory.resolve("store"))
                .tier(FileTier.at(directory.resolve("tier")))
                .open();
    }

    private void fill(Compression compression) {
        TopicOptions options =
                TopicOptions.defaults()
                        .withSegmentBytes(1 << 18)
                        .withMaxRecordBytes(100_000)
                        .withCompression(compression);
        try (LogStore store = open()) {
            Partition partition = store.createTopic("t", options).partition(0);
            try (Appender appender = partition.openAppender()) {
                Batch batch = appender.newBatch();
                for (int i = 0; i < BATCHES; i++) {
                    batch.clear();
                    for (int j = 0; j < EACH; j++) {
                        byte[] value = ("value " + (i * EACH + j)).repeat(5).getBytes(UTF_8);
                        expected.put((long) i * EACH + j, value);
                        batch.add(value);
                    }
                    appender.append(batch);
                }
                appender.append(new byte[90_000]);
                appender.append(new byte[90_000]);
                appender.append(new byte[90_000]); // seals the first segment
            }
        }
    }

    private void damage(int field, int... batches) throws IOException {
        Path log;
        try (Stream<Path> files = Files.walk(directory)) {
            log = files.filter(f -> f.toString().endsWith("0000.log")).findFirst().orElseThrow();
        }
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
            long at = 0;
            int next = 0;
            for (int i = 0; next < batches.length; i++) {
                file.seek(at + 8);
                int size = file.readInt() + 12;
                if (i == batches[next]) {
                    file.seek(at + field);
                    file.writeInt(5);
                    next++;
                }
                at += size;
            }
        }
    }

    private static List<String> rangesOf(List<DamagedRange> lost) {
        return lost.stream().map(r -> r.fromOffset() + "-" + r.toOffset()).toList();
    }

    /** Length, magic, base offset and last offset. */
    @ParameterizedTest
    @CsvSource({"8", "16", "4", "23"})
    void shouldLoseOnlyTheTwoBatchesWhoseHeadersAreDamaged(int field) throws IOException {
        fill(Compression.NONE);
        damage(field, 50, 250);

        try (LogStore store = open()) {
            Found found = Found.in(store.openTopic("t").partition(0));

            assertEquals(List.of("150-153", "750-753"), rangesOf(found.lost()));
            assertEquals(BATCHES * EACH + 3 - 2 * EACH, found.records().size());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "GZIP"})
    void shouldFindWhatLiesBetweenTenDamagedBatchesWhenASeekComesFirst(Compression compression)
            throws IOException {
        fill(compression);
        int[] hit = {0, 1, 20, 21, 22, 100, 150, 200, 298, 299};
        damage(8, hit);

        try (LogStore store = open()) {
            Partition partition = store.openTopic("t").partition(0);
            for (int i = 0; i < BATCHES; i++) {
                int batch = i;
                boolean isHit = java.util.Arrays.stream(hit).anyMatch(h -> h == batch);
                try (var tailer = partition.openTailer()) {
                    tailer.seek((long) i * EACH + 1);
                    long[] offset = {-1};
                    try {
                        tailer.poll(
                                r -> {
                                    offset[0] = r.offset();
                                    return io.firn.RecordHandler.Action.CONTINUE;
                                },
                                1);
                    } catch (DamagedRangeException e) {
                        assertEquals(i * EACH + 1, e.fromOffset());
                    }
                    assertEquals(isHit ? -1 : i * EACH + 1, offset[0]);
                }
            }
        }
    }

    /** What a fetch sends: whole batches from one damaged length to the next. */
    @Test
    void shouldHandOutRunsOfBatchesBetweenDamagedLengths() throws IOException {
        fill(Compression.NONE);
        damage(8, 50, 51, 250);

        try (LogStore store = open()) {
            BatchReader reader =
                    HostedPartition.of(store.openTopic("t").partition(0)).openBatchReader();
            List<String> seen = new ArrayList<>();
            long end = BATCHES * EACH;
            long at = 0;
            while (at < end) {
                try (BatchRun run = reader.read(at, 1_000_000, true)) {
                    seen.add(run.baseOffset() + "-" + run.nextOffset());
                    at = run.nextOffset();
                } catch (DamagedRangeException e) {
                    seen.add("lost " + e.fromOffset() + "-" + e.toOffset());
                    at = e.toOffset();
                }
            }
            assertEquals(
                    List.of("0-150", "lost 150-156", "156-750", "lost 750-753", "753-902"), seen);
        }
    }

    /** A fetch that ended with the damaged batch goes on behind it. */
    @Test
    void shouldGoOnBehindADamagedLengthWhenEachRunIsOneBatch() throws IOException {
        fill(Compression.NONE);
        damage(8, 50, 250);

        try (LogStore store = open()) {
            BatchReader reader =
                    HostedPartition.of(store.openTopic("t").partition(0)).openBatchReader();
            List<Long> bases = new ArrayList<>();
            long end = BATCHES * EACH;
            long at = 0;
            while (at < end) {
                try (BatchRun run = reader.read(at, 1, true)) {
                    at = run.nextOffset();
                    assertEquals(run.baseOffset() + EACH, run.nextOffset());
                    bases.add(run.baseOffset());
                } catch (DamagedRangeException e) {
                    at = e.toOffset();
                }
            }
            assertEquals(BATCHES - 2, bases.size());
        }
    }
}
