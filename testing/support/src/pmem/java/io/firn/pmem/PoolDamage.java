package io.firn.pmem;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/** Does to a pool file what a medium, or a hand, can do. */
public final class PoolDamage {
    private PoolDamage() {}

    /** Where a slot of a block's entry lies in a small pool. */
    static long slot(int block, int slot) {
        return PoolFormat.forNewPool(SmallPools.BLOCK_BYTES, 1).slotPosition(block, slot);
    }

    /** Destroys both slots of a block's entry in a small pool. */
    public static void destroyEntry(Path directory, int block) throws IOException {
        for (int slot = 0; slot < PoolFormat.SLOTS; slot++) {
            overwrite(directory, slot(block, slot), BlockEntry.SLOT_BYTES);
        }
    }

    static void overwrite(Path directory, long position, int length) throws IOException {
        byte[] junk = new byte[length];
        java.util.Arrays.fill(junk, (byte) 0xA5);
        write(directory, position, junk);
    }

    static void write(Path directory, long position, byte[] bytes) throws IOException {
        try (RandomAccessFile file = open(directory)) {
            file.seek(position);
            file.write(bytes);
        }
    }

    static void setLength(Path directory, long length) throws IOException {
        try (RandomAccessFile file = open(directory)) {
            file.setLength(length);
        }
    }

    private static RandomAccessFile open(Path directory) throws IOException {
        return new RandomAccessFile(directory.resolve(PoolFile.NAME).toFile(), "rw");
    }
}
