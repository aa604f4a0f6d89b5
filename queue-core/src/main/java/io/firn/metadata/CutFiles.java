package io.firn.metadata;

import io.firn.medium.NoSpace;
import io.firn.medium.SmallFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * Files with what the replicated partitions of a topic were truncated to: {@code truncated-P} of
 * partition P ({@link Cuts}), and {@code was-truncated-P}, which is there from then on and has no
 * content: without it, a partition whose first file was lost would seem to be one that was never
 * truncated. Releases that do not write it do not mind it. For one writer at a time.
 */
public final class CutFiles {
    static final String MAGIC = "truncated";
    private static final String NOTE = "was-truncated";
    private static final int VERSION = 1;
    private static final int BYTES = 8 * 1024;

    private final TopicFiles files;

    CutFiles(TopicFiles files) {
        this.files = files;
    }

    static String nameOf(int partition) {
        return MAGIC + "-" + partition;
    }

    /**
     * Returns what a replicated partition was truncated to. A partition without the file was never
     * truncated; when the file is damaged, or lost, which is a finding, nobody knows.
     */
    public Cuts read(int partition) throws IOException {
        Cuts cuts = tryRead(partition);
        if (cuts == null && files.medium().exists(noteOf(partition))) {
            // Another process may have written both just now, the file first.
            cuts = tryRead(partition);
            if (cuts == null) {
                files.findings().add(files.resolve(nameOf(partition)) + " is lost");
                return Cuts.UNKNOWN;
            }
        }
        return cuts == null ? Cuts.NONE : cuts;
    }

    private Cuts tryRead(int partition) throws IOException {
        return files.readPart(MAGIC, nameOf(partition), Cuts::of, Cuts.UNKNOWN);
    }

    /** Writes what a replicated partition was truncated to; durable on return. */
    public void write(int partition, Cuts cuts) throws IOException {
        Path file = files.resolve(nameOf(partition));
        files.changePart(() -> files.writeInSpare(file, MAGIC, cuts.toText()));
        note(partition);
    }

    private Path noteOf(int partition) {
        return files.resolve(NOTE + "-" + partition);
    }

    /**
     * Notes, durably, that a partition has a file with what it was truncated to, so that its loss
     * is noticed; after that file, since readers in other processes would take it for lost. On a
     * full disk the next change does so: it takes nothing from the space for deletions.
     */
    public void note(int partition) throws IOException {
        Path file = noteOf(partition);
        if (files.medium().exists(file)) {
            return;
        }
        try {
            files.changePart(() -> SmallFile.write(files.medium(), file, NOTE, VERSION, Map.of()));
        } catch (IOException e) {
            if (!isFull(e)) {
                throw e;
            }
        }
    }

    /** As {@link #write}; returns false, and has changed nothing, when there is no space. */
    public boolean writeIfRoom(int partition, Cuts cuts) throws IOException {
        try {
            write(partition, cuts);
            return true;
        } catch (IOException e) {
            if (isFull(e)) {
                return false;
            }
            throw e;
        }
    }

    private boolean isFull(IOException e) {
        return NoSpace.isMeantBy(e, files.medium(), files.topicFile().getParent(), BYTES);
    }
}
