package io.firn.mutants;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What was found out, in a file, so that a run that was ended goes on where it was. A line is
 * {@code STATE tab NAME tab OUTCOME}; lines of another state of the classes are passed over.
 */
final class Results {
    private static final int FIELDS = 3;

    private final Path file;
    private final String state;
    private final Map<String, String> known = new HashMap<>();

    /**
     * Reads what there is.
     *
     * @param file null for none: everything is forgotten at the end
     * @param state differs when anything that is run differs
     */
    Results(Path file, String state) throws IOException {
        this.file = file;
        this.state = state;
        if (file != null && Files.exists(file)) {
            for (String line : Files.readAllLines(file)) {
                String[] fields = line.split("\t", FIELDS);
                if (fields.length == FIELDS && fields[0].equals(state)) {
                    known.put(fields[1], fields[2]);
                }
            }
        }
    }

    /** Returns the outcome, or null if it is not known. */
    String of(String name) {
        return known.get(name);
    }

    void add(String name, String outcome) throws IOException {
        String oneLine = outcome.replaceAll("\\s+", " ");
        known.put(name, oneLine);
        if (file != null) {
            Files.write(
                    file,
                    List.of(state + "\t" + name + "\t" + oneLine),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        }
    }
}
