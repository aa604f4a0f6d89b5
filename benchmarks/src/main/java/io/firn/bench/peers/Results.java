package io.firn.bench.peers;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** The runs so far, each in a file of its own, so that an interrupted command continues. */
final class Results {
    /** The number of attempts that were dropped before the one that counts. */
    static final String DROPPED = "dropped";

    /** Why there are no figures. */
    static final String FAILED = "failed";

    /** More runs of a cell than anyone makes. */
    static final int MAX_ROUNDS = 100;

    private static final String CONDITIONS = "conditions.properties";

    private final Path directory;
    private final Map<Cell, Map<Integer, Map<String, String>>> runs = new HashMap<>();

    Results(Path directory) throws IOException {
        this.directory = Files.createDirectories(directory);
    }

    /**
     * Compares the conditions with those of earlier runs in the same place, and stores them.
     *
     * @throws IOException if they are not equal; the message says what to do
     */
    void conditions(Map<String, String> now) throws IOException {
        Path file = directory.resolve(CONDITIONS);
        if (!Files.exists(file)) {
            write(file, now);
            return;
        }
        Map<String, String> before = read(file);
        for (Map.Entry<String, String> each : now.entrySet()) {
            String other = before.get(each.getKey());
            if (!each.getValue().equals(other)) {
                throw new IOException(
                        directory
                                + " has runs made with "
                                + each.getKey()
                                + " '"
                                + other
                                + "', now it is '"
                                + each.getValue()
                                + "'. Figures of both would be mixed: choose another --out, or"
                                + " delete that directory.");
            }
        }
    }

    /** Reads what there is of some cells. */
    void load(List<Cell> cells) throws IOException {
        for (Cell cell : cells) {
            for (int round = 0; round < MAX_ROUNDS; round++) { // one that failed leaves a gap
                Path file = file(cell, round);
                if (Files.exists(file)) {
                    runs.computeIfAbsent(cell, c -> new TreeMap<>()).put(round, read(file));
                }
            }
        }
    }

    /** Reads what there is of those cells of which nothing is known yet. */
    void loadMissing(List<Cell> cells) throws IOException {
        load(cells.stream().filter(cell -> !runs.containsKey(cell)).toList());
    }

    boolean has(Cell cell, int round) {
        return runs.getOrDefault(cell, Map.of()).containsKey(round);
    }

    /**
     * Stores a run. A run that failed is not stored, only remembered, so that it is tried again.
     */
    void add(Cell cell, int round, Map<String, String> figures) throws IOException {
        runs.computeIfAbsent(cell, c -> new TreeMap<>()).put(round, figures);
        if (!figures.containsKey(FAILED)) {
            write(file(cell, round), figures);
        }
    }

    /** Returns the runs of a cell that have figures. */
    List<Map<String, String>> of(Cell cell) {
        return runs.getOrDefault(cell, Map.of()).values().stream()
                .filter(figures -> !figures.containsKey(FAILED))
                .toList();
    }

    /** Returns why runs of a cell failed. */
    List<String> failures(Cell cell) {
        return runs.getOrDefault(cell, Map.of()).values().stream()
                .map(figures -> figures.get(FAILED))
                .filter(why -> why != null)
                .distinct()
                .toList();
    }

    /** Returns the spread of a metric over the runs of a cell. */
    Spread spread(Cell cell, Metric metric) {
        List<Double> values = new ArrayList<>();
        for (Map<String, String> figures : of(cell)) {
            String value = figures.get(metric.key());
            if (value != null) {
                values.add(Double.parseDouble(value));
            }
        }
        return Spread.of(values);
    }

    private Path file(Cell cell, int round) {
        return directory.resolve(
                cell.scenario().id()
                        + "/"
                        + cell.peer().id()
                        + "-"
                        + cell.bytes()
                        + "-"
                        + round
                        + ".properties");
    }

    private static Map<String, String> read(Path file) throws IOException {
        Properties properties = new Properties();
        try (Reader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(in);
        }
        Map<String, String> read = new TreeMap<>();
        properties.forEach((key, value) -> read.put((String) key, (String) value));
        return read;
    }

    private static void write(Path file, Map<String, String> values) throws IOException {
        Properties properties = new Properties();
        properties.putAll(values);
        Files.createDirectories(file.getParent());
        Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
        try (Writer out = Files.newBufferedWriter(temporary, StandardCharsets.UTF_8)) {
            properties.store(out, null);
        }
        Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
    }
}
