package io.firn.store;

import io.firn.spi.FileMedium;
import io.firn.spi.MediumFile;
import io.firn.spi.NoSpace;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A little space kept on the store's file system, so that what makes room can be written down when
 * there is none: a new log start, a tombstone, the checkpoint without which no segment goes. The
 * first such write that finds the disk full gets it; it is set aside again as soon as there is
 * room. Thread-safe.
 */
final class SpareSpace extends Duty {
    private static final System.Logger LOG = System.getLogger("io.firn");
    private static final String NAME = "spare";

    /** Blocks for a small file, its directory, and some for the file system itself. */
    private static final int BYTES = 16 * 1024;

    private static final long RETRY_MS = 1_000;

    private final FileMedium medium;
    private final Path file;
    private volatile boolean isHeld;

    SpareSpace(Duties duties, FileMedium medium, Path storeDirectory) {
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

    /** At open. Without it all works but deletion on a full disk, so nothing fails here. */
    void open() {
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

    /** Writes, with the spare space when there is no other. */
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

    /** Sets it aside again, and tries from time to time until there is room. */
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
            // Some file systems give deleted blocks again only when the deletion is durable.
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
                return; // somebody else needs it more
            }
            try (MediumFile out = medium.create(file)) {
                out.write(0, new byte[BYTES], 0, BYTES);
                out.force(); // the name need not be durable: without it it is made again
            }
            isHeld = true;
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, file + " cannot be written, will be tried again", e);
        }
    }
}
