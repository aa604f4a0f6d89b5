package io.firn.chronicle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The names of a queue's files, and which are missing. Immutable. */
final class QueueFiles {
    /** How the names end. */
    static final String SUFFIX = ".cq4";

    private final List<String> names;
    private final int[] cycles;

    /** Says which files are in a directory. */
    interface Listing {
        /** Returns the names, in the order of their cycles. */
        List<String> names(Path directory) throws IOException;
    }

    /**
     * Creates it.
     *
     * @param names the files in the directory, in the order of their cycles
     * @param cycles the cycles that Chronicle Queue lists, in order
     */
    QueueFiles(List<String> names, int[] cycles) {
        this.names = names;
        this.cycles = cycles;
    }

    /** Returns the names of the files in a directory, which are dates, in their order. */
    static List<String> list(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(path -> path.getFileName().toString())
                    .filter(name -> name.endsWith(SUFFIX))
                    .sorted()
                    .toList();
        }
    }

    int count() {
        return names.size();
    }

    String name(int cycle) {
        int at = Arrays.binarySearch(cycles, cycle);
        return names.get(at); // dates, so both are in one order
    }

    /**
     * What is not there and perhaps was, one line each; empty when nothing is missing.
     *
     * @param first the first cycle by the queue's metadata, or that of the first file
     * @param last the last one
     */
    List<String> holes(int first, int last) {
        List<String> holes = new ArrayList<>();
        if (cycles.length == 0) {
            return holes;
        }
        if (first < cycles[0]) {
            holes.add(
                    "the queue's metadata names cycle %d as its first, the first file is that of cycle %d (%s)"
                            .formatted(first, cycles[0], name(cycles[0])));
        }
        for (int i = 1; i < cycles.length; i++) {
            int missing = cycles[i] - cycles[i - 1] - 1;
            if (missing > 0) {
                holes.add(
                        "%d roll cycle%s without a file between %s and %s"
                                .formatted(
                                        missing,
                                        missing == 1 ? "" : "s",
                                        name(cycles[i - 1]),
                                        name(cycles[i])));
            }
        }
        int lastFile = cycles[cycles.length - 1];
        if (last > lastFile) {
            holes.add(
                    "the queue's metadata names cycle %d as its last, the last file is that of cycle %d (%s)"
                            .formatted(last, lastFile, name(lastFile)));
        }
        return holes;
    }
}
