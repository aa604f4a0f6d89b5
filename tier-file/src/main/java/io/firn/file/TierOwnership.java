package io.firn.file;

import io.firn.medium.FileErrors.UnexpectedFileException;
import io.firn.medium.FileMedium;
import io.firn.medium.FileMedium.MediumLock;
import io.firn.medium.OpenToOthers;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
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
    }
}
