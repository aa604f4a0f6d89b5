package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Compression;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PartitionReader;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.host.BatchReader;
import io.firn.host.BatchRun;
import io.firn.host.HostedPartition;
import io.firn.host.ReplicaAppender;
import io.firn.kafka.SourceLog;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files that runs of batches are in, for a server that has the system send them. */
class BatchesInFileTest {
    private static final int VALUE_BYTES = 5_000;
    private static final int COUNT = 40;

    @TempDir private Path directory;
    private LogStore store;

    @AfterEach
    void close() {
        if (store != null) {
            store.close();
        }
    }

    private Partition fill() {
        store = Stores.at(directory).open();
        return fill(store);
    }

    /** Four segments, of which three are sealed. */
    private static Partition fill(LogStore store) {
        Partition partition = store.createTopic("t", Stores.small()).partition(0);
        try (Appender appender = partition.openAppender()) {
            for (int i = 0; i < COUNT; i++) {
                byte[] value = new byte[VALUE_BYTES];
                Arrays.fill(value, (byte) i);
                appender.append(value);
            }
        }
        return partition;
    }

    private static List<Path> sealedFiles(Path directory) {
        return Stores.filesIn(Stores.tierOf(directory)).stream()
                .filter(each -> each.toString().endsWith(".log"))
                .sorted()
                .toList();
    }

    private static BatchRun readFirst(PartitionReader partition) {
        return HostedPartition.of(partition).openBatchReader().read(0, 1, true);
    }

    private static byte[] bytesOf(BatchRun run) {
        byte[] bytes = new byte[run.bytes().remaining()];
        run.bytes().duplicate().get(bytes);
        return bytes;
    }

    private static byte[] bytesOf(BatchRun.FileRange range, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        while (bytes.hasRemaining()
                && range.file().read(bytes, range.position() + bytes.position()) > 0) {
            continue;
        }
        return bytes.array();
    }

    /** Reads all, and returns the files. */
    private static Set<FileChannel> compareAll(Partition partition) throws IOException {
        BatchReader reader = HostedPartition.of(partition).openBatchReader();
        Set<FileChannel> files = new HashSet<>();
        for (long offset = 0; offset < COUNT; ) {
            try (BatchRun run = reader.read(offset, 3 * VALUE_BYTES, true)) {
                BatchRun.FileRange range = run.fileRange();
                assertArrayEquals(bytesOf(run), bytesOf(range, run.bytes().remaining()));
                files.add(range.file());
                offset = run.nextOffset();
            }
        }
        return files;
    }

    @Test
    void shouldHaveTheSameBytesInTheFilesOfAllSegments() throws IOException {
        Partition partition = fill();
        assertEquals(4, compareAll(partition).size());
        assertEquals(4, compareAll(partition).size());
    }

    @Test
    void shouldHaveThemAfterARestart() throws IOException {
        fill();
        store.close();
        store = Stores.at(directory).open();
        assertEquals(4, compareAll(store.openTopic("t").partition(0)).size());
    }

    @Test
    void shouldKeepTheFileOfASegmentThatIsSealedMeanwhile() throws IOException {
        store = Stores.at(directory).open();
        Partition partition = store.createTopic("t", Stores.small()).partition(0);
        try (Appender appender = partition.openAppender()) {
            appender.append(new byte[VALUE_BYTES]);
            try (BatchRun run = readFirst(partition)) {
                byte[] before = bytesOf(run);
                BatchRun.FileRange range = run.fileRange();
                for (int i = 1; i < COUNT; i++) {
                    appender.append(new byte[VALUE_BYTES]);
                }
                Stores.await("a sealed file", () -> !sealedFiles(directory).isEmpty());
                assertArrayEquals(before, bytesOf(range, before.length));
            }
        }
        assertEquals(4, compareAll(partition).size());
    }

    /** A sealed file is renamed before its block says so. */
    @Test
    void shouldHaveTheFileOfASegmentThatIsBeingRenamed() throws IOException {
        ObservedMedium medium = new ObservedMedium();
        Gate gate = new Gate();
        medium.afterRename(
                file -> {
                    if (file.toString().endsWith(".log")) {
                        gate.run(file);
                    }
                });
        gate.shut();
        store = Stores.at(directory, medium).open();
        Partition partition = fill(store);
        try (BatchRun run = readFirst(partition)) {
            Stores.await("a renamed file", () -> gate.held() == 1);
            assertArrayEquals(bytesOf(run), bytesOf(run.fileRange(), run.bytes().remaining()));
        } finally {
            gate.open();
        }
    }

