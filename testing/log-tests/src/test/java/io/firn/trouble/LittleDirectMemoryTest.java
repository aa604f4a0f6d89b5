package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that may have little direct memory. */
class LittleDirectMemoryTest {
    private static final int LARGE = 12 << 20;

    @TempDir private Path directory;

    @Test
    void shouldRefuseARecordForWhichThereIsNoMemoryAndGoOn() throws Exception {
        try (Jvm jvm = new Jvm(List.of("-XX:MaxDirectMemorySize=8m"), Child.class, directory)) {
            List<String> said = jvm.end();
            assertEquals("refused and went on", said.get(said.size() - 1), said.toString());
        }
    }

    /** Appends records that are too large for the memory that there is, and others. */
    static final class Child {
        public static void main(String[] args) {
            Path directory = Path.of(args[0]);
            try (LogStore store =
                    LogStore.at(directory.resolve("store"))
                            .tier(FileTier.at(directory.resolve("tier")))
                            .open()) {
                TopicOptions options = TopicOptions.defaults().withMaxRecordBytes(16 << 20);
                Partition partition = store.createTopic("t", options).partition(0);
                try (Appender appender = partition.openExclusiveAppender()) {
                    append(partition, appender);
                }
                try (Appender shared = partition.openAppender()) {
                    append(partition, shared);
                }
                Found found = Found.in(partition);
                found.assertReadable(0, partition.nextOffset());
                assertTrue(found.lost().isEmpty());
            }
            System.out.println("refused and went on");
        }

        private static void append(Partition partition, Appender appender) {
            long next = partition.nextOffset();
            for (int i = 0; i < 3; i++) {
                FirnException refused =
                        assertThrows(FirnException.class, () -> appender.append(new byte[LARGE]));
                assertTrue(
                        refused.getMessage().contains("MaxDirectMemorySize"), refused.getMessage());
                assertEquals(next + i, partition.nextOffset());
                assertEquals(next + i, appender.append(new byte[5_000]));
            }
            Batch batch = appender.newBatch().add(new byte[LARGE]); // is written in pieces
            assertEquals(next + 3, appender.append(batch));
            assertFalse(partition.metrics().isPoisoned());
            assertEquals(partition.nextOffset(), partition.durableOffset());
        }
    }
}
