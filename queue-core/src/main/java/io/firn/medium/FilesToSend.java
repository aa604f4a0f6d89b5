package io.firn.medium;

import java.util.concurrent.Semaphore;

/**
 * How many files of a store may be open for the system to send them: few enough that whoever reads
 * a lot does not take the descriptors that are needed to write.
 */
public final class FilesToSend {
    private static final int MOST = 500;

    /** Of the descriptors that the process may have; connections may take half of them. */
    private static final int SHARE = 8;

    private FilesToSend() {}

    /** Returns a place for each file that may be open, for {@link SendableFile}. */
    public static Semaphore places() {
        return new Semaphore(most(DescriptorLimit.ofProcess()));
    }

    static int most(long descriptors) {
        return (int) Math.min(MOST, descriptors / SHARE);
    }
}
