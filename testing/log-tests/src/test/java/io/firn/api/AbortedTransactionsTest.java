package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.Transaction;
import io.firn.host.HostedPartition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Thousands of aborted transactions, which are in files of their own. */
class AbortedTransactionsTest {
    private static final int COUNT = 3_000;

    @TempDir private Path directory;
    private final ManualClock clock = new ManualClock();

    private LogStore open() {
        return Stores.at(directory).clock(clock).invokerMode().open();
    }

    private static void append(LogStore store, Partition partition, String value, boolean commits) {
        try (Transaction tx = store.beginTransaction()) {
            tx.append(partition, partition.topic().newBatch().add(Stores.bytes(value)));
            if (commits) {
                tx.commit();
            }
        }
    }

    private void fill() {
        try (LogStore store = open()) {
            Partition partition = store.createTopic("t", Stores.small()).partition(0);
            for (int i = 0; i < COUNT; i++) {
                append(store, partition, "tx " + i, i % 100 == 0);
                if (i % 500 == 499) {
                    clock.advance(2_000);
                    Stores.work(store);
                }
            }
        }
    }

    private List<Path> files() {
        return Stores.filesIn(directory.resolve("store")).stream()
                .filter(file -> file.getFileName().toString().startsWith("aborted-0-"))
                .toList();
    }

    private void check() {
        try (LogStore store = open()) {
            Partition partition = store.openTopic("t").partition(0);
            try (Tailer tailer = partition.openTailer()) {
                List<String> seen = Stores.texts(Stores.readAll(tailer));
                assertEquals(COUNT / 100, seen.size());
                assertEquals("tx 2900", seen.get(COUNT / 100 - 1));
            }
            assertEquals(
                    COUNT - COUNT / 100,
                    HostedPartition.of(partition).abortedTransactions(0, Long.MAX_VALUE).size());
        }
    }

    @Test
    void shouldBeKnownAfterAReopen() {
        fill();
        assertEquals(2, files().size());
        check();
    }

    @Test
    void shouldBeFoundInTheLogWhenAFileIsMissing() throws IOException {
        fill();
        Files.delete(files().get(0));
        check();
        Files.delete(files().get(0));
        check();
    }

    @Test
    void shouldBeFoundInTheLogWhenAFileIsDamaged() throws IOException {
        fill();
        byte[] bytes = Files.readAllBytes(files().get(0));
        bytes[bytes.length / 2] ^= 1;
        Files.write(files().get(0), bytes);
        check();
    }

    @Test
    void shouldForgetThoseBelowTheLogStart() {
        fill();
        try (LogStore store = open()) {
            Topic topic = store.openTopic("t");
            Partition partition = topic.partition(0);
            partition.deleteRecordsBefore(partition.nextOffset());
            for (int i = 0; i < 1_500; i++) {
                append(store, partition, "more", false);
            }
            clock.advance(2_000);
            Stores.work(store);
            assertFalse(files().isEmpty());
            assertTrue(files().size() < 3, files().toString());
            assertEquals(
                    1_500,
                    HostedPartition.of(partition).abortedTransactions(0, Long.MAX_VALUE).size());
        }
    }
}
