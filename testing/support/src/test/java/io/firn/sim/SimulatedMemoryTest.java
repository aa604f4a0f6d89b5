package io.firn.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.medium.MediumFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SimulatedMemoryTest {
    private static final Path FILE = Path.of("/sim/pool");

    private static SimulatedFileMedium medium(boolean eadr) throws IOException {
        SimulatedFileMedium medium = new SimulatedFileMedium();
        medium.usePersistentMemory(path -> true, eadr);
        medium.createDirectories(FILE.getParent());
        try (MediumFile file = medium.create(FILE)) {
            file.write(0, new byte[2 * SimulatedMemory.CHUNK], 0, 2 * SimulatedMemory.CHUNK);
            file.force();
        }
        medium.forceDirectory(FILE.getParent());
        return medium;
    }

    private static ByteBuffer bytes(SimulatedFileMedium medium) throws IOException {
        return medium.memory(FILE, 0, 1024, true);
    }

    private static long read(SimulatedFileMedium medium, int position) throws IOException {
        byte[] read = new byte[8];
        try (MediumFile file = medium.open(FILE, false)) {
            file.read(position, read, 0, 8);
        }
        return ByteBuffer.wrap(read).getLong();
    }

    @Test
    void shouldKeepWhatWasFlushedAndLoseWhatWasNot() throws IOException {
        SimulatedFileMedium medium = medium(false);
        bytes(medium).putLong(0, 1).putLong(64, 2);
        medium.forceMemory(FILE, 0, 8);
        SimulatedFileMedium left = medium.crash(Survival.NONE);
        assertEquals(1, read(left, 0));
        assertEquals(0, read(left, 64));
        assertEquals(2, read(medium, 64));
        assertEquals(2, read(medium.crash(Survival.ALL), 64));
        assertEquals(2, read(medium.kill(), 64));
        assertEquals(0, read(medium.kill().crash(Survival.NONE), 64));
    }

    /** A line goes through its contents in order; lines are independent of each other. */
    @Test
    void shouldKeepEachLineUpToAnyOfItsStores() throws IOException {
        SimulatedFileMedium medium = medium(false);
        medium.onOperation(number -> {});
        for (int i = 1; i <= 3; i++) {
            bytes(medium).putLong(0, i).putLong(8, i).putLong(64, i);
            medium.forceMemory(FILE, 512, 8); // a look, and a flush of something else
        }
        Set<String> seen = new TreeSet<>();
        for (int seed = 0; seed < 400; seed++) {
            SimulatedFileMedium left = medium.crash(Survival.random(seed));
            seen.add(read(left, 0) + " " + read(left, 64));
        }
        for (int first = 0; first <= 3; first++) {
            for (int second = 0; second <= 3; second++) {
                assertEquals(true, seen.contains(first + " " + second), first + " " + second);
            }
        }
    }

    @Test
    void shouldKeepEverythingWithEadr() throws IOException {
        SimulatedFileMedium medium = medium(true);
        bytes(medium).putLong(0, 1);
        assertEquals(1, read(medium.crash(Survival.NONE), 0));
    }

    @Test
    void shouldLeaveCopiesAloneWhenSomethingIsStored() throws IOException {
        SimulatedFileMedium medium = medium(false);
        bytes(medium).putLong(0, 1);
        SimulatedFileMedium killed = medium.kill();
        bytes(medium).putLong(0, 2);
        bytes(killed).putLong(8, 3);
        assertEquals(1, read(killed, 0));
        assertEquals(0, read(medium, 8));
        medium.forceMemory(FILE, 0, 64);
        assertEquals(0, read(killed.crash(Survival.NONE), 0));
        assertEquals(2, read(medium.crash(Survival.NONE), 0));
    }

    @Test
    void shouldRefuseToMapAcrossPieces() throws IOException {
        SimulatedFileMedium medium = medium(false);
        assertThrows(
                UnsupportedOperationException.class,
                () -> medium.memory(FILE, SimulatedMemory.CHUNK - 8, 16, true));
    }

    @Test
    void shouldTellImagesApart() throws IOException {
        SimulatedFileMedium medium = medium(false);
        bytes(medium).putLong(0, 1).putLong(64, 2);
        Set<Long> prints = new TreeSet<>();
        prints.add(medium.crash(Survival.NONE).fingerprint());
        prints.add(medium.crash(Survival.ALL).fingerprint());
        medium.forceMemory(FILE, 0, 8);
        prints.add(medium.crash(Survival.NONE).fingerprint());
        assertEquals(3, prints.size());
        assertEquals(
                medium.crash(Survival.NONE).fingerprint(),
                medium.crash(Survival.NONE).fingerprint());
    }
}
