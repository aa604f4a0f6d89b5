package io.firn.file;

import io.firn.medium.FileErrors.OutOfDescriptorsException;
import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import javax.annotation.concurrent.GuardedBy;

/**
 * A few file descriptors of a tier that are kept for work after which more of them are free: a
 * segment that is sealed or deleted gives its own back, but has to open other files for that, one
 * at a time. Without these, the files of new segments take the last descriptors, and nothing is
 * sealed and nothing appended any more. They are kept by holding the tier's identity file open.
 *
 * <p>While any of them is missing, what is freed replaces it before a new segment gets a file
 * ({@link #reserve}), and new segments wait for who has one on loan. Thread-safe.
 */
final class SpareDescriptors {
    /** Another part of the process may take one in the moment in which it is on loan. */
    private static final int COUNT = 3;

    private final FileMedium medium;
    private final Path file;

    @GuardedBy("this")
    private final Deque<MediumFile> spares = new ArrayDeque<>();

    @GuardedBy("this")
    private boolean isKept;

    /** Whether none is missing; changed under the monitor. */
    private volatile boolean complete = true;

    /**
     * Held for reading while segments are made as long as none is missing, for writing while one is
     * on loan: a segment that is being made when that begins would take it, and keep it.
     */
    private final ReadWriteLock loan = new ReentrantReadWriteLock();

    /** What can be repeated, and opens one file at a time, which it closes. */
    @FunctionalInterface
    interface Work {
        void run() throws IOException;
    }

    /** Creates it without descriptors. */
    SpareDescriptors(FileMedium medium, Path file) {
        this.medium = medium;
        this.file = file;
    }

    /** Begins to keep them, unless the file could not be replaced while it is open. */
    synchronized void keep() {
        isKept = medium.canChangeFilesInUse();
        fillIfPossible();
    }

    /**
     * Makes a new segment, whose file stays open.
     *
     * @throws OutOfDescriptorsException also when there is no descriptor for a missing spare one
     */
    FileBlock reserve(Reservation reservation) throws IOException {
        loan.readLock().lock();
        try {
            if (complete) {
                return reservation.make();
            }
        } finally {
            loan.readLock().unlock();
        }
        synchronized (this) {
            fill();
            return reservation.make();
        }
    }

    /** Runs work after which there are more descriptors; on a spare one if there is no other. */
    void lendTo(Work work) throws IOException {
        try {
            work.run();
            return;
        } catch (IOException e) {
            if (!OutOfDescriptorsException.isReasonFor(e)) {
                throw e;
            }
        }
        runOnSpares(work);
    }

    private synchronized void runOnSpares(Work work) throws IOException {
        loan.writeLock().lock();
        try {
            while (true) {
                boolean isLast = spares.size() <= 1;
                release();
                try {
                    work.run();
                    return;
                } catch (IOException e) {
                    if (isLast || !OutOfDescriptorsException.isReasonFor(e)) {
                        throw e;
                    }
                }
            }
        } finally {
            fillIfPossible();
            loan.writeLock().unlock();
        }
    }

    @GuardedBy("this")
    private void release() throws IOException {
        MediumFile spare = spares.poll();
        if (spare != null) {
            complete = false;
            spare.close();
        }
    }

    @GuardedBy("this")
    private void fill() throws IOException {
        while (isKept && spares.size() < COUNT) {
            try {
                spares.push(medium.open(file, false));
            } catch (IOException e) {
                if (OutOfDescriptorsException.isReasonFor(e)) {
                    throw e;
                }
                break; // what else may be wrong with this file is no reason not to append
            }
        }
        complete = true;
    }

    @GuardedBy("this")
    private void fillIfPossible() {
        try {
            fill();
        } catch (IOException e) {
            complete = false; // the next segment waits for it
        }
    }

    /** Closes them, and keeps none from now on. */
    synchronized void end() {
        isKept = false;
        complete = true;
        while (!spares.isEmpty()) {
            try {
                spares.poll().close();
            } catch (IOException e) {
                continue; // nothing was written through it
            }
        }
    }
}
