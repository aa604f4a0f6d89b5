package io.firn.backup;

import io.firn.medium.FileErrors.DamagedFileException;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.UUID;

/**
 * A segment in a backup. Two segments of a partition whose names have the same {@link #key} have
 * the same bytes: an epoch is used for one segment, to which batches are only added, and a
 * generation of it is made once.
 *
 * @param mark the mark that it has when it is restored as a whole
 * @param crc the CRC-32C of its bytes
 */
record SavedSegment(Mark mark, int crc) {
    private static final String SUFFIX = ".log";
    private static final int FIELDS = 9;

    int length() {
        return mark.position();
    }

    /** Returns what the name of the file of a segment begins with: everything but the checksum. */
    static String key(Mark mark) {
        return String.format(
                "%020d-%d-%s-%d-",
                mark.baseOffset(),
                mark.generation(),
                HexFormat.of().toHexDigits(mark.epoch()),
                mark.position());
    }

    String fileName() {
        return key(mark) + HexFormat.of().toHexDigits(crc) + SUFFIX;
    }

    /** Returns the checksum in the name of a file that begins with a key; null in another name. */
    static Integer crcIn(String name, String key) {
        int at = key.length();
        if (!name.startsWith(key) || name.length() != at + 8 + SUFFIX.length()) {
            return null;
        }
        try {
            return HexFormat.fromHexDigits(name, at, at + 8);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Returns the mark of what is restored of it. */
    static Mark cut(Mark mark, int position, long offset) {
        return mark.sealed(mark.epoch(), mark.baseOffset(), position, offset, mark.timeMs());
    }

    String encode() {
        return mark.partition()
                + " "
                + mark.baseOffset()
                + " "
                + mark.offset()
                + " "
                + mark.position()
                + " "
                + mark.epoch()
                + " "
                + mark.timeMs()
                + " "
                + mark.generation()
                + " "
                + mark.compactedTo()
                + " "
                + crc;
    }

    static SavedSegment decode(Path file, UUID topicId, String line) throws DamagedFileException {
        String[] fields = line.split(" ");
        try {
            if (fields.length == FIELDS) {
                return new SavedSegment(decode(topicId, fields), Integer.parseInt(fields[8]));
            }
        } catch (NumberFormatException e) {
            // as below
        }
        throw new DamagedFileException(file + " is damaged: '" + line + "' is no segment");
    }

    private static Mark decode(UUID topicId, String[] fields) {
        return new Mark(
                SegmentState.SEALED,
                topicId,
                Integer.parseInt(fields[0]),
                Long.parseLong(fields[4]),
                Long.parseLong(fields[1]),
                Integer.parseInt(fields[3]),
                Long.parseLong(fields[2]),
                Long.parseLong(fields[5]),
                0,
                Integer.parseInt(fields[6]),
                Long.parseLong(fields[7]));
    }
}
