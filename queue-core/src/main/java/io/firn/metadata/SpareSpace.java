package io.firn.metadata;

import io.firn.background.Duties;
import io.firn.background.Duty;
import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.medium.NoSpace;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A little space reserved on the store's file system, so that deletions can be recorded when the
 * disk is full: a new log start, a tombstone, the checkpoint without which no segment is deleted.
 * The first such write that finds the disk full uses it; it is reserved again as soon as there is
 * room. Thread-safe.
 */
public final class SpareSpace extends Duty {
    private static final System.Logger LOG = System.getLogger("io.firn");
    private static final String NAME = "spare";

    /** Room for a small file, its directory, and the file system itself. */
    private static final int BYTES = 16 * 1024;

    private static final long RETRY_MS = 1_000;

    private final FileMedium medium;
    private final Path file;
    private volatile boolean isHeld;

    public SpareSpace(Duties duties, FileMedium medium, Path storeDirectory) {
        super(duties, "store " + storeDirectory, "spare space");
        this.medium = medium;
        this.file = storeDirectory.resolve(NAME);
    }

    /** A write that can be repeated as a whole. */
    @FunctionalInterface
    interface Write {
        /** Durable on return. */
        void run() throws IOException;
    }

    /**
     * Called at open. Without the space only deletion on a full disk fails, so errors are ignored
     * here.
     */
    public void open() {
        try (MediumFile there = medium.exists(file) ? medium.open(file, false) : null) {
            isHeld = there != null && there.size() >= BYTES;
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, file + " cannot be read and is created again", e);
        }
        if (!isHeld) {
            setAside();
            call();
        }
    }

    /** Runs a write, with the spare space if there is no other. */
    void write(Write write) throws IOException {
        try {
            write.run();
        } catch (IOException e) {
            if (!isHeld || !NoSpace.isMeantBy(e, medium, file, BYTES)) {
                throw e;
            }
            giveUp();
            write.run();
        }
    }

    /** Reserves it again, and retries from time to time until there is room. */
    @Override
    public int run() {
        if (!isHeld) {
            setAside();
        }
        if (!isHeld) {
            againAt(nowMs() + RETRY_MS);
        }
        return 0;
    }

    private synchronized void giveUp() throws IOException {
        if (isHeld) {
            isHeld = false;
            call();
            medium.delete(file);
            // Some file systems reuse deleted blocks only after the deletion is durable.
            medium.forceDirectory(file.getParent());
            LOG.log(
                    System.Logger.Level.WARNING,
                    "no space is left for the store "
                            + file.getParent()
                            + ": reserved space is used to record deletions");
        }
    }

    private synchronized void setAside() {
        try {
            medium.delete(file);
            if (medium.usableBytes(file.getParent()) < 2L * BYTES) {
                return; // a write needs it more
            }
            try (MediumFile out = medium.create(file)) {
                out.write(0, new byte[BYTES], 0, BYTES);
                out.force(); // the name need not be durable: a lost file is created again
            }
            isHeld = true;
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, file + " cannot be written, will be tried again", e);
        }
    }
}
