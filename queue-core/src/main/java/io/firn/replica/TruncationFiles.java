package io.firn.replica;

import io.firn.metadata.TopicDirectory;
import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Files with what the replicated partitions of a topic were truncated to: {@code truncated-P} of
 * partition P ({@link TruncationHistory}), and {@code was-truncated-P}, which is there from then on
 * and has no content: without it, a partition whose first file was lost would seem to be one that
 * was never truncated. Releases that do not write it do not mind it. For one writer at a time.
 */
public final class TruncationFiles {
    private static final String MAGIC = "truncated";
    private static final String NOTE = "was-truncated";
    private static final int VERSION = 1;
    private static final int BYTES = 8 * 1024;

    private final TopicDirectory directory;

    public TruncationFiles(TopicDirectory directory) {
        this.directory = directory;
    }

    /** Throws when a newer version of Firn wrote some of them. */
    public void checkVersions(int partitions) throws IOException {
        Set<String> present = new HashSet<>(directory.names());
        for (int partition = 0; partition < partitions; partition++) {
            directory.checkVersion(present, nameOf(partition), MAGIC, VERSION);
        }
    }

    private static String nameOf(int partition) {
        return MAGIC + "-" + partition;
    }

    /**
     * Returns what a replicated partition was truncated to. A partition without the file was never
     * truncated; when the file is damaged, or lost, which is a finding, that is unknown.
     */
    public TruncationHistory read(int partition) throws IOException {
        TruncationHistory history = tryRead(partition);
        if (history == null && directory.exists(noteOf(partition))) {
            // Another process may have written both just now, the file first.
            history = tryRead(partition);
            if (history == null) {
                directory.addFinding(
                        nameOf(partition),
                        partition,
                        directory.fileOf(nameOf(partition))
                                + " is lost: what was truncated is unknown, so that all is taken as"
                                + " gone; readers begin again");
                return TruncationHistory.UNKNOWN;
            }
        }
        return history == null ? TruncationHistory.NONE : history;
    }

    private TruncationHistory tryRead(int partition) throws IOException {
        return directory.read(
                nameOf(partition),
                MAGIC,
                VERSION,
                TruncationHistory::of,
                TruncationHistory.UNKNOWN);
    }

    /** Writes what a replicated partition was truncated to; durable on return. */
    public void write(int partition, TruncationHistory history) throws IOException {
        directory.writeEvenIfFull(nameOf(partition), MAGIC, VERSION, history.toText());
        note(partition);
    }

    private static String noteOf(int partition) {
        return NOTE + "-" + partition;
    }

    /**
     * Notes, durably, that a partition has a file with what it was truncated to, so that its loss
     * is noticed; after that file, since readers in other processes would take it for lost. On a
     * full disk the next change does so: it takes nothing from the space for deletions.
     */
    public void note(int partition) throws IOException {
        if (directory.exists(noteOf(partition))) {
            return;
        }
        try {
            directory.write(noteOf(partition), NOTE, VERSION, Map.of());
        } catch (IOException e) {
            if (!directory.isFull(e, BYTES)) {
                throw e;
            }
        }
    }

    /** As {@link #write}; returns false, and has changed nothing, when there is no space. */
    public boolean writeIfRoom(int partition, TruncationHistory history) throws IOException {
        try {
            write(partition, history);
            return true;
        } catch (IOException e) {
            if (directory.isFull(e, BYTES)) {
                return false;
            }
            throw e;
        }
    }
}
