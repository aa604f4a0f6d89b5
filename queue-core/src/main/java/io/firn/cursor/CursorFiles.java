package io.firn.cursor;

import io.firn.background.ParallelSteps;
import io.firn.medium.DamagedFileException;
import io.firn.medium.Fields;
import io.firn.medium.UnsupportedVersionException;
import io.firn.metadata.TopicDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The files of a topic's cursors, {@code cursor-NAME}: see {@link CursorFile}. Thread-safe. */
public final class CursorFiles {
    private final TopicDirectory directory;

    public CursorFiles(TopicDirectory directory) {
        this.directory = directory;
    }

    /** Returns the names of the cursors that have a file. */
    public List<String> names() throws IOException {
        List<String> names = new ArrayList<>();
        for (String file : directory.names()) {
            String name = CursorFile.nameIn(file);
            if (name != null) {
                names.add(name);
            } else if (CursorFile.looksLikeOne(file)) {
                directory.addFinding(directory.fileOf(file) + " is not a cursor's file");
            }
        }
        return names;
    }

    /**
     * Returns what the file of a cursor contains. What is wrong with the file becomes a finding.
     *
     * @return null when it has no file
     * @throws DamagedFileException when its positions are lost
     * @throws IOException when they could not be read now
     */
    public CursorFile.Content read(String name) throws IOException {
        try {
            Fields fields =
                    directory.read(
                            CursorFile.of(name), CursorFile.MAGIC, CursorFile.NEWEST_VERSION);
            return fields == null ? null : CursorFile.decode(name, fields);
        } catch (DamagedFileException | UnsupportedVersionException e) {
            directory.addFinding(e.getMessage());
            throw e;
        }
    }

    /**
     * Writes cursors together, each into its file.
     *
     * @return by index why a cursor was not written; null for one that is durable
     * @throws IOException when each of them may have been written or not
     */
    public IOException[] write(List<CursorFile.Content> cursors, ParallelSteps forces)
            throws IOException {
        List<TopicDirectory.Content> all = new ArrayList<>();
        for (CursorFile.Content each : cursors) {
            all.add(
                    new TopicDirectory.Content(
                            CursorFile.of(each.name()),
                            CursorFile.MAGIC,
                            CursorFile.versionOf(each),
                            CursorFile.encode(each)));
        }
        return directory.writeAll(all, forces);
    }

    /** Returns the file of a cursor. */
    public Path fileOf(String name) {
        return directory.fileOf(CursorFile.of(name));
    }

    public void delete(String name) throws IOException {
        directory.deleteDurably(CursorFile.of(name));
    }
}
