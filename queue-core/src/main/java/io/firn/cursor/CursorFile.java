package io.firn.cursor;

import io.firn.medium.DamagedFileException;
import io.firn.medium.Fields;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * The name and the content of a cursor's file: its offsets by partition; −1 where the position was
 * lost with a damaged file and was not set again. If transactions have moved the cursor, it also
 * has the number of the last decision that moved it in each partition. Version 2, which is written
 * only then, has offsets outside the log that were committed beside the positions.
 */
public final class CursorFile {
    public static final int MAX_NAME = 120;
    static final String MAGIC = "cursor";
    static final int NEWEST_VERSION = 2;
    private static final String PREFIX = MAGIC + "-";
    // File systems allow 255 bytes, and the temporary name of the file is longer.
    private static final int MAX_FILE_NAME = 240;

    private CursorFile() {}

    private static final String DECISION = "decision-";
    private static final String OUTSIDE = "outside-";

    /**
     * What a cursor's file contains.
     *
     * @param offsets by partition
     * @param outside by partition, an offset outside the log that was committed last
     * @param decisions by partition, the number of the last decision that moved the cursor (O13)
     */
    public record Content(
            String name,
            Map<Integer, Long> offsets,
            Map<Integer, Long> outside,
            Map<Integer, Long> decisions) {}

    /** Returns whether a cursor can have this name. */
    public static boolean isName(String name) {
        return !name.isEmpty()
                && name.length() <= MAX_NAME
                && StandardCharsets.UTF_8.newEncoder().canEncode(name)
                && of(name).length() <= MAX_FILE_NAME;
    }

    /** Returns the name of a cursor's file. */
    static String of(String name) {
        return PREFIX + URLEncoder.encode(name, StandardCharsets.UTF_8).replace("*", "%2A");
    }

    /** Returns whether it is named like the files of cursors. */
    static boolean looksLikeOne(String file) {
        return file.startsWith(PREFIX);
    }

    /** Returns the name of the cursor whose file this is; null when it is no cursor's. */
    static String nameIn(String file) {
        if (!looksLikeOne(file)) {
            return null;
        }
        String name;
        try {
            name = URLDecoder.decode(file.substring(PREFIX.length()), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return null;
        }
        return isName(name) && of(name).equals(file) ? name : null;
    }

    /** Returns the version of the format, which is the oldest that can say what is in it. */
    static int versionOf(Content content) {
        return content.outside().isEmpty() ? 1 : NEWEST_VERSION;
    }

    static Map<String, String> encode(Content content) {
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

    static Content decode(String name, Fields fields) throws DamagedFileException {
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
