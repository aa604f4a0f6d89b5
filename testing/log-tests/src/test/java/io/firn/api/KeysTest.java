package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Claim;
import io.firn.CleanupPolicy;
import io.firn.Compression;
import io.firn.ExclusiveAppender;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicAppender;
import io.firn.host.HostedAppender;
import io.firn.host.InvalidBatchException;
import io.firn.kafka.KafkaBatches;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Records of compacted topics need a key. */
class KeysTest {
    private static final byte[] KEY = {1};
    private static final byte[] VALUE = {2};

    @TempDir private Path directory;
    private LogStore store;

    @BeforeEach
    void open() {
        store = Stores.at(directory).open();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private Topic create(CleanupPolicy cleanup) {
        return store.createTopic("t", Stores.small().withCleanup(cleanup));
    }

    private static void assertRefused(Class<? extends RuntimeException> error, Executable append) {
        RuntimeException refusal = assertThrows(error, append);
        assertTrue(refusal.getMessage().contains("key"), refusal.getMessage());
        assertTrue(refusal.getMessage().contains("compacted"), refusal.getMessage());
    }

    private static ByteBuffer foreign(Compression codec, byte[]... keys) {
        List<StoredRecord> records =
                java.util.Arrays.stream(keys)
                        .map(key -> new StoredRecord(0, 0, 1_000, key, VALUE, List.of()))
                        .toList();
        return KafkaBatches.of(codec).encode(records);
    }

    @ParameterizedTest
    @EnumSource(names = {"COMPACT", "COMPACT_AND_DELETE"})
    void shouldRefuseEachKindOfAppendWithoutAKeyAndAppendNothing(CleanupPolicy cleanup) {
        Topic topic = create(cleanup);
        Partition partition = topic.partition(0);
        Class<InvalidOptionException> error = InvalidOptionException.class;
        try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
            assertRefused(error, () -> appender.append(VALUE));
            assertRefused(error, () -> appender.append(ByteBuffer.wrap(VALUE)));
            assertRefused(error, () -> appender.append(new UnsafeBuffer(VALUE), 0, 1));
            assertRefused(error, () -> appender.tryAppend(new UnsafeBuffer(VALUE), 0, 1));
            assertRefused(error, () -> appender.append(null, VALUE));
            assertRefused(error, () -> appender.claim(10));
            assertRefused(error, () -> appender.tryClaim(10));
            var mixed = appender.newBatch().add(KEY, VALUE).add(null, VALUE).add(KEY, VALUE);
            assertRefused(error, () -> appender.append(mixed));
            assertRefused(error, () -> appender.tryAppend(mixed));
            assertRefused(error, () -> appender.appendFuture(mixed));
            assertRefused(error, () -> appender.append(mixed.expectedOffset(0)));
            for (Compression codec : Compression.values()) {
                ByteBuffer batch = foreign(codec, KEY, null, KEY);
                assertRefused(
                        InvalidBatchException.class,
                        () -> HostedAppender.of(appender).appendBatch(batch));
                assertRefused(
                        InvalidBatchException.class,
                        () -> HostedAppender.of(appender).tryAppendBatch(batch));
            }
        }
        try (TopicAppender appender = topic.openAppender()) {
            assertRefused(error, () -> appender.append(null, VALUE));
        }
        assertEquals(0, partition.nextOffset());
    }

    @Test
    void shouldTakeRecordsWithKeysAlsoEmptyOnesAndTombstones() {
        Partition partition = create(CleanupPolicy.COMPACT).partition(0);
        byte[] empty = {};
        try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
            appender.append(KEY, VALUE);
            appender.append(empty, VALUE);
            appender.append(KEY, null);
            appender.append(appender.newBatch().add(KEY, VALUE).add(empty, null));
            for (Compression codec : Compression.values()) {
                HostedAppender.of(appender).appendBatch(foreign(codec, KEY, empty));
            }
        }
        assertEquals(5 + 2 * Compression.values().length, partition.nextOffset());
    }

    @Test
    void shouldAskForKeysFromTheChangeOnAndReadWhatIsFromBefore() {
        Topic topic = create(CleanupPolicy.DELETE);
        Partition partition = topic.partition(0);
        try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
            appender.append(VALUE);
            Claim claim = appender.tryClaim(1);
            assertNotNull(claim);
            topic.changeOptions(topic.options().withCleanup(CleanupPolicy.COMPACT));
            assertRefused(InvalidOptionException.class, claim::commit);
            assertRefused(InvalidOptionException.class, () -> appender.append(VALUE));
            appender.append(KEY, VALUE);
            topic.changeOptions(topic.options().withCleanup(CleanupPolicy.DELETE));
            appender.append(VALUE);
        }
        topic.changeOptions(topic.options().withCleanup(CleanupPolicy.COMPACT));
        store.close();
        open();
        assertEquals(CleanupPolicy.COMPACT, store.openTopic("t").options().cleanup());
        Partition again = store.openTopic("t").partition(0);
        try (ExclusiveAppender appender = again.openExclusiveAppender();
                Tailer tailer = again.openTailer()) {
            assertRefused(InvalidOptionException.class, () -> appender.append(VALUE));
            List<StoredRecord> records = Stores.readAll(tailer);
            assertEquals(List.of(0L, 1L, 2L), Stores.offsets(records));
            assertNull(records.get(0).key());
        }
    }

    /** A version of Firn that does not know compaction refuses version 2. */
    @Test
    void shouldWriteTheTopicFileOfVersion2OnlyWhileTheTopicIsCompacted() throws Exception {
        Topic topic = create(CleanupPolicy.DELETE);
        assertEquals("firn topic 1", firstLineOfTopicFile(topic));
        topic.changeOptions(topic.options().withCleanup(CleanupPolicy.COMPACT_AND_DELETE));
        assertEquals("firn topic 2", firstLineOfTopicFile(topic));
        topic.changeOptions(topic.options().withCleanup(CleanupPolicy.DELETE));
        assertEquals("firn topic 1", firstLineOfTopicFile(topic));
    }

    private String firstLineOfTopicFile(Topic topic) throws Exception {
        Path files = directory.resolve("store").resolve("topics").resolve(topic.id().toString());
        return Files.readAllLines(files.resolve("topic")).get(0);
    }

    @Test
    void shouldAskForKeysInAPartitionThatWasAdded() {
        Topic topic = create(CleanupPolicy.COMPACT);
        topic.addPartitions(2);
        try (ExclusiveAppender appender = topic.partition(1).openExclusiveAppender()) {
            assertRefused(InvalidOptionException.class, () -> appender.append(VALUE));
        }
    }
}
