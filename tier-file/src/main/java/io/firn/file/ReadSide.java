package io.firn.file;

import io.firn.medium.FileMedium;
import io.firn.medium.Mapping;
import io.firn.medium.MediumFile;
import io.firn.medium.Uncollected;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.file.Path;

/** The readers' side of a segment: a view and an open file, both made when first needed. */
final class ReadSide {
    private final FileMedium medium;
    private final Uncollected uncollected;
    private MediumFile file;
    private volatile View view;
    private boolean ended;

    /**
     * Begins.
     *
     * @param uncollected what takes the mappings of views that are released
     * @param file open already, or null
     * @param view there already, or null
     */
    ReadSide(FileMedium medium, Uncollected uncollected, MediumFile file, View view) {
        this.medium = medium;
        this.uncollected = uncollected;
        this.file = file;
        this.view = view;
    }

    /** The view if there is one, else null. */
    View current() {
        return view;
    }

    /** The view, made from the first bytes of the file when there is none. */
    synchronized View map(Path path, int length) throws IOException {
        requireNotEnded(path);
        if (view == null) {
            try (MediumFile in = medium.open(path, false)) {
                Mapping mapping = in.map(length, false);
                view =
                        new View(
                                mapping.buffer(),
                                handedOut -> uncollected.release(mapping, handedOut));
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

    private MediumFile open(Path path) throws IOException {
        requireNotEnded(path);
        if (file == null) {
            file = medium.open(path, false);
        }
        return file;
    }

    /** Takes the view away, if there is one, and lets no further reader into it. */
    synchronized View detach() {
        View retired = view;
        view = null;
        if (retired != null) {
            retired.retire();
        }
        return retired;
    }

    /** The end: nothing is mapped or opened again, and whoever reads last unmaps the view. */
    synchronized void end() {
        ended = true;
        View last = detach();
        if (last != null) {
            last.leave();
        }
        closeFile();
    }

    private void requireNotEnded(Path path) throws IOException {
        if (ended) {
            throw new IOException(path + " can no longer be read: it was closed or deleted");
        }
    }

    /** Closes the file, which is opened again when needed; the view stays. */
    synchronized void closeFile() {
        MediumFile closing = file;
        file = null;
        try {
            if (closing != null) {
                closing.close();
            }
        } catch (IOException e) {
            // Nothing depends on it: whatever had to be durable was forced.
            return;
        }
    }
}
