package io.firn.metadata;

import io.firn.background.SideBySide;
import io.firn.medium.DamagedFileException;
import io.firn.medium.Fields;
import io.firn.medium.SmallFile;
import io.firn.medium.UnsupportedVersionException;
import io.firn.medium.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The files of a topic's cursors, {@code cursor-NAME}: see {@link CursorFile}. Thread-safe. */
public final class CursorFiles {
    private final TopicFiles files;

    CursorFiles(TopicFiles files) {
        this.files = files;
    }

    /** Returns the names of the cursors that have a file. */
    public List<String> names() throws IOException {
        List<String> names = new ArrayList<>();
        for (String file : files.parts()) {
            String name = CursorFile.nameIn(file);
            if (name != null) {
                names.add(name);
            } else if (CursorFile.looksLikeOne(file)) {
                files.findings().add(files.resolve(file) + " is not a cursor's file");
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
            Path file = fileOf(name);
            Fields fields =
                    Fields.read(files.medium(), file, CursorFile.MAGIC, CursorFile.NEWEST_VERSION);
            return fields == null ? null : CursorFile.decode(name, fields);
        } catch (DamagedFileException | UnsupportedVersionException e) {
            files.findings().add(e.getMessage());
            throw e;
        }
    }

    /**
     * Writes cursors together, each into its file.
     *
     * @return by index why a cursor was not written; null for one that is durable
     * @throws IOException when each of them may have been written or not
     */
    public IOException[] write(List<CursorFile.Content> cursors, SideBySide forces)
            throws IOException {
        List<WholeFile.Replacement> all = new ArrayList<>();
        for (CursorFile.Content each : cursors) {
            Path file = fileOf(each.name());
            Map<String, String> values = CursorFile.encode(each);
            int version = CursorFile.versionOf(each);
            byte[] content = SmallFile.content(file, CursorFile.MAGIC, version, values);
            all.add(new WholeFile.Replacement(file, content));
        }
        IOException[][] failures = new IOException[1][];
        files.changePart(() -> failures[0] = WholeFile.writeAll(files.medium(), all, forces::run));
        return failures[0];
    }

    /** Returns the file of a cursor. */
    public Path fileOf(String name) {
        return files.resolve(CursorFile.of(name));
    }

    public void delete(String name) throws IOException {
        files.changePart(() -> files.deletePart(CursorFile.of(name)));
    }
}