    @Test
    void shouldKeepTheFileOfADeletedSegmentUntilTheRunIsClosed() throws IOException {
        Partition partition = fill();
        Stores.await("sealed files", () -> sealedFiles(directory).size() == 3);
        BatchRun run = readFirst(partition);
        byte[] bytes = bytesOf(run);
        BatchRun.FileRange range = run.fileRange();
        partition.deleteRecordsBefore(COUNT - 1);
        assertArrayEquals(bytes, bytesOf(range, bytes.length));
        run.close();
        assertNull(run.fileRange());
        Stores.await("the file to be closed", () -> !range.file().isOpen());
    }

    @Test
    void shouldCloseAllFilesWithTheStore() throws IOException {
        List<FileChannel> files = new ArrayList<>(compareAll(fill()));
        store.close();
        for (FileChannel each : files) {
            assertFalse(each.isOpen());
        }
    }

    @Test
    void shouldOpenAFileAgainThatAnInterruptHasClosed() throws IOException {
        try (BatchRun run = readFirst(fill())) {
            run.fileRange().file().close();
            assertArrayEquals(bytesOf(run), bytesOf(run.fileRange(), run.bytes().remaining()));
        }
    }

    @Test
    void shouldHaveNoneWhereAnotherFileHasTheName() throws IOException {
        Partition partition = fill();
        Stores.await("sealed files", () -> sealedFiles(directory).size() == 3);
        try (BatchRun run = readFirst(partition)) {
            Path file = sealedFiles(directory).get(0);
            Path copy = Files.copy(file, directory.resolve("copy"));
            Files.move(copy, file, StandardCopyOption.REPLACE_EXISTING);
            assertNull(run.fileRange());
            assertTrue(run.bytes().hasRemaining());
        }
    }

    @Test
    void shouldHaveNoneOfAReplicatedTopicWhichMayBeTruncated() {
        store = Stores.at(directory).open();
        SourceLog source = new SourceLog(0, 1).append(Compression.NONE, "a", "b");
        Topic topic = store.createTopic("t", Stores.small().withReplicated(true));
        try (ReplicaAppender appender =
                HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
            ReplicaTest.replicate(source, appender, 1_000);
        }
        try (BatchRun run = readFirst(topic.partition(0))) {
            assertTrue(run.bytes().hasRemaining());
            assertNull(run.fileRange());
        }
    }

    @Test
    void shouldHaveNoneOfASegmentOfAnotherProcess() {
        fill();
        try (LogReader reader = Stores.at(directory).openReadOnly();
                BatchRun run = readFirst(reader.openTopic("t").partition(0))) {
            assertTrue(run.bytes().hasRemaining());
            assertNull(run.fileRange());
        }
    }

    @Test
    void shouldHaveNoneOnAMediumWithoutFilesOfTheSystem() {
        store = Stores.at(Path.of("/firn"), new SimulatedFileMedium()).open();
        try (BatchRun run = readFirst(fill(store))) {
            assertTrue(run.bytes().hasRemaining());
            assertNull(run.fileRange());
        }
    }

    @Test
    void shouldHaveNoneWhileTooManyAreOpen() throws IOException {
        store = Stores.at(directory).open();
        int most = 500; // fewer where the process may have fewer descriptors
        List<BatchRun> runs = new ArrayList<>();
        Topic topic = store.createTopic("t", Stores.small().withPartitions(most + 1));
        try {
            int open = 0;
            for (int i = 0; i <= most && open == i; i++) {
                try (Appender appender = topic.partition(i).openAppender()) {
                    appender.append(new byte[1]);
                }
                runs.add(readFirst(topic.partition(i)));
                open += runs.get(i).fileRange() == null ? 0 : 1;
            }
            assertTrue(open > 0 && open <= most, open + " files");
            assertNotNull(runs.get(0).fileRange());
        } finally {
            runs.forEach(BatchRun::close);
        }
    }

    @Test
    void shouldHaveNoneWhileTheTiersTogetherHaveTooManyOpen() throws IOException {
        store =
                StoreBuilder.over(directory.resolve("store"), new ObservedMedium())
                        .tier("one", FileTier.at(directory.resolve("one")))
                        .tier("two", FileTier.at(directory.resolve("two")))
                        .open();
        int each = 300; // of 500 that may be open, or fewer
        List<BatchRun> runs = new ArrayList<>();
        try {
            for (String tier : List.of("one", "two")) {
                TopicOptions options = Stores.small().withPartitions(each).withTiers(tier);
                Topic topic = store.createTopic(tier, options);
                for (int i = 0; i < each; i++) {
                    try (Appender appender = topic.partition(i).openAppender()) {
                        appender.append(new byte[1]);
                    }
                    runs.add(readFirst(topic.partition(i)));
                }
            }
            long open = runs.stream().filter(run -> run.fileRange() != null).count();
            assertTrue(open > 0 && open <= 500, open + " files");
        } finally {
            runs.forEach(BatchRun::close);
        }
    }
}
