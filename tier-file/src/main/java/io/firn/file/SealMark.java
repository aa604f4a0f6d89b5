package io.firn.file;

import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.medium.UnsupportedVersionException;
import io.firn.medium.WholeFile;
import io.firn.spi.Mark;
import io.firn.spi.MarkFormat;
import io.firn.spi.SegmentState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * The content of {@code BASE.mark}: that a segment is sealed, and where it ends. The file is
 * replaced as a whole ({@link WholeFile}), so one slot is enough.
 *
 * <pre>
 *  0                                84            92
 *  | mark, as MarkFormat has it     | file epoch  | crc |
 * </pre>
 *
 * The file epoch is the epoch in the segment's hidden name. It shows which hidden file is sealed
 * after a crash between seal and rename; the epoch in the mark may be a later one. The CRC32C
 * covers bytes 0 to 91. All numbers are big-endian.
 *
 * @param mark in state SEALED
 * @param fileEpoch the epoch in the name of the hidden file; −1 when it is not known
 */
record SealMark(Mark mark, long fileEpoch) {
    private static final int FILE_EPOCH = MarkFormat.LENGTH;
    private static final int CRC = FILE_EPOCH + Long.BYTES;
    private static final int LENGTH = CRC + Integer.BYTES;

    /**
     * Reads a mark file.
     *
     * @return null when the file does not exist, is damaged, or its state is not SEALED
     * @throws UnsupportedVersionException when a newer Firn wrote it
     */
    static SealMark read(FileMedium medium, Path file) throws IOException {
        byte[] bytes = new byte[LENGTH];
        try (MediumFile in = medium.open(file, false)) {
            if (in.read(0, bytes, 0, LENGTH) != LENGTH) {
                return null;
            }
        } catch (NoSuchFileException e) {
            return null;
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        Mark mark = MarkFormat.decode(bytes, 0);
        boolean whole = buffer.getInt(CRC) == crc(bytes);
        return whole && mark != null && mark.state() == SegmentState.SEALED
                ? new SealMark(mark, buffer.getLong(FILE_EPOCH))
                : null;
    }

    /** Reserves the space of a mark file, unless that has been done. */
    static void reserve(FileMedium medium, Path reserved) throws IOException {
        if (!medium.exists(reserved)) {
            try (MediumFile out = medium.create(reserved)) {
                out.write(0, new byte[LENGTH], 0, LENGTH);
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
        ByteBuffer buffer = ByteBuffer.allocate(LENGTH);
        buffer.put(MarkFormat.encode(mark)).putLong(fileEpoch);
        buffer.putInt(crc(buffer.array()));
        if (medium.exists(reserved)) {
            WholeFile.write(medium, file, buffer.array(), reserved);
        } else {
            WholeFile.write(medium, file, buffer.array());
        }
    }

    private static int crc(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, CRC);
        return (int) crc.getValue();
    }
}
