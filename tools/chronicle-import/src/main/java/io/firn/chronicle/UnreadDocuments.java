package io.firn.chronicle;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.openhft.chronicle.queue.RollCycle;

/**
 * The documents that a file has by its own count, and that cannot be read: Chronicle Queue ends a
 * file without an error where a header is zero. For one thread.
 */
final class UnreadDocuments {
    private final RollCycle rollCycle;
    private final long[] counts;

    /** How many can be read, by the number of the file. */
    private final Map<Integer, Long> readable = new TreeMap<>();

    /**
     * Creates it.
     *
     * @param counts how many documents each file has
     */
    UnreadDocuments(RollCycle rollCycle, long[] counts) {
        this.rollCycle = rollCycle;
        this.counts = counts;
    }

    /**
     * Records how many documents could be read from the beginning of a file.
     *
     * @return whether these are all
     */
    boolean ended(int file, long read) {
        if (read >= counts[file]) {
            readable.remove(file);
            return true;
        }
        readable.put(file, read);
        return false;
    }

    /** Whether nothing of a file was found to be unreadable. */
    boolean isWhole(int file) {
        return !readable.containsKey(file);
    }

    /** One line for each file. */
    List<String> lines(QueueFiles files, int[] cycles) {
        return readable.entrySet().stream()
                .map(each -> line(each.getKey(), each.getValue(), files, cycles))
                .toList();
    }

    private String line(int file, long read, QueueFiles files, int[] cycles) {
        long last = counts[file] - 1;
        return "%s has %d documents, of which %d cannot be read, numbers %d to %d (index %x to %x)"
                .formatted(
                        files.name(cycles[file]),
                        counts[file],
                        counts[file] - read,
                        read,
                        last,
                        rollCycle.toIndex(cycles[file], read),
                        rollCycle.toIndex(cycles[file], last));
    }
}
