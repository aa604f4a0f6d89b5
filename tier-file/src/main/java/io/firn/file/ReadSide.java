package io.firn.file;

import io.firn.medium.FileMedium;
import io.firn.medium.GuardedLog;
import io.firn.medium.MediumFile;
import io.firn.medium.MediumFile.Mapping;
import io.firn.medium.SendableFile;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import javax.annotation.concurrent.GuardedBy;

/**
 * The readers' side of a segment: a view and an open file, both created when first needed.
 * Thread-safe.
 */
final class ReadSide {
    private static final GuardedLog LOG = GuardedLog.get();
    private static final int PIECE = 64 * 1024;

    /** More than the largest batch, which is compared before damage in it is reported. */
    private static final int MOST_COMPARED = 16 << 20;

    /** Of a millisecond each, in which a reader may unpin the view. */
    private static final int MOST_PAUSES = 100;

    private final FileMedium medium;
    private final BlockOwner owner;
    private final FileUses uses;

    @GuardedBy("this")
    private MediumFile file;

    /** Of the open file; null when it is not known. */
    @GuardedBy("this")
    private Object identity;

    /** Changed under the monitor. */
    private volatile View view;

    @GuardedBy("this")
    private boolean ended;

    /**
     * Creates the readers' side of a file that is not open.
     *
     * @param uses notes the views of the file
     */
    ReadSide(FileMedium medium, BlockOwner owner, FileUses uses) {
        this.medium = medium;
        this.owner = owner;
        this.uses = uses;
    }

    /**
     * Takes over what is open already.
     *
     * @param itsIdentity that of the file; null when it is not known
     * @param writers the view if it already exists, else null
     */
    synchronized void takeOver(MediumFile open, Object itsIdentity, View writers) {
        file = open;
        identity = itsIdentity;
        view = writers;
    }

    /** Returns the view; null when there is none. */
    View current() {
        return view;
    }

    /**
     * Returns the view; maps the first bytes of the file if there is none.
     *
     * @param names returns the names that the file may have at the time
     */
    synchronized View map(Path path, int length, Supplier<List<Path>> names) throws IOException {
        requireNotEnded(path);
        if (view == null) {
            Object identity = medium.identityOf(path);
            SendableFile toSend = new SendableFile(medium, owner.filesToSend(), identity, names);
            try (MediumFile in = medium.open(path, false)) {
                Mapping mapping = in.map(length, false);
                uses.mapped();
                view =
                        new View(
                                mapping.buffer(),
                                handedOut -> {
                                    toSend.close();
                                    uses.released(owner.uncollected().release(mapping, handedOut));
                                },
                                () -> uses.sentFrom(toSend.channel()));
            }
        }
        return view;
    }

    synchronized int read(Path path, int position, byte[] target, int offset, int length)
            throws IOException {
        return open(path).read(position, target, offset, length);
    }

    /** Gives the file a second name, unless reading has ended: it may be recycled then (O37). */
    synchronized void link(Path path, Path second) throws IOException {
        requireNotEnded(path);
        medium.link(path, second);
    }

    synchronized MarkPages.Found readMarks(Path path, long fileBytes) throws IOException {
        closeIfReplaced(path);
        return MarkPages.read(open(path), fileBytes);
    }

    synchronized long size(Path path) throws IOException {
        return open(path).size();
    }

    /** The marks of a file that lost its name to another one do not change any more. */
    @GuardedBy("this")
    private void closeIfReplaced(Path path) throws IOException {
        try {
            if (file != null && identity != null && !identity.equals(medium.identityOf(path))) {
                closeFile();
            }
        } catch (NoSuchFileException e) {
            return; // its writer has renamed it
        }
    }

    @GuardedBy("this")
    private MediumFile open(Path path) throws IOException {
        requireNotEnded(path);
        if (file == null) {
            identity = medium.identityOf(path);
            file = medium.open(path, false);
        }
        return file;
    }

    /**
     * Leaves the view if some of its bytes are other than those that the file with the name has.
     *
     * @return whether it was left, or there was none: the next one may show something else
     */
    synchronized boolean renew(Path path, int from, int to) throws IOException {
        View mapped = view;
        if (mapped == null || !mapped.pin()) {
            return true;
        }
        boolean isSame;
        try {
            closeFile(); // it may be open since before
            isSame = isSame(open(path), mapped.buffer(), from, Math.min(to, from + MOST_COMPARED));
        } catch (InternalError e) {
            return false; // the file was truncated, which is something else
        } finally {
            mapped.unpin();
            closeFile();
        }
        if (!isSame) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "{0} was replaced while it was read: it is mapped again",
                    path);
            detach().leave();
        }
        return !isSame;
    }

    private static boolean isSame(MediumFile in, ByteBuffer mapped, int from, int to)
            throws IOException {
        byte[] found = new byte[PIECE];
        int end = Math.min(to, mapped.capacity());
        for (int at = from; at < end; at += PIECE) {
            int length = in.read(at, found, 0, Math.min(PIECE, end - at));
            if (length <= 0) {
                return true; // it is shorter: nothing to read there
            }
            if (mapped.slice(at, length).compareTo(ByteBuffer.wrap(found, 0, length)) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Retires the view, so that it cannot be pinned any more; returns null when there is none. */
    synchronized View detach() {
        View retired = view;
        view = null;
        if (retired != null) {
            retired.retire();
        }
        return retired;
    }

    /**
     * Does something while this process has the file neither open nor mapped, unless a reader keeps
     * the view pinned for long. Who wants to read meanwhile waits.
     */
    synchronized void whileUnmapped(SpareDescriptors.Work work) throws IOException {
        closeFile();
        if (view != null && !isPinnedForLong(view)) {
            detach().leave();
        }
        work.run();
    }

    /** A poll keeps a pin for as long as it hands out records. */
    private static boolean isPinnedForLong(View view) {
        for (int i = 0; view.isPinned(); i++) {
            try {
                if (i == MOST_PAUSES) {
                    return true;
                }
                Thread.sleep(1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return true;
            }
        }
        return false;
    }

    /** Ends reading for good; the reader that unpins the view last unmaps it. */
    synchronized void end() {
        ended = true;
        View last = detach();
        if (last != null) {
            last.leave();
        }
        closeFile();
    }

    @GuardedBy("this")
    private void requireNotEnded(Path path) throws IOException {
        if (ended) {
            throw new IOException(path + " can no longer be read: it was closed or deleted");
        }
    }

    /** Closes the file, which is opened again when needed. Keeps the view. */
    synchronized void closeFile() {
        MediumFile closing = file;
        file = null;
        try {
            if (closing != null) {
                closing.close();
            }
        } catch (IOException e) {
            // No harm: everything that had to be durable was forced.
            return;
        }
    }
}
