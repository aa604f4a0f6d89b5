package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.DamagedRangeException;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.PartitionReader;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.Transaction;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Markers among damaged records, as a read-only store finds them beside the writing process. */
class FollowedDamageTest {
    @TempDir private Path directory;
    private final CachedEpochClock clock = new CachedEpochClock();
    private LogStore writer;
    private LogReader reader;
    private Topic topic;

    @BeforeEach
    void open() {
        clock.update(1_700_000_000_000L);
        writer = Stores.at(directory, new ObservedMedium()).clock(clock).invokerMode().open();
        topic = writer.createTopic("t", Stores.small().withPartitions(2));
        append("first");
    }

    @AfterEach
    void close() {
        reader.close();
        writer.close();
    }

    private void append(String value) {
        try (Appender appender = topic.partition(0).openAppender()) {
            appender.append(Stores.bytes(value));
        }
    }

    private void transaction(String value, boolean commits) {
        try (Transaction tx = writer.beginTransaction()) {
            for (int i = 0; i < 2; i++) {
                tx.append(topic.partition(i), topic.newBatch().add(Stores.bytes(value)));
            }
            if (commits) {
                tx.commit();
            }
        }
    }

    private void pass(long ms) {
        for (int i = 0; i < 5; i++) {
            clock.advance(ms);
            writer.doWork();
        }
    }

    private void damage(int batch) throws IOException {
        Path segment =
                Stores.filesIn(Stores.tierOf(directory)).stream()
                        .filter(file -> file.toString().contains(topic.id() + "/0/"))
                        .filter(file -> file.toString().endsWith(".active"))
                        .findFirst()
                        .orElseThrow();
        try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
            byte[] header = new byte[12];
            long position = 0;
            for (int i = 0; i < batch; i++) {
                file.seek(position);
                file.readFully(header);
                position += 12 + ByteBuffer.wrap(header).getInt(8);
            }
            file.seek(position + 60);
            int old = file.read();
            file.seek(position + 60);
            file.write(old ^ 1);
        }
    }

    private void check(boolean commits, List<String> expected) throws IOException {
        transaction("in it", commits);
        append("behind");
        damage(2); // its marker
        reader = Stores.at(directory, new ObservedMedium()).openReadOnly();
        PartitionReader followed = reader.openTopic("t").partition(0);
        try (Tailer tailer = followed.openTailer()) {
            assertEquals(List.of("first"), Stores.texts(Stores.readAll(tailer)));
            assertTrue(
                    reader.findings().stream()
                            .anyMatch(each -> each.text().contains("transaction")),
                    reader.findings().toString());
            append("later");
            pass(2_000); // a checkpoint
            Stores.await("the writer's checkpoint", () -> followed.visibleOffset() == 5);
            if (commits) {
                assertEquals(List.of("in it"), Stores.texts(Stores.read(tailer, 1)));
            }
            assertThrows(DamagedRangeException.class, () -> Stores.readAll(tailer));
            tailer.seek(3);
            assertEquals(expected, Stores.texts(Stores.readAll(tailer)));
        }
    }

    @Test
    void shouldShowACommitWhoseMarkerIsDamagedWhenTheWriterSaysSo() throws IOException {
        check(true, List.of("behind", "later"));
    }

    @Test
    void shouldNotShowAnAbortedTransactionWhoseMarkerIsDamaged() throws IOException {
        check(false, List.of("behind", "later"));
    }
}
