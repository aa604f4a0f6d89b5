package io.firn.inspect;

import io.firn.medium.Fields;
import io.firn.medium.FileErrors;
import io.firn.medium.FileErrors.DamagedFileException;
import io.firn.medium.FileErrors.UnsupportedVersionException;
import io.firn.medium.FileMedium;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The small files of a store and its topics, read one by one whatever state the others are in. */
final class ReadableFiles {
    static final String STORE = "store";
    static final String TOPICS = "topics";
    static final String TOPIC = "topic";
    static final String START = "start";
    static final String CURSOR = "cursor";

    /** The newest; only a topic's file may have it. */
    private static final int VERSION = 3;

    private final FileMedium medium;
    private final Report report;

    ReadableFiles(FileMedium medium, Report report) {
        this.medium = medium;
        this.report = report;
    }

    /** Returns the names in a directory; empty when it cannot be read, which is reported. */
    List<String> list(Path directory) {
        try {
            return medium.list(directory);
        } catch (IOException e) {
            report.flaw("  DAMAGED: %s", FileErrors.describe(e));
            return List.of();
        }
    }

    /** Returns null when it is missing, or cannot be read for a reason that is reported. */
    Fields read(Path file, String magic) {
        return read(file, magic, fields -> fields, null);
    }

    /** Makes something of the fields of a file. */
    interface Parser<T> {
        T parse(Fields fields) throws DamagedFileException;
    }

    /**
     * As above.
     *
     * @param otherwise what is returned then
     */
    <T> T read(Path file, String magic, Parser<T> parser, T otherwise) {
        try {
            Fields fields = Fields.read(medium, file, magic, VERSION);
            return fields == null ? otherwise : parser.parse(fields);
        } catch (DamagedFileException | UnsupportedVersionException e) {
            report.flaw("  DAMAGED: %s", e.getMessage());
            return otherwise;
        } catch (IOException e) {
            report.flaw("  UNREADABLE, it may be whole: %s", FileErrors.describe(e));
            return otherwise;
        }
    }
}
