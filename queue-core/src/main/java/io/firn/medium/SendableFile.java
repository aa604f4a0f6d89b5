package io.firn.medium;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import javax.annotation.concurrent.GuardedBy;

/**
 * The file that a mapping shows, for code that lets the system send bytes of it. It is opened when
 * it is first wanted, since few are, and closed by the owner of the mapping. By then another file
 * may have its name, so that the identity of what was opened is compared. Thread-safe.
 *
 * @see io.firn.spi.StorageTier
 */
public final class SendableFile implements AutoCloseable {
    private static final int MOST = 500;

    /** Of the descriptors that the process may have; connections may take half of them. */
    private static final int SHARE = 8;

    private final FileMedium medium;
    private final Semaphore places;
    private final Object identity;
    private final Supplier<List<Path>> names;

    /** Changed under the monitor. */
    private volatile FileChannel channel;

    @GuardedBy("this")
    private boolean hasPlace;

    @GuardedBy("this")
    private boolean closed;

    /**
     * Creates a file that is not open.
     *
     * @param places one is taken while the file is open: descriptors are few
     * @param identity what {@link FileMedium#identityOf} returned before the file was opened to be
     *     mapped; null if it is not known, and then the file is never opened
     * @param names returns the names that the file may have now: more than one while it is renamed
     */
    public SendableFile(
            FileMedium medium, Semaphore places, Object identity, Supplier<List<Path>> names) {
        this.medium = medium;
        this.places = places;
        this.identity = identity;
        this.names = names;
    }

    /**
     * Returns the file, open for reading until this is closed.
     *
     * @return null when it cannot be opened, or too many others are open: the bytes have to be sent
     *     from the mapping
     */
    public FileChannel channel() {
        FileChannel open = channel;
        // An interrupt of a thread that uses it closes it.
        return open != null && open.isOpen() ? open : open();
    }

    private synchronized FileChannel open() {
        if (closed || identity == null || (channel != null && channel.isOpen())) {
            return closed ? null : channel;
        }
        hasPlace = hasPlace || places.tryAcquire();
        if (!hasPlace) {
            return null;
        }
        List<Path> tried = List.of();
        // It may get another name after we have asked for it; that happens only a few times.
        for (List<Path> now = names.get(); !now.equals(tried); now = names.get()) {
            for (Path name : now) {
                if (open(name)) {
                    return channel;
                }
            }
            tried = now;
        }
        leavePlace();
        return null;
    }

    @GuardedBy("this")
    private boolean open(Path name) {
        FileChannel opened = null;
        try {
            opened = medium.openToSend(name);
            // Looked at afterwards: a name that has gone to another file does not come back.
            if (opened != null && identity.equals(medium.identityOf(name))) {
                channel = opened;
                return true;
            }
        } catch (IOException e) {
            // The mapping is still there. What is wrong with the file, its other users tell.
        }
        closeQuietly(opened);
        return false;
    }

    private static void closeQuietly(FileChannel open) {
        try {
            if (open != null) {
                open.close();
            }
        } catch (IOException e) {
            // It was only read.
        }
    }

    @GuardedBy("this")
    private void leavePlace() {
        if (hasPlace) {
            hasPlace = false;
            places.release();
        }
    }

    /** Closes the file for good. No bytes of it are being sent any more. Idempotent. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            closeQuietly(channel);
            leavePlace();
            channel = null;
        }
    }

    /**
     * Returns a place for each file of a store that may be open for the system to send it: few
     * enough that a heavy reader does not take the descriptors that are needed to write.
     */
    public static Semaphore places() {
        return new Semaphore(most(DescriptorLimit.ofProcess()));
    }

    static int most(long descriptors) {
        return (int) Math.min(MOST, descriptors / SHARE);
    }
}
