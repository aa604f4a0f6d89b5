package io.firn.backup;

import io.firn.medium.FileErrors.DamagedFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A partition in a backup.
 *
 * @param index its number
 * @param start the log start offset
 * @param end the offset after the last record
 * @param segments in the order of their offsets
 */
record SavedPartition(int index, long start, long end, List<SavedSegment> segments) {
    private static final String PARTITION = "partition ";

    void encode(StringBuilder text) {
        text.append(PARTITION).append(index).append(' ').append(start);
        text.append(' ').append(end).append('\n');
        segments.forEach(segment -> text.append(segment.encode()).append('\n'));
    }

    static boolean isBegunBy(String line) {
        return line.startsWith(PARTITION);
    }

    /** Reads the first line of a partition, whose segments follow. */
    static SavedPartition begin(Path file, String line) throws DamagedFileException {
        String[] fields = line.split(" ");
        try {
            return new SavedPartition(
                    Integer.parseInt(fields[1]),
                    Long.parseLong(fields[2]),
                    Long.parseLong(fields[3]),
                    new ArrayList<>());
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            throw new DamagedFileException(file + " is damaged: '" + line + "' is no partition");
        }
    }
}
