package io.firn.store;

import io.firn.log.StoreConfig;
import io.firn.medium.FileMedium;
import io.firn.medium.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A trace that each writer leaves when it opens a store, by which a reader notices one that came
 * and went between two looks: the file with the counter of epochs. Not thread-safe.
 */
final class LastWriter {
    /** Of a file with one number. */
    private static final int MOST_BYTES = 4096;

    private final FileMedium medium;
    private final Path epochs;
    private byte[] trace;
    private boolean settled;

    LastWriter(StoreConfig config) {
        this.medium = config.medium();
        this.epochs = config.directory().resolve(StoreOpener.EPOCHS);
    }

    /** Before a look at everything. */
    void begin() {
        settled = false;
        trace = read();
    }

    /** After that look, which has shown all that the last writer left. */
    void settle() {
        settled = true;
    }

    /** Whether all is shown that the last writer left, and there was no other one since. */
    boolean isSettled() {
        return settled && trace != null && Arrays.equals(trace, read());
    }

    /** Null when that is not known. */
    private byte[] read() {
        try {
            byte[] found = WholeFile.read(medium, epochs, MOST_BYTES);
            return found == null ? new byte[0] : found;
        } catch (IOException e) {
            return null;
        }
    }
}
