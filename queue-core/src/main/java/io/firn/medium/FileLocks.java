package io.firn.medium;

import io.firn.StoreLockedException;
import io.firn.medium.FileErrors.UnexpectedFileException;
import io.firn.medium.FileMedium.MediumLock;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
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
    private static final GuardedLog LOG = GuardedLog.get();
    private static final int MAX_HOLDER_BYTES = 1024;

    /** How a lock file begins. */
    private static final String HOLDER = "pid ";

    /** Its monitor is held while a lock is waited for, and while a file system hangs. */
    static final Map<Object, Held> HELD = new HashMap<>();

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

    /**
     * The first byte that is locked; a lock goes on to the end. Where others cannot read what is
     * locked, it begins behind what the holder has written about itself.
     */
    private static final long LOCKED_FROM =
            Platform.CURRENT.locksKeepReadersOut() ? MAX_HOLDER_BYTES : 0;

    private FileLocks() {}

    /** What is known of the holder of a lock of which nothing was written. */
    private static final String UNKNOWN = "unknown process";

    /** Returns whether certainly no process holds a lock; false if the file does not exist. */
    static boolean isFree(Path file) throws IOException {
        synchronized (HELD) {
            return isThere(file) && holderOf(file) == null;
        }
    }

    /** Returns what the holder of a lock wrote; null when certainly no process holds it. */
    static String holder(Path file) throws IOException {
        synchronized (HELD) {
            return isThere(file) ? holderOf(file) : null;
        }
    }

    /** By the file, not by its name: the one that has the name may not be the one it locked. */
    private static String holderOf(Path file) throws IOException {
        Object key = fileKeyOf(file);
        Object known = key == null ? file.toRealPath() : key;
        Held held = HELD.get(known);
        Held named = HELD.get(file.toRealPath());
        if (held == null && named != null && named.lost() == null) {
            held = named; // it has another identity by now; to open and close it would release it
        }
        if (held != null) {
            return held.holder;
        }
        return HELD_BY_OTHERS.contains(known) ? UNKNOWN : holderElsewhere(file);
    }

    private static String holderElsewhere(Path file) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                RandomAccessFile opened = RegularFiles.open(file, false);
                try {
                    FileLock lock =
                            opened.getChannel()
                                    .tryLock(LOCKED_FROM, Long.MAX_VALUE - LOCKED_FROM, true);
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

    static MediumLock acquire(Path file) throws IOException {
        synchronized (HELD) {
            boolean isNew = create(file);
            for (int tries = 1; ; tries++) {
                List<Object> keys = keysOf(file);
                refuseHeld(file, keys);
                RandomAccessFile opened = openAndLock(file);
                try {
                    // On overlayfs, opening a file for writing may give it another identity; and
                    // another process may have replaced it just before.
                    if (tries < TRIES && !keys.equals(keysOf(file))) {
                        opened.close();
                        continue;
                    }
                    requireLockFile(file, opened);
                    String holder = describeThisProcess();
                    write(file, opened, holder);
                    Held held = new Held(file, keys, opened, isNew, holder);
                    keys.forEach(key -> HELD.put(key, held));
                    return held;
                } catch (NoSuchFileException e) {
                    opened.close();
                    if (tries == TRIES) {
                        throw e;
                    }
                    isNew |= create(file); // somebody has deleted it meanwhile
                } catch (IOException | RuntimeException e) {
                    opened.close();
                    throw e;
                }
            }
        }
    }

    private static void refuseHeld(Path file, List<Object> keys) {
        for (Object key : keys) {
            Held present = HELD.get(key);
            if (present != null) {
                throw inThisProcess(file, present.holder);
            }
        }
    }

    private static RandomAccessFile openAndLock(Path file) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            for (int tries = 1; ; ) {
                RandomAccessFile opened = RegularFiles.open(file, true);
                try {
                    // The only use of this channel: an interrupt of a later use would release the
                    // lock.
                    FileLock lock =
                            opened.getChannel()
                                    .tryLock(LOCKED_FROM, Long.MAX_VALUE - LOCKED_FROM, false);
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

    /** Returns whether there was no file. */
    private static boolean create(Path file) throws IOException {
        try {
            Files.createFile(file, FileModes.ofFile(file));
            return true;
        } catch (FileAlreadyExistsException e) {
            RegularFiles.require(file);
            return false;
        }
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

    /** Throws when it cannot be looked at: then a process may hold the lock. */
    private static boolean isThere(Path file) throws IOException {
        try {
            RegularFiles.require(file);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private static Object fileKeyOf(Path file) throws IOException {
        return RegularFiles.attributesOf(file).fileKey();
    }

    private static List<Object> keysOf(Path file) throws IOException {
        Object key = fileKeyOf(file);
        Path real = file.toRealPath();
        return key == null ? List.of(real) : List.of(real, key);
    }

    private static String describeThisProcess() {
        ProcessHandle process = ProcessHandle.current();
        String started = process.info().startInstant().map(Object::toString).orElse("unknown");
        return HOLDER
                + process.pid()
                + ", user "
                + System.getProperty("user.name")
                + ", process started "
                + started;
    }

    /** What it contains is overwritten: a second name of another program's file may be there. */
    private static void requireLockFile(Path file, RandomAccessFile opened) throws IOException {
        byte[] start = new byte[HOLDER.length()];
        opened.seek(0);
        int length = opened.read(start);
        boolean isLockFile =
                length <= 0
                        || start[0] == 0 // what was not forced before the power failed
                        || HOLDER.startsWith(new String(start, 0, length, StandardCharsets.UTF_8));
        if (!isLockFile) {
            throw new UnexpectedFileException(
                    file,
                    "should be a lock file, and contains something else: nothing was changed; move"
                            + " it away");
        }
    }

    /** The lock holds without it: a full file system may refuse even so few bytes. */
    private static void write(Path file, RandomAccessFile opened, String holder) {
        try {
            opened.setLength(0); // nothing of another holder stays
            opened.write((holder + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    file
                            + " is locked, but does not say by whom, because it cannot be written: "
                            + e.getMessage());
        }
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

    /** A lock that this process holds. */
    static final class Held implements MediumLock {
        private final Path file;
        private final List<Object> keys;
        private final RandomAccessFile opened;
        private final boolean isNew;
        private final String holder;

        /** Changed under the registry's monitor. */
        private volatile Object identity;

        Held(Path file, List<Object> keys, RandomAccessFile opened, boolean isNew, String holder) {
            this.file = file;
            this.keys = keys;
            this.opened = opened;
            this.isNew = isNew;
            this.holder = holder;
            this.identity = keys.size() > 1 ? keys.get(1) : null;
        }

        @Override
        public boolean isNew() {
            return isNew;
        }

        @Override
        public Object identity() {
            return identity;
        }

        /** Forces call it, so that normally it does not wait for the registry. */
        @Override
        public String lost() {
            Object expected = identity;
            try {
                if (expected == null || expected.equals(fileKeyOf(file))) {
                    return null;
                }
            } catch (NoSuchFileException e) {
                return lookAgain(); // it may be gone because the lock was released
            } catch (IOException e) {
                return null; // it cannot be looked at, which tells nothing of the file
            }
            return lookAgain();
        }

        private String lookAgain() {
            synchronized (HELD) {
                try {
                    if (identity == null || !opened.getFD().valid()) {
                        return null;
                    }
                    Object found = fileKeyOf(file);
                    if (identity.equals(found)) {
                        return null;
                    }
                    if (followsThis()) {
                        identity = found;
                        return null;
                    }
                    return expected() + "found another file, " + found;
                } catch (NoSuchFileException e) {
                    return expected() + "found no file";
                } catch (IOException e) {
                    return null; // it cannot be looked at, which tells nothing of the file
                }
            }
        }

        private String expected() {
            return "expected "
                    + file
                    + " to be the file that this process has locked, "
                    + identity
                    + ", ";
        }

        /**
         * Whether what has the name grows and shrinks with the locked file: some file systems, as
         * of FUSE, give one file several identities. It must not be opened: closing it again would
         * release the lock.
         */
        private boolean followsThis() {
            try {
                long length = opened.length();
                opened.seek(length);
                opened.write('\n');
                boolean grew = Files.size(file) == length + 1;
                opened.setLength(length);
                return grew && Files.size(file) == length;
            } catch (IOException e) {
                return false;
            }
        }

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
