package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.DamagedRangeException;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files that are replaced under a reader that has them mapped: by a backup, or by an overlay file
 * system that copies a file when it is first written. What the file has counts, not what is mapped.
 */
class ReplacedFileTest {
    @TempDir Path temporary;

    @BeforeEach
    void silence() {
        Logger.getLogger("io.firn").setLevel(Level.OFF);
    }

    /** Reads records up to the end, and compares each with what was appended at its offset. */
    private static long read(Tailer tailer) {
        List<Long> offsets = new ArrayList<>();
        while (tailer.poll(
                        record -> {
                            byte[] value = record.copy().value();
                            assertArrayEquals(Disk.value(record.offset()), value);
                            offsets.add(record.offset());
                            return Action.CONTINUE;
                        },
                        100)
                > 0) {
            continue;
        }
        return offsets.size();
    }

    private static Path replaceByCopy(Path file) throws IOException {
        Path copy = Files.copy(file, file.resolveSibling("copy"));
        Files.move(copy, file, StandardCopyOption.REPLACE_EXISTING);
        return file;
    }

    private static void flip(Path file, long at) throws IOException {
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "rw")) {
            in.seek(at);
            int before = in.read();
            in.seek(at);
            in.write(before ^ 1);
        }
    }

    private void shouldReadARestoredSegment(LogReader store, Disk disk) throws IOException {
        Path segment = disk.sealed(6, "log");
        Path backup = Files.copy(segment, temporary.resolve("backup"));
        flip(segment, 100);
        try (Tailer tailer = store.openTopic(Disk.TOPIC).partition(0).openTailer()) {
            DamagedRangeException damage =
                    assertThrows(DamagedRangeException.class, () -> read(tailer));
            assertEquals(6, damage.fromOffset());
            Files.move(backup, segment, StandardCopyOption.REPLACE_EXISTING);
            tailer.seekToStart();
            assertEquals(30, read(tailer));
        }
    }

    @Test
    void shouldReadASegmentThatWasRestoredUnderAReader() throws IOException {
        Disk disk = new Disk(temporary);
        disk.fill();
        try (LogReader reader = disk.builder().openReadOnly()) {
            shouldReadARestoredSegment(reader, disk);
        }
    }

    @Test
    void shouldReadASegmentThatWasRestoredUnderItsWriter() throws IOException {
        Disk disk = new Disk(temporary);
        disk.fill();
        try (LogStore writer = disk.open()) {
            shouldReadARestoredSegment(writer, disk);
        }
    }

    @Test
    void shouldReportDamageThatTheFileHasAlsoWhenItWasReplaced() throws IOException {
        Disk disk = new Disk(temporary);
        disk.fill();
        Path segment = disk.sealed(6, "log");
        flip(segment, 100);
        try (LogReader reader = disk.builder().openReadOnly();
                Tailer tailer = reader.openTopic(Disk.TOPIC).partition(0).openTailer()) {
            assertThrows(DamagedRangeException.class, () -> read(tailer));
            replaceByCopy(segment);
            tailer.seekToStart();
            assertThrows(DamagedRangeException.class, () -> read(tailer));
        }
    }

    @Test
    void shouldFollowASegmentWhoseFileWasCopiedBeforeItsWriterWentOn() throws IOException {
        Disk disk = new Disk(temporary);
        try (LogStore writer = disk.open()) {
            Disk.append(Disk.partition(writer), 2);
        }
        try (LogReader reader = disk.builder().openReadOnly();
                Tailer tailer = reader.openTopic(Disk.TOPIC).partition(0).openTailer()) {
            assertEquals(2, read(tailer));
            replaceByCopy(disk.active());
            try (LogStore writer = disk.open()) {
                Partition partition = Disk.partition(writer);
                Disk.append(partition, 2);
                long seen = 0;
                while (seen < 2) {
                    seen += read(tailer);
                    Thread.onSpinWait();
                }
            }
        }
    }
}
