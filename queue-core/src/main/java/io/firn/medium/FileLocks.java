package io.firn.medium;

import io.firn.StoreLockedException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Locks between processes, and within this one.
 *
 * <p>The system releases a process's lock on a file when the process closes <em>any</em> descriptor
 * of that file. A lock file is therefore used for nothing else, and this process opens it only
 * once: a registry is checked before the file is opened. The registry is keyed by the file's
 * identity and by its real path, because two paths may lead to one file, and the file at a path may
 * have been deleted and replaced by another.
 */
final class FileLocks {
    private static final int MAX_HOLDER_BYTES = 1024;
    private static final Map<Object, String> HELD = new HashMap<>();

    /**
     * Never closed: that would release the lock held by a copy of this class in another class
     * loader.
     */
    private static final List<RandomAccessFile> KEPT_OPEN = new ArrayList<>();

    /** Files that a copy of this class in another class loader holds; not opened any more. */
    private static final Set<Object> HELD_BY_OTHERS = new HashSet<>();

    /** Attempts to lock: {@link #isFree} in another process holds the lock for a moment. */
    private static final int TRIES = 20;

    private static final long RETRY_MS = 5;

    private FileLocks() {}

    /** What is known of the holder of a lock of which nothing was written. */
    private static final String UNKNOWN = "unknown process";

    /** Returns whether certainly nobody holds a lock; false if the file does not exist. */
    static boolean isFree(Path file) throws IOException {
        synchronized (HELD) {
            return Files.isRegularFile(file) && holderOf(file) == null;
        }
    }

    /** Returns what the holder of a lock wrote; null when nobody certainly holds it. */
    static String holder(Path file) throws IOException {
        synchronized (HELD) {
            return Files.isRegularFile(file) ? holderOf(file) : null;
        }
    }

    private static String holderOf(Path file) throws IOException {
        for (Object key : keysOf(file)) {
            if (HELD.containsKey(key)) {
                return HELD.get(key);
            }
            if (HELD_BY_OTHERS.contains(key)) {
                return UNKNOWN;
            }
        }
        return holderElsewhere(file);
    }

    private static String holderElsewhere(Path file) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                RandomAccessFile opened = open(file, "r");
                try {
                    FileLock lock = opened.getChannel().tryLock(0, Long.MAX_VALUE, true);
                    String holder = lock == null ? read(opened) : null;
                    opened.close();
                    return holder;
                } catch (ClosedByInterruptException e) {
                    interrupted |= Thread.interrupted();
                } catch (OverlappingFileLockException e) {
                    KEPT_OPEN.add(opened);
                    HELD_BY_OTHERS.addAll(keysOf(file));
                    return UNKNOWN;
                } catch (IOException e) {
                    opened.close();
                    throw e;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static AutoCloseable acquire(Path file) throws IOException {
        synchronized (HELD) {
            List<Object> keys = identify(file);
            for (Object key : keys) {
                String holder = HELD.get(key);
                if (holder != null) {
                    throw inThisProcess(file, holder);
                }
            }
            RandomAccessFile opened = openAndLock(file);
            try {
                String holder = describeThisProcess();
                write(opened, holder);
                keys.forEach(key -> HELD.put(key, holder));
                return new Held(keys, opened);
            } catch (IOException | RuntimeException e) {
                opened.close();
                throw e;
            }
        }
    }

    private static RandomAccessFile open(Path file, String mode) throws IOException {
        try {
            return new RandomAccessFile(file.toFile(), mode);
        } catch (IOException e) {
            throw OutOfDescriptorsException.orSame(file, e);
        }
    }

    private static RandomAccessFile openAndLock(Path file) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            for (int tries = 1; ; ) {
                RandomAccessFile opened = open(file, "rw");
                try {
                    // The only use of this channel: an interrupt of a later use would release the
                    // lock.
                    FileLock lock = opened.getChannel().tryLock();
                    if (lock != null) {
                        return opened;
                    }
                    if (tries++ == TRIES) {
                        throw elsewhere(file, read(opened));
                    }
                    opened.close();
                    interrupted |= pause();
                } catch (ClosedByInterruptException e) {
                    interrupted |= Thread.interrupted();
                } catch (OverlappingFileLockException e) {
                    KEPT_OPEN.add(opened);
                    throw inThisProcess(file, "another copy of Firn in it");
                } catch (IOException | StoreLockedException e) {
                    opened.close();
                    throw e;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static List<Object> identify(Path file) throws IOException {
        try {
            Files.createFile(file, FileModes.ofFile(file));
        } catch (FileAlreadyExistsException e) {
            if (!Files.isRegularFile(file)) {
                throw new IOException(file + " should be a lock file, but is not a file", e);
            }
        }
        return keysOf(file);
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

    private static List<Object> keysOf(Path file) throws IOException {
        Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        Path real = file.toRealPath();
        return key == null ? List.of(real) : List.of(real, key);
    }

    private static String describeThisProcess() {
        ProcessHandle process = ProcessHandle.current();
        String started = process.info().startInstant().map(Object::toString).orElse("unknown");
        return "pid "
                + process.pid()
                + ", user "
                + System.getProperty("user.name")
                + ", process started "
                + started;
    }

    private static void write(RandomAccessFile opened, String holder) throws IOException {
        opened.setLength(0);
        opened.write((holder + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static String read(RandomAccessFile opened) throws IOException {
        byte[] bytes = new byte[MAX_HOLDER_BYTES];
        opened.seek(0);
        int length = Math.max(0, opened.read(bytes));
        String holder = new String(bytes, 0, length, StandardCharsets.UTF_8).strip();
        return holder.isEmpty() ? UNKNOWN : holder;
    }

    private static StoreLockedException inThisProcess(Path file, String holder) {
        return new StoreLockedException(
                file
                        + " is locked by this process ("
                        + holder
                        + "): it is already open; use the open one, or close it first");
    }

    private static StoreLockedException elsewhere(Path file, String holder) {
        return new StoreLockedException(
                file
                        + " is locked by another process ("
                        + holder
                        + "): stop that process, or open read-only");
    }

    private record Held(List<Object> keys, RandomAccessFile opened) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            synchronized (HELD) {
                if (opened.getFD().valid()) {
                    opened.close();
                    keys.forEach(HELD::remove);
                }
            }
        }
    }
}
