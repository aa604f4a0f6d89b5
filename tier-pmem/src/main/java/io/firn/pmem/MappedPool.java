package io.firn.pmem;

import io.firn.medium.FileMedium;
import io.firn.medium.FileMedium.MediumLock;
import io.firn.medium.MediumFile;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import javax.annotation.concurrent.GuardedBy;

/**
 * An open and mapped pool file with its block table. It stays mapped until it was closed and the
 * last view of a block was released. Thread-safe.
 */
final class MappedPool {
    private static final int READ_TRIES = 4;

    private final Path path;
    private final Superblock superblock;
    private final MediumFile file;
    private final PmemMemory memory;
    private final BlockTable table;
    private final MediumLock lock;

    /**
     * The innermost lock: a scan holds the monitors of the pool and of a block, and may release a
     * view.
     */
    private final Object mapped = new Object();

    @GuardedBy("mapped")
    private int openViews;

    @GuardedBy("mapped")
    private boolean handedOut;

    @GuardedBy("mapped")
    private boolean closed;

    /**
     * Takes over an open pool file.
     *
     * @param lock held while the pool is open; null when read-only
     */
    MappedPool(
            Path path, Superblock superblock, MediumFile file, PmemMemory memory, MediumLock lock) {
        this.path = path;
        this.superblock = superblock;
        this.file = file;
        this.memory = memory;
        this.lock = lock;
        this.table = new BlockTable(memory, superblock);
    }

    Path path() {
        return path;
    }

    PoolFormat format() {
        return superblock.format();
    }

    Superblock superblock() {
        return superblock;
    }

    PmemMemory memory() {
        return memory;
    }

    boolean isReadOnly() {
        return lock == null;
    }

    /** Returns how the pool's lock was lost; null while it is held, or read-only. */
    String lost() {
        return lock == null ? null : lock.lost();
    }

    /** Returns all entries after a crash, durable; see {@link BlockTable#recover}. */
    BlockEntry[] recoverEntries() throws IOException {
        return table.recover();
    }

    /**
     * Returns an entry as it is now; reads it again if the writing process was just changing it.
     */
    BlockEntry entry(int block) throws IOException {
        BlockEntry entry = null;
        for (int i = 0; i < READ_TRIES && entry == null; i++) {
            entry = table.read(block);
        }
        return entry;
    }

    /** Returns an entry that only this process changes. */
    BlockEntry ownEntry(int block) throws IOException {
        return table.read(block);
    }

    /**
     * Returns whether a block still has an incarnation, so that no byte of a later one was read
     * before this call.
     */
    boolean hasIncarnation(int block, long incarnation) {
        // Before the writing process stores the first byte of a new incarnation, both slots show
        // the
        // end of the old one: a reader that copied such a byte sees that here.
        VarHandle.acquireFence();
        try {
            if (table.hasIncarnation(block, incarnation)) {
                return true;
            }
            BlockEntry found = entry(block);
            return found != null && found.incarnation() == incarnation && !found.isFree();
        } catch (IOException | InternalError e) {
            return false; // the pool was cut, which the next scan reports
        }
    }

    /** Writes an entry; durable on return. */
    void write(int block, BlockEntry before, BlockEntry next, boolean both) throws IOException {
        requireSize();
        table.write(block, before, next, both);
        requireSize();
    }

    /** Stores bytes that are not batches; durable on return. */
    void store(long position, byte[] bytes) throws IOException {
        requireSize();
        memory.storeAndForce(position, bytes);
        requireSize();
    }

    /** Reads bytes without touching the mapping. */
    int read(long position, byte[] target, int offset, int length) throws IOException {
        return file.read(position, target, offset, length);
    }

    /**
     * Checks the size of the file. Called before a store outside of the append path, because native
     * code that stores or flushes beyond the end of a truncated file ends the JVM, and after it,
     * because what was stored there is lost silently.
     */
    void requireSize() throws IOException {
        long size = file.size();
        if (size != superblock.fileBytes()) {
            throw PoolFile.changedSize(path, superblock.fileBytes(), size);
        }
    }

    /** Returns whether the writing process has added blocks since this pool was opened. */
    boolean isOutgrown(FileMedium medium) {
        try {
            return file.size() > superblock.fileBytes()
                    && PoolFile.read(medium, path).superblock().blockCount()
                            > superblock.blockCount();
        } catch (IOException e) {
            return false; // it is growing just now; the known blocks stay readable
        }
    }

    void viewOpened() {
        synchronized (mapped) {
            openViews++;
        }
    }

    void viewReleased(boolean wasHandedOut) {
        synchronized (mapped) {
            handedOut |= wasHandedOut;
            openViews--;
            unmapWhenUnused();
        }
    }

    @GuardedBy("mapped")
    private void unmapWhenUnused() {
        if (closed && openViews == 0) {
            if (handedOut) {
                memory.abandon();
            } else {
                memory.close();
            }
        }
    }

    /** Closes the file; the memory is unmapped when the last view is released. */
    void close() throws IOException {
        try {
            synchronized (mapped) {
                closed = true;
                unmapWhenUnused();
            }
            file.close();
        } finally {
            if (lock != null) {
                lock.close();
            }
        }
    }
}
