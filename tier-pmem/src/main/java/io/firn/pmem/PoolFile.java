package io.firn.pmem;

import io.firn.medium.FileMedium;
import io.firn.medium.GuardedLog;
import io.firn.medium.MediumFile;
import io.firn.medium.TwoSlots;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Creates, checks and enlarges pool files. A crash between any two steps leaves the old state or a
 * state that is recognized as incomplete.
 *
 * <p>Creation: zeros, table and superblocks under a temporary name → force → rename → force the
 * directory. Growth: superblock with the new size → zeros after the end → entries of the new blocks
 * → force → superblock with the new blocks. The superblock is kept in {@link TwoSlots}.
 */
final class PoolFile {
    static final String NAME = "pool";
    static final String LOCK = "lock";
    private static final String TEMPORARY = ".pool.tmp";
    private static final GuardedLog LOG = GuardedLog.get();
    private static final int CHUNK = 1 << 20;

    private PoolFile() {}

    /**
     * The superblock that was found.
     *
     * @param superblock the newest copy
     * @param slot the slot of that copy
     * @param isComplete whether both copies are equal and the file has the size that they state
     */
    record Found(Superblock superblock, int slot, boolean isComplete) {}

    /**
     * Reads and checks the superblock; changes nothing.
     *
     * @return null when there is no pool
     * @throws IOException when the file is not a pool, is damaged, or has another size than it
     *     states
     */
    static Found read(FileMedium medium, Path path) throws IOException {
        if (!medium.exists(path)) {
            return null;
        }
        try (MediumFile file = medium.open(path, false)) {
            long size = file.size();
            if (size < (long) PoolFormat.SUPERBLOCKS * PoolFormat.PAGE) {
                throw new IOException(
                        path
                                + " should be a pool, of "
                                + PoolFormat.ALIGNMENT
                                + " bytes at least, and has "
                                + size);
            }
            byte[][] pages = new byte[PoolFormat.SUPERBLOCKS][Superblock.BYTES];
            Superblock[] copies = new Superblock[pages.length];
            TwoSlots.Newest<Superblock> newest =
                    TwoSlots.newest(
                            slot -> {
                                copies[slot] = readCopy(file, path, slot, pages[slot]);
                                return copies[slot];
                            },
                            Superblock::sequence);
            Superblock pool = newest.record();
            if (pool == null) {
                throw neitherWhole(path, pages);
            }
            if (size < pool.fileBytes() || size > pool.growingToBytes()) {
                throw wrongSize(path, pool, size);
            }
            boolean equal = pool.equals(copies[0]) && pool.equals(copies[1]);
            return new Found(pool, newest.slot(), equal && size == pool.fileBytes());
        }
    }

    private static Superblock readCopy(MediumFile file, Path path, int copy, byte[] page)
            throws IOException {
        file.read(PoolFormat.superblockPosition(copy), page, 0, Superblock.BYTES);
        return Superblock.decode(page, path.toString());
    }

    private static IOException neitherWhole(Path path, byte[][] pages) {
        return new IOException(
                String.format(
                        "%s should be a pool, but neither copy of its superblock is whole: each"
                                + " should begin with %016x and end in a valid checksum, found %016x"
                                + " and %016x. If it is a pool of Firn, its blocks and their table"
                                + " may still be there: restore the first 8192 bytes from a backup;"
                                + " nothing was changed",
                        path,
                        Superblock.MAGIC,
                        ByteBuffer.wrap(pages[0]).getLong(),
                        ByteBuffer.wrap(pages[1]).getLong()));
    }

    private static IOException wrongSize(Path path, Superblock pool, long size) {
        return new IOException(
                path
                        + " should have "
                        + pool.fileBytes()
                        + " bytes ("
                        + pool.blockCount()
                        + " blocks of "
                        + pool.format().blockBytes()
                        + "), and has "
                        + size
                        + ": it was cut or added to, or copied in part; restore it, nothing was"
                        + " changed");
    }

    static IOException changedSize(Path path, long expected, long found) {
        return new IOException(
                path
                        + " has "
                        + found
                        + " bytes, "
                        + expected
                        + " expected: somebody else has changed its size, and what was stored in it"
                        + " may be lost; stop what touches the pool and open the store again");
    }

