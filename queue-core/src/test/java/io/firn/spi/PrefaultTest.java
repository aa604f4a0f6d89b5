package io.firn.spi;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.medium.MediumFile.Mapping;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What was brought in costs the writer no page fault, in compiled code too: a compiler that sees a
 * store of what was just loaded may well leave out both.
 */
class PrefaultTest {
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final int PAGES = 1024;

    /** So often is a page brought in until the last compiler has had its turn, with time left. */
    private static final int ROUNDS = 1000;

    private Path path;

    @BeforeEach
    void create() throws IOException {
        assumeTrue(Files.isWritable(MEMORY), "a file system whose pages stay writable");
        path = Files.createTempFile(MEMORY, "firn-", ".prefault");
        Files.write(path, new byte[PAGES * Mapping.PAGE]);
    }

    @AfterEach
    void delete() throws IOException {
        Files.deleteIfExists(path);
    }

    /** Page faults of this thread that needed no disk. */
    private static long faults() throws IOException {
        String line = Files.readString(Path.of("/proc/thread-self/stat"));
        // The name of the thread may hold anything but ends in the last bracket.
        return Long.parseLong(line.substring(line.lastIndexOf(')') + 2).split(" ")[7]);
    }

    @Test
    void shouldLeaveTheWriterNoFaultHoweverOftenItHasRun() throws IOException {
        try (MediumFile file = FileMedium.real().open(path, true)) {
            for (int round = 0; round < ROUNDS; round++) {
                Mapping mapping = file.map(MapMode.READ_WRITE, 0, PAGES * Mapping.PAGE);
                try {
                    mapping.prefault(0, mapping.buffer().capacity());
                    ByteBuffer bytes = mapping.buffer();
                    long before = faults();
                    for (int at = 0; at < bytes.capacity(); at += Mapping.PAGE) {
                        bytes.put(at, (byte) round);
                    }
                    long taken = faults() - before;
                    assertTrue(taken < PAGES / 4, taken + " faults in round " + round);
                } finally {
                    mapping.unmap();
                }
            }
        }
    }
}
