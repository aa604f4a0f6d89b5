package io.firn.producer;

import io.firn.medium.Fields;
import io.firn.medium.FileErrors.DamagedFileException;
import io.firn.metadata.TopicDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Files with the aborted transactions of a topic's partitions: {@code aborted-P-OFFSET}, of
 * partition P, up to a marker's offset. Checkpoints, which are written often, contain only the
 * latest ones; a file is written once, when these have become many, and deleted when the log start
 * has passed it. Thread-safe.
 */
public final class AbortedFiles {
    private static final String MAGIC = "aborted";
    private static final String AFTER = "after";
    private static final int VERSION = 1;

    private final TopicDirectory directory;

    public AbortedFiles(TopicDirectory directory) {
        this.directory = directory;
    }

    private static String prefix(int partition) {
        return MAGIC + "-" + partition + "-";
    }

    /**
     * Writes a file; durable on return.
     *
     * @param after the last offset of the file before; −1 for none
     * @param lastOffset the offset of the last marker in it
     */
    public void write(int partition, long after, long lastOffset, Map<String, String> aborted)
            throws IOException {
        Map<String, String> values = new HashMap<>(aborted);
        values.put(AFTER, Long.toString(after));
        directory.write(prefix(partition) + lastOffset, MAGIC, VERSION, values);
    }

    /**
     * Reads the files of a partition, each of which says which one is before it.
     *
     * @param to the last offset of the last file; −1 when there may be none
     * @param from the offset below which nothing is needed
     * @return null when one is missing or damaged
     */
    public List<Fields> read(int partition, long from, long to) throws IOException {
        List<Fields> all = new ArrayList<>();
        long last = to;
        while (last >= Math.max(from, 0)) {
            String name = prefix(partition) + last;
            try {
                Fields fields = directory.read(name, MAGIC, VERSION);
                if (fields == null) {
                    directory.addFinding(
                            name,
                            partition,
                            directory.fileOf(name) + " is missing; the log is read instead");
                    return null;
                }
                all.add(0, fields); // the earliest first
                last = Math.min(last - 1, fields.number(AFTER, -1, Fields.MOST));
            } catch (DamagedFileException e) {
                directory.addFinding(name, partition, e.getMessage());
                return null;
            }
        }
        return all;
    }

    /** Returns whether a file has aborted transactions of a partition. */
    public static boolean isOf(int partition, String file) {
        return file.startsWith(prefix(partition));
    }

    /** Returns up to which offset a file of a partition goes; −1 for other files. */
    private static long offsetIn(String name, int partition) {
        if (!name.startsWith(prefix(partition))) {
            return -1;
        }
        try {
            return Long.parseLong(name.substring(prefix(partition).length()));
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /** Deletes the files of which nothing is at an offset or above it. */
    public void deleteBelow(int partition, long offset) throws IOException {
        for (String name : directory.names()) {
            long last = offsetIn(name, partition);
            if (last >= 0 && last < offset) {
                directory.delete(name);
            }
        }
    }
}
