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
 *  0                                n             n + 8
 *  | mark, as MarkFormat has it     | file epoch  | crc |
 * </pre>
 *
 * <p>{@code n} is 84 or 108, depending on the version of the mark.
 *
 * <p>The file epoch is the epoch in the segment's hidden name. It shows which hidden file is sealed
 * after a crash between seal and rename; the epoch in the mark may be a later one. The CRC32C
 * covers everything before it. All numbers are big-endian.
 *
 * @param mark in state SEALED
 * @param fileEpoch the epoch in the name of the hidden file; −1 when it is not known
 */
record SealMark(Mark mark, long fileEpoch) {
    private static final int REST = Long.BYTES + Integer.BYTES;
    static final int MAX_LENGTH = MarkFormat.LENGTH + REST;

    /** The length of a new segment's mark file. */
    private static final int RESERVED_LENGTH =
            MarkFormat.lengthOf(Mark.reserved(new UUID(0, 0), 0, 0)) + REST;

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
        int at = MarkFormat.lengthOf(mark);
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return length >= at + REST && buffer.getInt(at + Long.BYTES) == crc(bytes, at)
                ? new SealMark(mark, buffer.getLong(at))
                : null;
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
        int length = MarkFormat.lengthOf(mark);
        ByteBuffer buffer = ByteBuffer.allocate(length + REST);
        buffer.put(MarkFormat.encode(mark)).putLong(fileEpoch);
        buffer.putInt(crc(buffer.array(), length));
        return buffer.array();
    }

    private static int crc(byte[] bytes, int markLength) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, markLength + Long.BYTES);
        return (int) crc.getValue();
    }
}
