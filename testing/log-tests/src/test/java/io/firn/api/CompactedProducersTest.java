package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.Appender;
import io.firn.Compression;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.StoredRecord;
import io.firn.host.HostedAppender;
import io.firn.host.OutOfOrderSequenceException;
import io.firn.kafka.CompactedFiles;
import io.firn.kafka.KafkaBatches;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What recovery knows of idempotent producers after batches of theirs have lost records. */
class CompactedProducersTest {
    private static final int EACH = 4;

    @TempDir private Path directory;

    private static ByteBuffer batch(int sequence) {
        List<StoredRecord> records = new ArrayList<>();
        for (int i = 0; i < EACH; i++) {
            byte[] key = {(byte) i};
            records.add(new StoredRecord(0, 0, 1_000, key, new byte[100], List.of()));
        }
        return KafkaBatches.of(Compression.NONE).producer(7, 0, sequence).encode(records);
    }

    @Test
    void shouldRecogniseADuplicateOfABatchThatHasLostRecords() throws IOException {
        int batches = 10;
        try (LogStore store = Stores.at(directory).open();
                Appender appender =
                        store.createTopic("t", Stores.small())
                                .partition(0)
                                .openExclusiveAppender()) {
            for (int i = 0; i < batches; i++) {
                assertEquals(
                        (long) i * EACH, HostedAppender.of(appender).appendBatch(batch(i * EACH)));
            }
        }
        // Of the last two batches one record each is left; what was written down of producers is
        // gone, so that recovery goes by the batches.
        Path files = CompactedFiles.partitionsOf(Stores.tierOf(directory)).get(0);
        List<StoredRecord> left =
                CompactedFiles.rewrite(files, r -> r.offset() >= 32 && r.offset() % EACH == 1);
        assertEquals(List.of(33L, 37L), Stores.offsets(left));
        for (Path file : Stores.filesIn(directory.resolve("store"))) {
            if (file.getFileName().toString().startsWith("producers")) {
                Files.delete(file);
            }
        }

        try (LogStore store = Stores.at(directory).open()) {
            Partition partition = store.openTopic("t").partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                assertEquals(32, HostedAppender.of(appender).appendBatch(batch(32)));
                assertEquals(36, HostedAppender.of(appender).appendBatch(batch(36)));
                assertEquals((long) batches * EACH, partition.nextOffset());
                assertThrows(
                        OutOfOrderSequenceException.class,
                        () -> HostedAppender.of(appender).appendBatch(batch(batches * EACH + 1)));
                assertEquals(40, HostedAppender.of(appender).appendBatch(batch(batches * EACH)));
            }
        }
    }
}
