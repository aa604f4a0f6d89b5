package io.firn.golden;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Compression;
import io.firn.IsolationLevel;
import io.firn.Partition;
import io.firn.Survives;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.host.BatchReader;
import io.firn.host.BatchRun;
import io.firn.host.EpochEnd;
import io.firn.host.HostedPartition;
import io.firn.host.ReplicaAppender;
import io.firn.kafka.SourceLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A store with a replicated topic, as the first version that had them wrote it, still opens. {@link
 * #main} wrote it, as {@link GoldenStoreGenerator} writes the others.
 */
class GoldenReplicaTest {
    private static final String NAME = "replica-1.zip";
    private static final String TOPIC = "replica";

    @TempDir private Path directory;

    /** Two segments and a part of a third one, with all that a replica may have. */
    private static SourceLog source() {
        SourceLog source = new SourceLog(1_000, 3);
        for (int i = 0; i < 30; i++) {
            source.append(Compression.NONE, ("snow " + i + " falls. ").repeat(300));
        }
        source.gap(7).epoch(5).transactional(7, 0, "aborted").transactional(8, 0, "committed");
        source.append(Compression.NONE, 9, 0, "idempotent").marker(7, false).marker(8, true);
        source.epoch(6).transactional(7, 1, "open").append(Compression.NONE, "behind");
        return source;
    }

    private static TopicOptions options() {
        return FileStore.options().withMinimumClass(Survives.PROCESS_CRASH).withReplicated(true);
    }

    private static void replicate(FileStore files, SourceLog source, ReplicaAppender appender) {
        while (appender.nextOffset() < source.nextOffset()) {
            if (appender.append(source.fetch(appender.nextOffset(), 1)) == 0) {
                files.store().doWork();
            }
        }
        appender.force();
    }

    /** Wants the directory with the golden stores. */
    public static void main(String[] arguments) throws IOException {
        Path written = Files.createTempDirectory("golden");
        try (FileStore files = new FileStore(written)) {
            Topic topic = files.store().createTopic(TOPIC, options());
            try (ReplicaAppender appender =
                    HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
                SourceLog lost = source().append(Compression.NONE, "lost").marker(7, true);
                replicate(files, lost, appender);
                appender.truncate(source().nextOffset());
            }
            files.pass(Duration.ofSeconds(2));
            files.store().doWork();
        }
        GoldenZip.pack(written, Path.of(arguments[0]).resolve(NAME));
    }

    private static void assertHolds(SourceLog source, Partition partition) {
        BatchReader reader =
                HostedPartition.of(partition).openBatchReader(IsolationLevel.READ_UNCOMMITTED);
        for (SourceLog.Stored each : source.batches()) {
            try (BatchRun run = reader.read(each.base(), 1, true)) {
                byte[] found = new byte[run.bytes().remaining()];
                run.bytes().get(found);
                assertArrayEquals(each.bytes(), found, "the batch at " + each.base());
            }
        }
        assertEquals(source.nextOffset(), partition.nextOffset());
        assertEquals(List.of(), partition.damage());
    }

    @Test
    void shouldStillOpenAndGoOn() throws IOException {
        GoldenZip.unpack(NAME, directory);
        SourceLog source = source();
        try (FileStore files = new FileStore(directory)) {
            Partition partition = files.topic(TOPIC).partition(0);
            assertHolds(source, partition);
            assertEquals(
                    source.nextOffset() - 2,
                    partition.visibleOffset(IsolationLevel.READ_COMMITTED));
            assertEquals(
                    1, HostedPartition.of(partition).abortedTransactions(0, Long.MAX_VALUE).size());
            try (ReplicaAppender appender =
                    HostedPartition.of(files.topic(TOPIC).partition(0)).openReplicaAppender()) {
                assertEquals(6, appender.lastEpoch());
                assertEquals(new EpochEnd(3, 1_037), appender.endOfEpoch(4));
                source.epoch(9).marker(7, true);
                replicate(files, source, appender);
            }
            files.reopen();
            partition = files.topic(TOPIC).partition(0);
            assertHolds(source, partition);
            assertEquals(
                    source.nextOffset(), partition.visibleOffset(IsolationLevel.READ_COMMITTED));
        }
    }

    @Test
    void shouldKeepEarlierVersionsOutOnlyWithAReplica() throws IOException {
        try (FileStore files = new FileStore(directory)) {
            files.topic("local");
            Path store = directory.resolve("store");
            assertTrue(Files.readString(store).startsWith("firn store 1\n"));
            assertFalse(topicFile(files, "local").contains("replicated"));
            files.store().createTopic(TOPIC, options());
            assertTrue(Files.readString(store).startsWith("firn store 2\n"));
            assertTrue(Files.readString(store).contains("features=replicas\n"));
            assertTrue(topicFile(files, TOPIC).startsWith("firn topic 3\n"));
            assertTrue(topicFile(files, "local").startsWith("firn topic 1\n"));
        }
    }

    private String topicFile(FileStore files, String topic) throws IOException {
        String id = files.topic(topic).id().toString();
        return Files.readString(directory.resolve("topics").resolve(id).resolve("topic"));
    }
}
