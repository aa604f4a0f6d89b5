package io.firn.pmem;

import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Makes, checks and enlarges pool files, each in an order in which a crash between any two steps
 * leaves either the old state or one that is known to be unfinished.
 *
 * <p>Creation: zeros, table and superblocks under a temporary name → force → rename → force the
 * directory. Growth: superblock says up to where → zeros after the end → entries of the new blocks
 * → force → superblock names the blocks. A superblock is changed copy by copy, each forced.
 */
final class PoolFile {
    static final String NAME = "pool";
    static final String LOCK = "lock";
    private static final String TEMPORARY = ".pool.tmp";
    private static final System.Logger LOG = System.getLogger("io.firn");
    private static final int CHUNK = 1 << 20;

    private PoolFile() {}

    /**
     * What was found.
     *
     * @param superblock the copy that counts
     * @param isWhole whether both copies say the same
     */
    record Found(Superblock superblock, boolean isWhole) {}

    /**
     * Reads and checks the superblock; changes nothing.
     *
     * @return null when there is no pool
     * @throws IOException when what is there is no pool, damaged, or not as long as it says
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
            Superblock newest = null;
            boolean whole = true;
            for (int copy = 0; copy < pages.length; copy++) {
                file.read(PoolFormat.superblockPosition(copy), pages[copy], 0, Superblock.BYTES);
                Superblock found = Superblock.decode(pages[copy], path.toString());
                whole &= found != null && (copy == 0 || found.equals(newest));
                if (found != null && (newest == null || found.sequence() > newest.sequence())) {
                    newest = found;
                }
            }
            if (newest == null) {
                throw neitherWhole(path, pages);
            }
            if (size < newest.fileBytes() || size > newest.growingToBytes()) {
                throw wrongSize(path, newest, size);
            }
            return new Found(newest, whole && size == newest.fileBytes());
        }
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

    /** Creates the pool, whole; on return it is durable. */
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
            // Everything is durable before anything is called a pool.
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
     * Restores a superblock copy that is damaged or outdated, and undoes a growth that was not
     * finished.
     */
    static Superblock repair(FileMedium medium, Path path, Found found) throws IOException {
        if (found.isWhole()) {
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
            writeSuperblocks(file, pool);
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
            Superblock growing = pool.with(pool.blockCount(), end);
            writeSuperblocks(file, growing);
            writeZeros(file, pool.fileBytes(), end);
            Superblock grown = growing.with(blockCount, end);
            writeTable(file, grown, pool.blockCount());
            // Before the superblock names them, the new blocks have their space and their entries.
            file.force();
            writeSuperblocks(file, grown);
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

    private static void writeSuperblocks(MediumFile file, Superblock pool) throws IOException {
        for (int copy = 0; copy < PoolFormat.SUPERBLOCKS; copy++) {
            writeSuperblock(file, pool, copy);
            // The second copy is touched when the first is durable, or a crash could tear both.
            file.force();
        }
    }

    private static void writeSuperblock(MediumFile file, Superblock pool, int copy)
            throws IOException {
        file.write(PoolFormat.superblockPosition(copy), pool.encode(), 0, Superblock.BYTES);
    }
}
