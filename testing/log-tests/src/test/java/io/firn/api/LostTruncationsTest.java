package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Compression;
import io.firn.Durability;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.PartitionReader;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TruncatedException;
import io.firn.host.HostedPartition;
import io.firn.host.ReplicaAppender;
import io.firn.kafka.SourceLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The file with what a replicated partition was truncated to is damaged or lost. */
class LostTruncationsTest {
    @TempDir private Path directory;
    private final SourceLog source = new SourceLog(0, 1);
    private LogStore writer;
    private LogReader reader;
    private Topic topic;

    /** What happens to the file. */
    enum Fault {
        DAMAGED {
            @Override
            void befall(Path file) throws IOException {
                byte[] bytes = Files.readAllBytes(file);
                bytes[bytes.length / 2] ^= 1;
                Files.write(file, bytes);
            }
        },
        EMPTY {
            @Override
            void befall(Path file) throws IOException {
                Files.write(file, new byte[0]);
            }
        },
        LOST {
            @Override
            void befall(Path file) throws IOException {
                Files.delete(file);
            }
        };

        abstract void befall(Path file) throws IOException;
    }

    @BeforeEach
    void open() {
        writer = Stores.at(directory).open();
        topic =
                writer.createTopic(
                        "t",
                        Stores.small().withReplicated(true).withDurability(Durability.WRITTEN));
        grow(60, "old");
    }

    @AfterEach
    void close() {
        if (reader != null) {
            reader.close();
        }
        writer.close();
    }

    private void grow(int count, String name) {
        for (int i = 0; i < count; i++) {
            source.append(Compression.NONE, name + source.nextOffset());
        }
        try (ReplicaAppender appender =
                HostedPartition.of(topic.partition(0)).openReplicaAppender()) {
            ReplicaTest.replicate(source, appender, 10);
        }
    }

    private void truncate(long offset) {
        ReplicaTest.truncate(source, topic, offset);
    }

    private PartitionReader follow() {
        reader = Stores.at(directory).invokerMode().openReadOnly(); // looks when it is asked
        return reader.openTopic("t").partition(0);
    }

    private void reopen() {
        writer.close();
        writer = Stores.at(directory).open();
        topic = writer.openTopic("t");
    }

    private Path file(String name) {
        return Stores.filesIn(directory).stream()
                .filter(file -> file.getFileName().toString().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("there is no " + name));
    }

    private void lose(Fault fault) throws IOException {
        writer.close();
        fault.befall(file("truncated-0"));
        writer = Stores.at(directory).open();
        topic = writer.openTopic("t");
    }

    @ParameterizedTest
    @EnumSource
    void shouldNeverGiveALaterTruncationANumberThatAReaderKnows(Fault fault) throws IOException {
        truncate(50);
        truncate(45);
        truncate(40);
        grow(20, "read");
        PartitionReader followed = follow();
        assertEquals(3, HostedPartition.of(followed).truncations());
        try (Tailer tailer = followed.openTailer()) {
            assertEquals(60, Stores.read(tailer, 60).size());
            lose(fault);
            assertTrue(
                    writer.findings().stream()
                            .anyMatch(each -> each.text().contains("truncated-0")),
                    writer.findings().toString());
            truncate(30);
            truncate(30);
            truncate(30);
            grow(40, "new");
            assertThrows(
                    TruncatedException.class,
                    () ->
                            Stores.await(
                                    "the truncations",
                                    () -> {
                                        reader.doWork();
                                        Stores.texts(Stores.readAll(tailer))
                                                .forEach(text -> assertEquals("", text));
                                        return false;
                                    }));
            tailer.seek(30);
            assertEquals("new30", Stores.texts(Stores.read(tailer, 40)).get(0));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldSayThatNothingIsKnownAfterEachLoss(Fault fault) throws IOException {
        truncate(50);
        lose(fault);
        long first = HostedPartition.of(topic.partition(0)).truncations();
        assertTrue(first > 1_000, "it is " + first);
        assertEquals(0, HostedPartition.of(topic.partition(0)).truncatedSince(0));
        assertEquals(0, HostedPartition.of(topic.partition(0)).truncatedSince(1));
        assertEquals(0, HostedPartition.of(topic.partition(0)).truncatedSince(2));
        assertEquals(Long.MAX_VALUE, HostedPartition.of(topic.partition(0)).truncatedSince(first));
        reopen();
        assertEquals(first, HostedPartition.of(topic.partition(0)).truncations());
        truncate(20);
        assertEquals(first + 1, HostedPartition.of(topic.partition(0)).truncations());
        assertEquals(20, HostedPartition.of(topic.partition(0)).truncatedSince(first));
        lose(fault);
        assertNotEquals(first, HostedPartition.of(topic.partition(0)).truncations());
        assertNotEquals(first + 1, HostedPartition.of(topic.partition(0)).truncations());
        assertEquals(0, HostedPartition.of(topic.partition(0)).truncatedSince(first));
        assertEquals(0, HostedPartition.of(topic.partition(0)).truncatedSince(first + 1));
    }

    /** The reader has never heard of a truncation, and cannot be told of this one by its number. */
    @ParameterizedTest
    @EnumSource
    void shouldTellReadersWhileTheWriterDoesNotKnow(Fault fault) throws IOException {
        PartitionReader followed = follow();
        try (Tailer tailer = followed.openTailer()) {
            assertEquals(60, Stores.read(tailer, 60).size());
            truncate(20);
            grow(40, "new");
            fault.befall(file("truncated-0"));
            assertThrows(
                    TruncatedException.class,
                    () ->
                            Stores.await(
                                    "the truncation",
                                    () -> {
                                        reader.doWork();
                                        return !Stores.readAll(tailer).isEmpty();
                                    }));
            assertEquals(-1, HostedPartition.of(followed).truncations());
            assertEquals(0, HostedPartition.of(followed).truncatedSince(0));
            tailer.seek(20);
            assertEquals("new20", Stores.texts(Stores.read(tailer, 40)).get(0));
            truncate(30); // which writes the file again
            assertThrows(
                    TruncatedException.class,
                    () ->
                            Stores.await(
                                    "the next truncation",
                                    () -> {
                                        reader.doWork();
                                        return !Stores.readAll(tailer).isEmpty();
                                    }));
            assertEquals(2, HostedPartition.of(followed).truncations());
        }
    }

    @Test
    void shouldNotTakeAStoreOfAnEarlierReleaseForDamaged() throws IOException {
        reopen();
        assertEquals(0, HostedPartition.of(topic.partition(0)).truncations());
        truncate(50);
        writer.close();
        Files.delete(file("was-truncated-0")); // that release does not write it
        writer = Stores.at(directory).open();
        topic = writer.openTopic("t");
        assertEquals(1, HostedPartition.of(topic.partition(0)).truncations());
        assertTrue(
                writer.findings().stream().noneMatch(each -> each.text().contains("truncated-0")),
                writer.findings().toString());
        lose(Fault.LOST);
        assertEquals(0, HostedPartition.of(topic.partition(0)).truncatedSince(1));
    }
}