    /** Creates a pool of its full size; durable on return. */
    static void create(FileMedium medium, Path path, Superblock pool) throws IOException {
        Path temporary = path.resolveSibling(TEMPORARY);
        medium.delete(temporary);
        long usable = medium.usableBytes(path.getParent());
        if (pool.fileBytes() > usable) {
            throw new IOException(
                    "the pool "
                            + path
                            + " needs "
                            + pool.fileBytes()
                            + " bytes, its file system has "
                            + usable
                            + " left: make room, or ask for a smaller capacity");
        }
        boolean made = false;
        try (MediumFile file = medium.create(temporary)) {
            writeZeros(file, 0, pool.fileBytes());
            writeTable(file, pool, 0);
            for (int copy = 0; copy < PoolFormat.SUPERBLOCKS; copy++) {
                writeSuperblock(file, pool, copy);
            }
            // Everything is durable before the file gets the name of a pool.
            file.force();
            medium.rename(temporary, path);
            medium.forceDirectory(path.getParent());
            made = true;
        } catch (IOException e) {
            throw new IOException(
                    "the pool "
                            + path
                            + " of "
                            + pool.fileBytes()
                            + " bytes could not be created: "
                            + e.getMessage(),
                    e);
        } finally {
            if (!made) {
                medium.delete(temporary);
            }
        }
    }

    /**
     * Rewrites a superblock copy that is damaged or outdated, and undoes a growth that did not
     * finish.
     */
    static Superblock repair(FileMedium medium, Path path, Found found) throws IOException {
        if (found.isComplete()) {
            return found.superblock();
        }
        try (MediumFile file = medium.open(path, true)) {
            Superblock pool = found.superblock();
            if (file.size() != pool.fileBytes()) {
                file.setSize(pool.fileBytes()); // durable with the superblocks
            }
            LOG.log(
                    System.Logger.Level.WARNING,
                    path
                            + ": a copy of the superblock was damaged or outdated and is written again");
            SuperblockSlots slots = new SuperblockSlots(file, path, found.slot());
            slots.restore();
            slots.write(pool);
            return pool;
        }
    }

    /** Appends blocks. */
    static Superblock grow(FileMedium medium, Path path, Superblock pool, int blockCount)
            throws IOException {
        long end = pool.format().fileBytes(blockCount);
        long wanted = end - pool.fileBytes();
        long usable = medium.usableBytes(path.getParent());
        if (wanted > usable) {
            throw new IOException(
                    path
                            + " should grow by "
                            + wanted
                            + " bytes, its file system has "
                            + usable
                            + " left: make room, or ask for the present capacity");
        }
        try (MediumFile file = medium.open(path, true)) {
            // Both copies are equal, but one may exist in a cache only, left by a killed process.
            SuperblockSlots slots = new SuperblockSlots(file, path, 0);
            slots.restore();
            Superblock growing = pool.with(pool.blockCount(), end);
            slots.writeBoth(growing);
            writeZeros(file, pool.fileBytes(), end);
            Superblock grown = growing.with(blockCount, end);
            writeTable(file, grown, pool.blockCount());
            // Before the superblock names them, the new blocks have their space and their entries.
            file.force();
            slots.writeBoth(grown);
            return grown;
        }
    }

    private static void writeZeros(MediumFile file, long from, long to) throws IOException {
        byte[] zeros = new byte[(int) Math.min(CHUNK, to - from)];
        for (long at = from; at < to; at += zeros.length) {
            file.write(at, zeros, 0, (int) Math.min(zeros.length, to - at));
        }
    }

    private static void writeTable(MediumFile file, Superblock pool, int from) throws IOException {
        ByteBuffer entries =
                ByteBuffer.allocate((pool.blockCount() - from) * BlockEntry.SLOT_BYTES);
        for (int block = from; block < pool.blockCount(); block++) {
            entries.put(BlockEntry.neverUsed().encode(pool.poolId(), block));
        }
        for (int slot = 0; slot < PoolFormat.SLOTS; slot++) {
            file.write(
                    pool.format().slotPosition(from, slot), entries.array(), 0, entries.position());
        }
    }

    private static void writeSuperblock(MediumFile file, Superblock pool, int copy)
            throws IOException {
        file.write(PoolFormat.superblockPosition(copy), pool.encode(), 0, Superblock.BYTES);
    }

    /** The copies of the superblock in a pool file. */
    private static final class SuperblockSlots extends TwoSlots<Superblock> {
        private final MediumFile file;
        private final Path path;

        SuperblockSlots(MediumFile file, Path path, int newestSlot) {
            super(newestSlot);
            this.file = file;
            this.path = path;
        }

        @Override
        protected Superblock read(int slot) throws IOException {
            return readCopy(file, path, slot, new byte[Superblock.BYTES]);
        }

        @Override
        protected void store(int slot, Superblock superblock) throws IOException {
            writeSuperblock(file, superblock, slot);
            // Durable before the other copy is touched, or a crash could tear both.
            file.force();
        }
    }
}
