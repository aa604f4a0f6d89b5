package io.firn.medium;

import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Shared locks, by which readers tell a writer that they are there. All those of this process on
 * one file are one lock of the system, which is counted here.
 *
 * <p>The system releases all locks of a process on a file when the process closes <em>any</em>
 * descriptor of it. A copy of this class in another class loader may hold one, too. Therefore each
 * copy locks a byte of its own, and leaves its descriptor open where it finds another copy.
 */
final class SharedLocks {
    /** Of copies of this class in one process. */
    private static final int MOST_COPIES = 64;

    /** A look of a writer lasts for as long as two calls. */
    private static final int TRIES = 200;

    private static final long RETRY_MS = 5;

    /**
     * By the file's identity. Its monitor is held while a lock is acquired, released or looked for.
     */
    private static final Map<Object, Opened> OPENED = new HashMap<>();

    /** Never closed: that would release what another copy of this class holds. */
    private static final List<RandomAccessFile> KEPT_OPEN = new ArrayList<>();

    /** Files that another copy of this class holds or held; not opened by a look any more. */
    private static final Set<Object> HELD_BY_OTHERS = new HashSet<>();

    private SharedLocks() {}

    /** A file of which this copy of the class holds a byte. */
    private static final class Opened {
        private final Object key;
        private final RandomAccessFile file;
        private final FileLock lock;
        private int holders;

        Opened(Object key, RandomAccessFile file, FileLock lock) {
            this.key = key;
            this.file = file;
            this.lock = lock;
        }
    }

    static Closeable acquire(Path file) throws IOException {
        synchronized (OPENED) {
            Object key = keyOf(file);
            Opened opened = OPENED.get(key);
            if (opened == null) {
                opened = open(file, key);
                OPENED.put(key, opened);
            }
            opened.holders++;
            Opened held = opened;
            AtomicBoolean released = new AtomicBoolean();
            return () -> {
                if (!released.getAndSet(true)) {
                    release(held);
                }
            };
        }
    }

    /** Returns whether a process holds one, as far as is known. */
    static boolean isHeld(Path file) throws IOException {
        synchronized (OPENED) {
            Object key = keyOf(file);
            if (OPENED.containsKey(key) || HELD_BY_OTHERS.contains(key)) {
                return true; // to open and close the file would release it
            }
            boolean interrupted = Thread.interrupted();
            RandomAccessFile opened = RegularFiles.open(file, true);
            try {
                FileLock all = opened.getChannel().tryLock(0, Long.MAX_VALUE, false);
                opened.close();
                return all == null;
            } catch (OverlappingFileLockException e) {
                KEPT_OPEN.add(opened);
                HELD_BY_OTHERS.add(key);
                return true;
            } catch (IOException e) {
                opened.close();
                throw e;
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    private static Object keyOf(Path file) throws IOException {
        Object key = RegularFiles.attributesOf(file).fileKey();
        return key == null ? file.toRealPath() : key;
    }

    private static Opened open(Path file, Object key) throws IOException {
        boolean interrupted = Thread.interrupted();
        RandomAccessFile opened = RegularFiles.open(file, false);
        boolean isLocked = false;
        try {
            for (int tries = 0; tries < TRIES; tries++) {
                FileLock lock = tryLock(opened);
                if (lock != null) {
                    isLocked = true;
                    return new Opened(key, opened, lock);
                }
                interrupted |= pause();
            }
            throw new IOException(
                    file
                            + " is locked by another process, expected for moments only: no file of"
                            + " this directory can be read safely; see what locks it (lslocks)");
        } finally {
            if (!isLocked) {
                closeUnlessHeldByOthers(opened);
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Locks a byte that no other copy of this class has; null while a writer looks. */
    private static FileLock tryLock(RandomAccessFile opened) throws IOException {
        for (int at = 0; at < MOST_COPIES; at++) {
            try {
                return opened.getChannel().tryLock(at, 1, true);
            } catch (OverlappingFileLockException e) {
                continue;
            }
        }
        return null;
    }

    /** Returns whether the pause was interrupted. */
    private static boolean pause() {
        try {
            Thread.sleep(RETRY_MS);
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    private static void closeUnlessHeldByOthers(RandomAccessFile opened) throws IOException {
        try {
            opened.getChannel().tryLock(0, Long.MAX_VALUE, true);
            opened.close();
        } catch (OverlappingFileLockException e) {
            KEPT_OPEN.add(opened);
        }
    }

    private static void release(Opened opened) throws IOException {
        synchronized (OPENED) {
            opened.holders--;
            if (opened.holders == 0) {
                OPENED.remove(opened.key);
                opened.lock.release();
                closeUnlessHeldByOthers(opened.file);
            }
        }
    }
}
