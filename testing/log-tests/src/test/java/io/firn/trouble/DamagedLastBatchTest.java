package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.Appender;
import io.firn.DamagedRangeException;
import io.firn.LogStore;
import io.firn.host.BatchReader;
import io.firn.host.BatchRun;
import io.firn.host.HostedPartition;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The visible last batch, whose length and last offset no header behind it confirms. */
class DamagedLastBatchTest {
    private static final int BATCHES = 100;
    private static final int LENGTH = 8;
    private static final int LAST_OFFSET_DELTA = 23;

    @TempDir Path temporary;
    private Disk disk;

    @BeforeEach
    void create() {
        disk = new Disk(temporary);
        try (LogStore store = disk.open();
                Appender appender = Disk.partition(store).openExclusiveAppender()) {
            for (int i = 0; i < BATCHES; i++) {
                appender.append(new byte[500]);
            }
        }
    }

    private void damage(int lastOffsetDelta) throws IOException {
        damage(LAST_OFFSET_DELTA, lastOffsetDelta);
    }

    private void damage(int field, int value) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(disk.active().toFile(), "rw")) {
            long at = 0;
            for (int i = 0; i < BATCHES - 1; i++) {
                file.seek(at + LENGTH);
                at += LENGTH + Integer.BYTES + file.readInt();
            }
            file.seek(at + field);
            file.writeInt(value);
        }
    }

    private static void checkReported(BatchReader reader) {
        DamagedRangeException lost =
                assertThrows(
                        DamagedRangeException.class, () -> reader.read(BATCHES - 1, 1 << 20, true));
        assertEquals(BATCHES - 1, lost.fromOffset());
        assertEquals(BATCHES, lost.toOffset());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 1_000})
    void shouldNotBeHandedOutWhenItSeemsToEndAboveTheVisibleEnd(int delta) throws IOException {
        try (LogStore store = disk.open()) {
            damage(delta);
            BatchReader reader = HostedPartition.of(Disk.partition(store)).openBatchReader();

            try (BatchRun run = reader.read(0, 1 << 20, false)) {
                assertEquals(BATCHES - 1, run.nextOffset());
            }
            checkReported(reader);
            checkReported(HostedPartition.of(Disk.partition(store)).openBatchReader());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {49, 300})
    void shouldNotBeHandedOutWhenItSeemsToBeShorter(int length) throws IOException {
        try (LogStore store = disk.open()) {
            damage(LENGTH, length);
            BatchReader reader = HostedPartition.of(Disk.partition(store)).openBatchReader();

            try (BatchRun run = reader.read(0, 1 << 20, false)) {
                assertEquals(BATCHES - 1, run.nextOffset());
            }
            checkReported(reader);
            checkReported(HostedPartition.of(Disk.partition(store)).openBatchReader());
        }
    }

    @Test
    void shouldBeReportedAlsoWhenMoreIsAppendedBehindIt() throws IOException {
        try (LogStore store = disk.open()) {
            damage(5);
            try (Appender appender = Disk.partition(store).openExclusiveAppender()) {
                appender.append(new byte[500]);
            }
            BatchReader reader = HostedPartition.of(Disk.partition(store)).openBatchReader();

            checkReported(reader);
            try (BatchRun run = reader.read(BATCHES, 1 << 20, true)) {
                assertEquals(BATCHES, run.baseOffset());
                assertEquals(BATCHES + 1, run.nextOffset());
            }
        }
    }
}
