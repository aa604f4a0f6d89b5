package io.firn.api;

import static io.firn.api.Stores.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.TopicOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Active files are holes for the most part, and a page of a hole that is read takes memory. */
class HolesTest {
    private static final int SEGMENT_BYTES = 8 << 20;
    private static final int FEW_KIB = 64;

    @TempDir private Path directory;

    private LogStore open() {
        return Stores.at(directory).open();
    }

    /** How much of the mapped active files is in memory, in KiB. */
    private static int residentKib() throws IOException {
        int sum = 0;
        int mappings = 0;
        boolean isOfSegment = false;
        for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
            String[] words = line.split("\\s+");
            if (!words[0].endsWith(":")) {
                isOfSegment = line.endsWith(".active");
                mappings += isOfSegment ? 1 : 0;
            } else if (isOfSegment && words[0].equals("Rss:")) {
                sum += Integer.parseInt(words[1]);
            }
        }
        assertEquals(1, mappings);
        return sum;
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldNotReadTheHoleBehindTheLastBatchAtOpen() throws IOException {
        TopicOptions options = TopicOptions.defaults().withSegmentBytes(SEGMENT_BYTES);
        try (LogStore store = open();
                Appender appender =
                        store.createTopic("t", options).partition(0).openExclusiveAppender()) {
            appender.append(bytes("a record"));
        }

        try (LogStore store = open()) {
            assertEquals(1, store.openTopic("t").partition(0).nextOffset());
            int resident = residentKib();
            assertTrue(resident <= FEW_KIB, resident + " KiB");
        }
    }
}
