package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.api.ObservedMedium;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is wrong with a time index, or missing in a mark, changes no answer. */
class DamagedTimesTest {
    private static final int ENTRY = 12;

    /** At the end of a mark file: a limit of the timestamps, and a checksum. */
    private static final int NEWER_BYTES = 24;

    /** Six to a segment; the latest is not in the last one. */
    private static final long[] TIMES = {
        10, 20, 30, 40, 50, 60,
        70, 80, 900, 100, 110, 120,
        130, 140, 150, 160, 990, 180,
        190, 200, 210, 220, 230, 240,
        250, 260, 270, 280, 290, 300
    };

    @TempDir Path temporary;
    private Disk disk;

    @BeforeEach
    void fill() {
        disk = new Disk(temporary, new ObservedMedium());
        try (LogStore store = disk.open();
                Appender appender = Disk.partition(store).openExclusiveAppender()) {
            Batch batch = appender.newBatch();
            for (int i = 0; i < TIMES.length; i += 2) {
                batch.clear();
                batch.value(Disk.value(i)).timestamp(TIMES[i]).add();
                batch.value(Disk.value(i + 1)).timestamp(TIMES[i + 1]).add();
                appender.append(batch);
            }
        }
    }

    /** What may become of a time index, by accident or by a power cut. */
    private enum Harm {
        EMPTY,
        WITHOUT_ITS_LAST_ENTRY,
        EARLIER,
        ZEROS;

        byte[] in(byte[] bytes) {
            switch (this) {
                case EMPTY:
                    return new byte[0];
                case WITHOUT_ITS_LAST_ENTRY:
                    return Arrays.copyOf(bytes, bytes.length - ENTRY);
                case EARLIER:
                    byte[] earlier = bytes.clone();
                    earlier[earlier.length - ENTRY + 6] = 0; // its last time modulo 256
                    return earlier;
                default:
                    return new byte[bytes.length];
            }
        }
    }

    private void harm(Harm harm) throws IOException {
        for (long base : new long[] {6, 12}) {
            Path file = disk.sealed(base, "timeindex");
            Files.write(file, harm.in(Files.readAllBytes(file)));
        }
    }

    /** Makes the marks as they were when they had neither timestamps nor checksums of indexes. */
    private void makeMarksOlder() throws IOException {
        for (long base = 0; base < 24; base += 6) {
            Path file = disk.sealed(base, "mark");
            byte[] bytes = Files.readAllBytes(file);
            Files.write(file, Arrays.copyOf(bytes, bytes.length - NEWER_BYTES));
        }
    }

    private void checkAll() {
        try (LogStore store = disk.open()) {
            Partition partition = Disk.partition(store);
            long latest = LongStream.of(TIMES).max().orElseThrow();
            assertEquals(first(latest), partition.findLatestTimestamp().offset());
            for (long time = 5; time <= latest; time += 5) {
                assertEquals(first(time), partition.findTimestamp(time).offset(), "at " + time);
            }
            assertEquals("[]", partition.damage().toString());
        }
    }

    private static long first(long time) {
        return LongStream.range(0, TIMES.length)
                .filter(offset -> TIMES[(int) offset] >= time)
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindEveryTimestampWhenTimeIndexesAreHarmed(Harm harm) throws IOException {
        harm(harm);
        checkAll();
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindEveryTimestampInAStoreOfAnOlderVersion(Harm harm) throws IOException {
        makeMarksOlder();
        harm(harm);
        checkAll();
    }

    @Test
    void shouldFindEveryTimestampWhenMarksAndTimeIndexesAreGone() throws IOException {
        try (Stream<Path> files = Files.walk(disk.segments())) {
            for (Path file : files.toList()) {
                if (file.toString().endsWith(".mark") || file.toString().endsWith(".timeindex")) {
                    Files.delete(file);
                }
            }
        }
        checkAll();
    }
}
