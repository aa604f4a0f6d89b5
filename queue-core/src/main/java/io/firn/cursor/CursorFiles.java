package io.firn.cursor;

import io.firn.background.ParallelSteps;
import io.firn.medium.Fields;
import io.firn.medium.FileErrors.DamagedFileException;
import io.firn.medium.FileErrors.UnsupportedVersionException;
import io.firn.medium.SmallFile;
import io.firn.metadata.TopicDirectory;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The files of a topic's cursors, {@code cursor-NAME}: the offsets by partition; −1 where the
 * position was lost with a damaged file and was not set again. If transactions have moved the
 * cursor, the file also has the number of the last decision that moved it in each partition.
 * Version 2, which is written only then, has offsets outside the log that were committed beside the
 * positions. Thread-safe.
 */
final class CursorFiles {
    static final int MAX_NAME = 120;
    private static final String MAGIC = "cursor";
    private static final int NEWEST_VERSION = 2;
    private static final String PREFIX = MAGIC + "-";
    // File systems allow 255 bytes, and the temporary name of the file is longer.
    private static final int MAX_FILE_NAME = 240;
    private static final String DECISION = "decision-";
    private static final String OUTSIDE = "outside-";

    private final TopicDirectory directory;

    CursorFiles(TopicDirectory directory) {
        this.directory = directory;
    }

    /**
     * What a cursor's file contains.
     *
     * @param offsets by partition
     * @param outside by partition, an offset outside the log that was committed last
     * @param decisions by partition, the number of the last decision that moved the cursor (O13)
     */
    record Content(
            String name,
            Map<Integer, Long> offsets,
            Map<Integer, Long> outside,
            Map<Integer, Long> decisions) {}

    /** Returns the names of the cursors that have a file. */
    List<String> names() throws IOException {
        List<String> names = new ArrayList<>();
        for (String file : directory.names()) {
            String name = nameIn(file);
            if (name != null) {
                names.add(name);
            } else if (looksLikeOne(file)) {
                directory.addFinding(
                        file,
                        directory.fileOf(file)
                                + " is not a cursor's file: it is ignored; remove it");
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
    Content read(String name) throws IOException {
        if (!isOwn(name)) {
            return null;
        }
        try {
            Fields fields = directory.read(nameOf(name), MAGIC, NEWEST_VERSION);
            return fields == null ? null : decode(name, fields);
        } catch (DamagedFileException | UnsupportedVersionException e) {
            directory.addFinding(nameOf(name), e.getMessage());
            throw e;
        }
    }

    /**
     * Writes cursors together, each into its file.
     *
     * @return by index why a cursor was not written; null for one that is durable
     * @throws IOException when each of them may have been written or not
     */
    IOException[] write(List<Content> cursors, ParallelSteps forces) throws IOException {
        List<TopicDirectory.Content> all = new ArrayList<>();
        for (Content each : cursors) {
            all.add(fileOf(each));
        }
        return directory.writeAll(all, forces);
    }

    /** Returns the file that a cursor has. */
    TopicDirectory.Content fileOf(Content cursor) {
        return new TopicDirectory.Content(
                nameOf(cursor.name()), MAGIC, versionOf(cursor), encode(cursor));
    }

    /** Returns the bytes of a file. */
    byte[] bytesOf(TopicDirectory.Content file) throws IOException {
        return SmallFile.content(
                directory.fileOf(file.name()), file.magic(), file.version(), file.values());
    }

    /** Returns whether a file of a topic is a cursor's. */
    static boolean isOne(String file) {
        return looksLikeOne(file);
    }

    /** Returns the file of a cursor. */
    Path fileOf(String name) {
        return directory.fileOf(nameOf(name));
    }

    void delete(String name) throws IOException {
        if (isOwn(name)) {
            directory.deleteDurably(nameOf(name));
        }
    }

    /** Where names are not kept apart, what is found by the name may be another cursor's file. */
    private boolean isOwn(String name) throws IOException {
        return directory.hasExactNames() || directory.names().contains(nameOf(name));
    }

    /** Returns whether two cursors would have one file where names are not kept apart. */
    static boolean shareFile(String one, String other) {
        return nameOf(one).equalsIgnoreCase(nameOf(other));
    }

    // ---- the name

    /** Returns whether a cursor can have this name. */
    static boolean isName(String name) {
        return !name.isEmpty()
                && name.length() <= MAX_NAME
                && StandardCharsets.UTF_8.newEncoder().canEncode(name)
                && nameOf(name).length() <= MAX_FILE_NAME;
    }

    /** Returns the name of a cursor's file. */
    private static String nameOf(String cursor) {
        return PREFIX + URLEncoder.encode(cursor, StandardCharsets.UTF_8).replace("*", "%2A");
    }

    /** Returns whether it is named like the files of cursors. */
    private static boolean looksLikeOne(String file) {
        return file.startsWith(PREFIX);
    }

    /** Returns the name of the cursor whose file this is; null when it is no cursor's. */
    private static String nameIn(String file) {
        if (!looksLikeOne(file)) {
            return null;
        }
        String name;
        try {
            name = URLDecoder.decode(file.substring(PREFIX.length()), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return null;
        }
        return isName(name) && nameOf(name).equals(file) ? name : null;
    }

    // ---- the content

    /** Returns the version of the format, which is the oldest that can say what is in it. */
    private static int versionOf(Content content) {
        return content.outside().isEmpty() ? 1 : NEWEST_VERSION;
    }

    private static Map<String, String> encode(Content content) {
        Map<String, String> values = new TreeMap<>();
        content.offsets()
                .forEach(
                        (partition, offset) -> values.put(partition.toString(), offset.toString()));
        content.outside()
                .forEach((partition, offset) -> values.put(OUTSIDE + partition, "" + offset));
        content.decisions()
                .forEach((partition, number) -> values.put(DECISION + partition, "" + number));
        return values;
    }

    private static Content decode(String name, Fields fields) throws DamagedFileException {
        Map<Integer, Long> offsets = new TreeMap<>();
        for (String key : fields.keys()) {
            if (!key.startsWith(DECISION) && !key.startsWith(OUTSIDE)) {
                offsets.put(partitionIn(fields, key), fields.number(key, -1, Fields.MOST));
            }
        }
        return new Content(
                name,
                offsets,
                decode(fields.below(OUTSIDE), Long.MIN_VALUE, Long.MAX_VALUE),
                decode(fields.below(DECISION), -1, Fields.MOST));
    }

    private static Map<Integer, Long> decode(Fields fields, long least, long most)
            throws DamagedFileException {
        Map<Integer, Long> numbers = new TreeMap<>();
        for (String key : fields.keys()) {
            numbers.put(partitionIn(fields, key), fields.number(key, least, most));
        }
        return numbers;
    }

    private static int partitionIn(Fields fields, String key) throws DamagedFileException {
        return (int) fields.numberIn(key, 0, Integer.MAX_VALUE);
    }
}
