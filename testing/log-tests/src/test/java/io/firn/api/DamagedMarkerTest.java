package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.DamagedRangeException;
import io.firn.Finding;
import io.firn.IsolationLevel;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.Transaction;
import io.firn.format.BatchFormat;
import io.firn.sim.FirstRunOnly;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Markers that are damaged when a store is opened without the checkpoint of its producers. */
@FirstRunOnly
class DamagedMarkerTest {
    private static final int MARKER = 2; // "before", "in it", marker, "behind"

    @TempDir private Path directory;
    private Path original;
    private Path segment; // in it
    private byte[] sound;
    private int markerAt;
    private int markerEnd;

    @BeforeEach
    void commitOne() throws IOException {
        original = directory.resolve("original");
        Files.createDirectory(original);
        try (LogStore store = Stores.at(original).open()) {
            Topic topic = store.createTopic("t", Stores.small());
            append(topic, "before");
            try (Transaction tx = store.beginTransaction()) {
                tx.append(topic.partition(0), topic.newBatch().add(Stores.bytes("in it")));
                tx.commit();
            }
            append(topic, "behind");
        }
        Path file =
                Stores.filesIn(Stores.tierOf(original)).stream()
                        .filter(DamagedMarkerTest::isSegment)
                        .filter(each -> contains(each, "in it"))
                        .findFirst()
                        .orElseThrow();
        segment = original.relativize(file);
        sound = Files.readAllBytes(file);
        ByteBuffer bytes = ByteBuffer.wrap(sound);
        for (int i = 0; i < MARKER; i++) {
            markerAt += BatchFormat.size(bytes, markerAt);
        }
        markerEnd = markerAt + BatchFormat.size(bytes, markerAt);
    }

    private static void append(Topic topic, String value) {
        try (Appender appender = topic.partition(0).openAppender()) {
            appender.append(Stores.bytes(value));
        }
    }

    private static boolean isSegment(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(".active") || name.endsWith(".log");
    }

    private static boolean contains(Path file, String text) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(text);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void flip(Path file, int at, int bit) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(at);
            bytes.write(sound[at] ^ (1 << bit));
        }
    }

    /** Copies all but the checkpoints of producers. */
    private void copyTo(Path to) throws IOException {
        for (Path file : Stores.filesIn(original)) {
            if (!file.getFileName().toString().startsWith("producers")) {
                Path copy = to.resolve(original.relativize(file));
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy);
            }
        }
    }

    private static List<String> read(Partition partition, IsolationLevel isolation) {
        List<StoredRecord> records = new ArrayList<>();
        try (Tailer tailer =
                partition
                        .topic()
                        .openTailer(
                                TailerOptions.defaults()
                                        .withIsolation(isolation)
                                        .withPartitions(0))) {
            while (true) {
                try {
                    StoredRecord next = tailer.stream().findFirst().orElse(null);
                    if (next == null) {
                        return Stores.texts(records);
                    }
                    records.add(next);
                } catch (DamagedRangeException e) {
                    tailer.seek(e.toOffset());
                }
            }
        }
    }

    @Test
    void shouldTellWhenACommitMayBeLostWhicheverBitIsFlipped() throws IOException {
        int told = 0;
        for (int at = markerAt; at < markerEnd; at++) {
            Path copy = directory.resolve("copy" + at);
            copyTo(copy);
            flip(copy.resolve(segment), at, at % 8);
            try (LogStore store = Stores.at(copy).open()) {
                Partition partition = store.openTopic("t").partition(0);
                String what = "byte " + (at - markerAt) + ": " + store.findings();
                boolean isTold =
                        store.findings().stream()
                                .anyMatch(each -> each.text().contains("transaction"));
                List<String> committed = read(partition, IsolationLevel.READ_COMMITTED);
                if (!isTold) {
                    assertEquals(List.of("before", "in it", "behind"), committed, what);
                } else {
                    told++;
                    assertEquals(List.of("before", "behind"), committed, what);
                    assertEquals(
                            List.of("before", "in it", "behind"),
                            read(partition, IsolationLevel.READ_UNCOMMITTED),
                            what);
                }
            }
        }
        assertTrue(told > 60, "told " + told + " times");
    }

    @Test
    void shouldSuspectOnlyBatchesThatMayBeMarkers() throws IOException {
        String large = "a record that is larger than a marker".repeat(10);
        Path place = directory.resolve("open");
        Files.createDirectory(place);
        try (LogStore store = Stores.at(place).open()) {
            Topic topic = store.createTopic("t", Stores.small());
            Transaction tx = store.openProducer("p", Duration.ofDays(1)).beginTransaction();
            tx.append(topic.partition(0), topic.newBatch().add(Stores.bytes("open")));
            append(topic, large);
            append(topic, "small");
        }
        Path file =
                Stores.filesIn(Stores.tierOf(place)).stream()
                        .filter(DamagedMarkerTest::isSegment)
                        .filter(each -> contains(each, large))
                        .findFirst()
                        .orElseThrow();
        sound = Files.readAllBytes(file);
        String text = new String(sound, StandardCharsets.ISO_8859_1);
        flip(file, text.indexOf(large), 1);
        assertEquals(List.of(), findingsIn(place));
        flip(file, text.indexOf("small"), 1);
        List<String> findings = findingsIn(place);
        assertTrue(findings.toString().contains("offsets 2 to 3"), findings.toString());
    }

    private static List<String> findingsIn(Path place) {
        try (LogStore store = Stores.at(place).open()) {
            assertEquals(0, store.openTopic("t").partition(0).visibleOffset());
            return store.findings().stream().map(Finding::text).toList();
        }
    }
}
