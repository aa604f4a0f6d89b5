package io.firn.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.firn.medium.FileMedium;
import io.firn.medium.Mapping;
import io.firn.medium.MediumFile;
import io.firn.medium.SendableFile;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * The readers' side of a segment: a view and an open file, both created when first needed.
 * Thread-safe.
 */
final class ReadSide {
    private final FileMedium medium;
    private final BlockOwner owner;

    @GuardedBy("this")
    private MediumFile file;

    /** Changed under the monitor. */
    private volatile View view;

    @GuardedBy("this")
    private boolean ended;

    /**
     * Creates the readers' side.
     *
     * @param file the file if it is already open, else null
     * @param view the view if it already exists, else null
     */
    ReadSide(FileMedium medium, BlockOwner owner, MediumFile file, View view) {
        this.medium = medium;
        this.owner = owner;
        this.file = file;
        this.view = view;
    }

    /** Returns the view; null when there is none. */
    View current() {
        return view;
    }

    /**
     * Returns the view; maps the first bytes of the file if there is none.
     *
     * @param now returns the name that the file has at the time
     */
    synchronized View map(Path path, int length, Supplier<Path> now) throws IOException {
        requireNotEnded(path);
        if (view == null) {
            Object identity = medium.identityOf(path);
            SendableFile toSend = new SendableFile(medium, owner.filesToSend(), identity, now);
            try (MediumFile in = medium.open(path, false)) {
                Mapping mapping = in.map(length, false);
                view =
                        new View(
                                mapping.buffer(),
                                handedOut -> {
                                    toSend.close();
                                    owner.uncollected().release(mapping, handedOut);
                                },
                                toSend::channel);
            }
        }
        return view;
    }

    synchronized int read(Path path, int position, byte[] target, int offset, int length)
            throws IOException {
        return open(path).read(position, target, offset, length);
    }

    synchronized MarkPages.Found readMarks(Path path, long fileBytes) throws IOException {
        return MarkPages.read(open(path), fileBytes);
    }

    synchronized long size(Path path) throws IOException {
        return open(path).size();
    }

    @GuardedBy("this")
    private MediumFile open(Path path) throws IOException {
        requireNotEnded(path);
        if (file == null) {
            file = medium.open(path, false);
        }
        return file;
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
