package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.host.BatchReader;
import io.firn.host.BatchRun;
import io.firn.host.HostedPartition;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A header that is damaged in a file while readers of whole batches have it mapped. */
class WalkedHeadersTest {
    private static final int BATCHES = 100;
    private static final int DAMAGED = 50;
    private static final int LENGTH = 8;
    private static final int MAGIC = 16;

    @TempDir Path temporary;
    private Disk disk;

    @BeforeEach
    void create() {
        disk = new Disk(temporary);
    }

    private LogStore open(boolean verifies) {
        return verifies ? disk.builder().verifyEveryRead().open() : disk.open();
    }

    private static void fill(LogStore store) {
        try (Appender appender = Disk.partition(store).openExclusiveAppender()) {
            for (int i = 0; i < BATCHES; i++) {
                appender.append(new byte[500]);
            }
        }
    }

    private void damage() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(disk.active().toFile(), "rw")) {
            long at = 0;
            for (int i = 0; i < DAMAGED; i++) {
                file.seek(at + LENGTH);
                at += LENGTH + Integer.BYTES + file.readInt();
            }
            file.seek(at + MAGIC);
            file.write(5);
        }
    }

    private static long endOfRun(LogStore store) {
        BatchReader reader = HostedPartition.of(Disk.partition(store)).openBatchReader();
        try (BatchRun run = reader.read(0, 1 << 20, false)) {
            return run.nextOffset();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldBeNoticedAfterAnAppendOnlyWhenEveryReadVerifies(boolean verifies)
            throws IOException {
        try (LogStore store = open(verifies)) {
            fill(store);
            damage();

            assertEquals(verifies ? DAMAGED : BATCHES, endOfRun(store));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldBeNoticedAfterAReadOnlyWhenEveryReadVerifies(boolean verifies) throws IOException {
        try (LogStore store = open(false)) {
            fill(store);
        }
        try (LogStore store = open(verifies)) {
            assertEquals(BATCHES, endOfRun(store));
            damage();

            assertEquals(verifies ? DAMAGED : BATCHES, endOfRun(store));
        }
        try (LogStore store = open(false)) {
            assertEquals(DAMAGED, endOfRun(store));
        }
    }
}
