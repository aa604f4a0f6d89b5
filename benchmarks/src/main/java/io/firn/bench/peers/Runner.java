package io.firn.bench.peers;

import io.firn.bench.peers.Schedule.Turn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Runs what is missing, and repeats what was disturbed. */
final class Runner {
    /** The number of times that a run is repeated before a disturbed one counts. */
    static final int REPETITIONS = 3;

    /** The space that a run may need. */
    static final long SPACE_BYTES = 4L << 30;

    /** Runs a cell once. */
    interface Attempt {
        /** Returns the figures. */
        Map<String, String> run(Cell cell) throws IOException, InterruptedException;
    }

    private final Results results;
    private final Attempt attempt;
    private final Path directory;
    private final int repetitions;

    Runner(Results results, Attempt attempt, Path directory, int repetitions) {
        this.results = results;
        this.attempt = attempt;
        this.directory = directory;
        this.repetitions = repetitions;
    }

    /**
     * Runs turns that have no result yet.
     *
     * @param turns in this order
     * @param goesOn asked before each turn that is to be run, and told which
     * @return how many are left
     */
    int run(List<Turn> turns, Predicate<Turn> goesOn) throws IOException, InterruptedException {
        int left = 0;
        for (Turn turn : turns) {
            if (results.has(turn.cell(), turn.round())) {
                continue;
            }
            if (left > 0 || !goesOn.test(turn)) {
                left++;
                continue;
            }
            requireSpace();
            results.add(turn.cell(), turn.round(), undisturbed(turn.cell()));
        }
        return left;
    }

    private Map<String, String> undisturbed(Cell cell) throws IOException, InterruptedException {
        Map<String, String> best = null;
        for (int dropped = 0; dropped <= repetitions; dropped++) {
            Map<String, String> figures;
            try {
                figures = attempt.run(cell);
            } catch (IOException e) {
                return Map.of(Results.FAILED, String.valueOf(e.getMessage()));
            }
            if (best == null || disturbance(figures).pressure() < disturbance(best).pressure()) {
                best = figures;
            }
            best.put(Results.DROPPED, Integer.toString(dropped));
            if (!disturbance(figures).isTooMuch()) {
                return best;
            }
        }
        return best;
    }

    /** Returns how much a run was disturbed. */
    static Disturbance disturbance(Map<String, String> figures) {
        return new Disturbance(
                Double.parseDouble(figures.get(Child.PRESSURE)),
                Double.parseDouble(figures.get(Child.FOREIGN)),
                Double.parseDouble(figures.get(Child.MEASURED_MS)));
    }

    private void requireSpace() throws IOException {
        long free = Files.getFileStore(directory).getUsableSpace();
        if (free < SPACE_BYTES) {
            throw new IOException(
                    String.format(
                            "%s has %d MiB free, a run needs up to %d MiB: free some space, or"
                                    + " choose another --dir.",
                            directory, free >> 20, SPACE_BYTES >> 20));
        }
    }
}
