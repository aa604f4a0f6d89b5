package io.firn.file;

import io.firn.medium.FileErrors.UnsupportedVersionException;
import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.medium.WholeFile;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import io.firn.spi.MarkFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The content of {@code BASE.mark}: that a segment is sealed, and where it ends. The file is
 * replaced as a whole ({@link WholeFile}), so one slot is enough.
 *
 * <pre>
 *  0                                n             n + 8 n + 12         n + 20
 *  | mark, as MarkFormat has it     | file epoch  | crc | maxTimestamp | crc |
 * </pre>
 *
 * <p>{@code n} is 84 or 108, depending on the version of the mark. The last two fields are missing
 * when an older Firn wrote the file. If they are missing or damaged, nothing is known of the
 * timestamps.
 *
 * <p>The file epoch is the epoch in the segment's hidden name. It shows which hidden file is sealed
 * after a crash between seal and rename; the epoch in the mark may be a later one. Each CRC32C
 * covers everything before it. All numbers are big-endian.
 *
 * @param mark in state SEALED
 * @param fileEpoch the epoch in the name of the hidden file; −1 when it is not known
 */
record SealMark(Mark mark, long fileEpoch) {
    private static final int REST = Long.BYTES + Integer.BYTES;
    private static final int TIMESTAMP_REST = Long.BYTES + Integer.BYTES;
    static final int MAX_LENGTH = MarkFormat.LENGTH + REST + TIMESTAMP_REST;

    /** The length of a new segment's mark file. */
    private static final int RESERVED_LENGTH =
            MarkFormat.lengthOf(Mark.reserved(new UUID(0, 0), 0, 0)) + REST + TIMESTAMP_REST;

    /**
     * Reads a mark file.
     *
     * @return null when the file does not exist, is damaged, or its state is not SEALED
     * @throws UnsupportedVersionException when a newer Firn wrote it
     */
    static SealMark read(FileMedium medium, Path file) throws IOException {
        byte[] bytes = new byte[MAX_LENGTH];
        int length;
        try (MediumFile in = medium.open(file, false)) {
            length = in.read(0, bytes, 0, MAX_LENGTH);
        } catch (NoSuchFileException e) {
            return null;
        }
        Mark mark = MarkFormat.decode(bytes, 0);
        if (mark == null || mark.state() != SegmentState.SEALED) {
            return null;
        }
        int epochAt = MarkFormat.lengthOf(mark);
        int limitAt = epochAt + REST;
        if (!isIntact(bytes, length, limitAt)) {
            return null;
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        boolean hasLimit = isIntact(bytes, length, limitAt + TIMESTAMP_REST);
        long limit = hasLimit ? buffer.getLong(limitAt) : Mark.UNKNOWN_TIMESTAMP;
        return new SealMark(mark.withMaxTimestamp(limit), buffer.getLong(epochAt));
    }

    /** Returns whether there are so many bytes, of which the last are the CRC of the others. */
    private static boolean isIntact(byte[] bytes, int length, int end) {
        int at = end - Integer.BYTES;
        return length >= end && ByteBuffer.wrap(bytes).getInt(at) == crc(bytes, at);
    }

    /** Reserves the space of a mark file, unless that has been done. */
    static void reserve(FileMedium medium, Path reserved) throws IOException {
        if (!medium.exists(reserved)) {
            try (MediumFile out = medium.create(reserved)) {
                out.write(0, new byte[RESERVED_LENGTH], 0, RESERVED_LENGTH);
                out.force();
            }
        }
    }

    /**
     * Replaces the mark file, durably on return.
     *
     * @param reserved becomes the mark file if its space was reserved
     */
    void write(FileMedium medium, Path file, Path reserved) throws IOException {
        if (medium.exists(reserved)) {
            WholeFile.write(medium, file, encode(), reserved);
        } else {
            WholeFile.write(medium, file, encode());
        }
    }

    /** Replaces the mark file, whose directory the caller forces. */
    void replace(FileMedium medium, Path file) throws IOException {
        WholeFile.replace(medium, file, encode());
    }

    private byte[] encode() {
        byte[] marked = MarkFormat.encode(mark);
        ByteBuffer buffer = ByteBuffer.allocate(marked.length + REST + TIMESTAMP_REST);
        buffer.put(marked).putLong(fileEpoch);
        buffer.putInt(crc(buffer.array(), buffer.position()));
        buffer.putLong(mark.maxTimestamp());
        buffer.putInt(crc(buffer.array(), buffer.position()));
        return buffer.array();
    }

    private static int crc(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }
}
