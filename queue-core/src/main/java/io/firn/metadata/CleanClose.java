package io.firn.metadata;

import io.firn.MediumException;
import io.firn.medium.Fields;
import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.GuardedLog;
import io.firn.medium.MediumFile;
import io.firn.medium.SmallFile;
import io.firn.medium.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;

/**
 * The file {@code STORE/clean}, which says that the store was closed and nothing was left in a
 * cache, so that the next open has nothing to make durable (rule O33). The order:
 *
 * <ol>
 *   <li>Everything is forced, the marks have an epoch that no batch has, and no force has failed
 *       since the store was opened; then the file is written. It is not forced: if it is lost, the
 *       next open recovers as after a crash.
 *   <li>The next open deletes it before it changes anything, and forces no names. If a power cut
 *       brings the file back, that is still right: what is found after a power cut is durable.
 *   <li>The deletion is durable before the first batch is stored: with the file, recovery would
 *       continue in the epoch of batches that it has not found, because a page before them is lost.
 * </ol>
 *
 * Thread-safe.
 */
public final class CleanClose {
    private static final GuardedLog LOG = GuardedLog.get();
    private static final String MAGIC = "clean";
    private static final int VERSION = 1;
    private static final String STORE = "store";

    private final FileMedium medium;
    private final Path directory;
    private final Path file;
    private UUID store;
    private boolean wasFound;
    private volatile boolean mayReturn;
    private volatile boolean hasFailed;

    /** Creates it for the directory of a store. */
    public CleanClose(FileMedium medium, Path directory) {
        this.medium = medium;
        this.directory = directory;
        this.file = directory.resolve(MAGIC);
    }

    /**
     * Looks for the file, and deletes it; called at open, before anything is changed.
     *
     * @param wasOpen whether something else shows that the last process did not close the store
     */
    public void take(UUID storeId, boolean wasOpen) throws IOException {
        store = storeId;
        if (medium.exists(file)) {
            wasFound = isIntact() && !wasOpen;
            medium.delete(file);
            mayReturn = true;
        }
    }

    /** One that cannot be read proves nothing. */
    private boolean isIntact() {
        try {
            Fields fields = Fields.read(medium, file, MAGIC, VERSION);
            return fields != null && fields.id(STORE).equals(store);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, file + " is ignored", e);
            return false;
        }
    }

    /** Whether the last process closed the store, so that all that is found is durable. */
    public boolean wasFound() {
        return wasFound;
    }

    /**
     * Makes durable that the file is gone, before the first batch is stored.
     *
     * @throws MediumException when that fails; it is tried again
     */
    public void beforeBatches() {
        if (mayReturn) {
            forceDeletion();
        }
    }

    private synchronized void forceDeletion() {
        try {
            if (mayReturn) {
                medium.forceDirectory(directory);
                mayReturn = false;
            }
        } catch (IOException e) {
            throw new MediumException(
                    "nothing can be appended, since it could not be made durable that "
                            + file
                            + " was deleted: "
                            + e.getMessage(),
                    e);
        }
    }

    /** Writes the file, unless a force has failed; called when nothing is changed any more. */
    public void write() {
        if (hasFailed) {
            return;
        }
        try {
            Map<String, String> values = Map.of(STORE, store.toString());
            byte[] content = SmallFile.content(file, MAGIC, VERSION, values);
            WholeFile.replaceUnforced(medium, file, content);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, file + " was not written: the next open forces", e);
        }
    }

    /** Returns a medium for the files of the store, which notes here that a force has failed. */
    public FileMedium watched() {
        return new WatchedMedium();
    }

    /** Notes failed forces. */
    private final class WatchedMedium extends FilterFileMedium {
        WatchedMedium() {
            super(CleanClose.this.medium);
        }

        @Override
        protected MediumFile wrap(Path path, MediumFile opened) {
            return new FilterMediumFile(opened) {
                @Override
                public void force() throws IOException {
                    noteFailure(super::force);
                }
            };
        }

        @Override
        public void createDirectories(Path created) throws IOException {
            noteFailure(() -> super.createDirectories(created));
        }

        @Override
        public void createDirectory(Path created) throws IOException {
            noteFailure(() -> super.createDirectory(created));
        }

        @Override
        public void forceDirectory(Path forced) throws IOException {
            noteFailure(() -> super.forceDirectory(forced));
        }
    }

    @FunctionalInterface
    private interface Force {
        void run() throws IOException;
    }

    private void noteFailure(Force force) throws IOException {
        boolean done = false;
        try {
            force.run();
            done = true;
        } finally {
            if (!done) {
                hasFailed = true;
            }
        }
    }
}
