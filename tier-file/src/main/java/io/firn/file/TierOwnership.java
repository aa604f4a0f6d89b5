package io.firn.file;

import io.firn.medium.FileErrors.UnexpectedFileException;
import io.firn.medium.FileMedium;
import io.firn.medium.FileMedium.MediumLock;
import io.firn.medium.OpenToOthers;
import io.firn.spi.StorageTier.TierContext;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Which store a tier's directory belongs to, and the lock that keeps other processes from writing
 * to it. Not thread-safe, except for {@link #allowRewritten}.
 */
final class TierOwnership {
    private final FileMedium medium;
    private final Path root;
    private volatile TierIdentity identity;
    private volatile MediumLock lock;

    /** By which a read-only tier is known to the process that writes. */
    private Closeable readers;

    private boolean knowsReaders;

    TierOwnership(FileMedium medium, Path root) {
        this.medium = medium;
        this.root = root;
    }

    /** Returns the tier's identity; null before {@link #acquire}. */
    TierIdentity identity() {
        return identity;
    }

    /** Checks the owner; locks the tier, and creates it if it is new, unless it is read-only. */
    void acquire(TierContext context) throws IOException {
        if (context.isReadOnly()) {
            OpenToOthers.warn(medium, "the file tier", root);
        } else {
            OpenToOthers.warnOfOwnerToo(medium, "the file tier", root);
        }
        // The owner is checked before anything is written, the lock included.
        identity = readIdentity(context);
        if (!context.isReadOnly()) {
            lock(context);
        }
    }

    /**
     * Makes known that this process reads the tier's files, before it lists or opens any: the one
     * that writes then overwrites none of them (O37).
     */
    void announceReader() throws IOException {
        Closeable before = readers;
        try {
            readers = medium.share(root.resolve(FileNames.READERS)); // it may be another file now
        } catch (NoSuchFileException e) {
            return; // the process that makes it knows that there may be readers without it
        }
        if (before != null) {
            before.close();
        }
    }

    /** Whether each reader in another process is known to this one, which writes. */
    boolean knowsReaders() {
        return knowsReaders;
    }

    private void expectReaders(boolean isNewTier) throws IOException {
        Path file = root.resolve(FileNames.READERS);
        boolean isThere = medium.exists(file);
        knowsReaders = isThere || isNewTier;
        if (!isThere) {
            try {
                medium.create(file).close(); // a crash that loses it ends all readers
            } catch (IOException e) {
                knowsReaders = false;
                if (!FileMedium.isNoSpace(e, medium, root, 1)) {
                    throw e;
                }
            }
        }
    }

    private TierIdentity readIdentity(TierContext context) throws IOException {
        TierIdentity found = TierIdentity.read(medium, root);
        if (found == null && (context.isReadOnly() || !context.mayCreate())) {
            throw new IOException(
                    root
                            + " should hold a file tier of store "
                            + context.storeId()
                            + ", but there is no file "
                            + root.resolve(FileNames.TIER)
                            + ": is the right file system mounted there?");
        }
        if (found != null && !found.storeId().equals(context.storeId())) {
            throw new IOException(
                    root
                            + " belongs to store "
                            + found.storeId()
                            + ", expected store "
                            + context.storeId()
                            + ": give each store directories of its own");
        }
        return found;
    }

    private void lock(TierContext context) throws IOException {
        if (identity == null) {
            requireEmpty();
        }
        try {
            if (identity == null) {
                medium.createDirectories(root);
            }
            lock = medium.lock(root.resolve(FileNames.LOCK));
        } catch (UnexpectedFileException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException(
                    "the directory "
                            + root
                            + " of a file tier could not be locked for writing ("
                            + e
                            + "): see to its permissions and to its medium, or open read-only",
                    e);
        }
        boolean acquired = false;
        try {
            // Again, now that no other process can create it.
            identity = readIdentity(context);
            expectReaders(identity == null);
            if (identity == null) {
                identity = new TierIdentity(UUID.randomUUID(), context.storeId(), false);
                identity.create(medium, root); // the scan that follows forces the directory
            }
            acquired = true;
        } finally {
            if (!acquired) {
                release();
            }
        }
    }

    private void requireEmpty() throws IOException {
        List<String> names;
        try {
            names = new ArrayList<>(medium.list(root));
        } catch (NotDirectoryException e) {
            throw new IOException(
                    root + " should be a directory for a file tier, but is a file", e);
        }
        names.removeAll(FileNames.atRoot());
        if (!names.isEmpty()) {
            throw new IOException(
                    root
                            + " should be empty or a file tier, but has no file "
                            + root.resolve(FileNames.TIER)
                            + " and holds "
                            + names.size()
                            + " other things, like "
                            + names.get(0)
                            + ": give the tier a directory of its own, or restore that file");
        }
    }

    /** Records, durably, that there may be rewritten segments, unless that has been done. */
    synchronized void allowRewritten() throws IOException {
        TierIdentity before = identity;
        if (!before.hasRewritten()) {
            TierIdentity next = before.withRewritten();
            next.write(medium, root);
            identity = next;
        }
    }

    /** Returns how the lock was lost; null while it is held, and for a read-only tier. */
    String lost() {
        MediumLock held = lock;
        return held == null ? null : held.lost();
    }

    /** Releases the lock if it is held. */
    void release() throws IOException {
        MediumLock held = lock;
        lock = null;
        if (held != null) {
            held.close();
        }
        Closeable shared = readers;
        readers = null;
        if (shared != null) {
            shared.close();
        }
    }
}
