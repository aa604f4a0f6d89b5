package io.firn.file;

import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.medium.UnsupportedVersionException;
import io.firn.spi.Mark;
import io.firn.spi.MarkFormat;
import io.firn.spi.SegmentState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * The file {@code BASE.mark}: that a segment is sealed, and where it ends. It is replaced as a
 * whole, so one slot is enough.
 *
 * <pre>
 *  0                                84            92
 *  | mark, as MarkFormat has it     | file epoch  | crc |
 * </pre>
 *
 * The file epoch is the one in the name of the file while it was active, by which a crash between
 * seal and rename is put right; the epoch in the mark may be a later one. The CRC32C covers bytes 0
 * to 91. All numbers are big-endian.
 *
 * @param mark in state SEALED
 * @param fileEpoch the epoch in the name of the hidden file; −1 when that is not known
 */
record SealMark(Mark mark, long fileEpoch) {
    private static final int FILE_EPOCH = MarkFormat.LENGTH;
    private static final int CRC = FILE_EPOCH + Long.BYTES;
    private static final int LENGTH = CRC + Integer.BYTES;

    /**
     * Reads a mark file.
     *
     * @return null when it is not there, is damaged, or says anything but SEALED
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

    /** Sets room aside for a mark file, when that is still to be done. */
    static void reserve(FileMedium medium, Path room) throws IOException {
        if (!medium.exists(room)) {
            try (MediumFile out = medium.create(room)) {
                out.write(0, new byte[LENGTH], 0, LENGTH);
                out.force();
            }
        }
    }

    /**
     * Replaces the mark file, durably on return.
     *
     * @param room becomes the mark file, when it was reserved
     */
    void write(FileMedium medium, Path file, Path room) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(LENGTH);
        buffer.put(MarkFormat.encode(mark)).putLong(fileEpoch);
        buffer.putInt(crc(buffer.array()));
        if (medium.exists(room)) {
            try (MediumFile out = medium.open(room, true)) {
                out.write(0, buffer.array(), 0, LENGTH);
                // Before the rename, as in WholeFile.
                out.force();
            }
            medium.rename(room, file);
        } else {
            WholeFile.replace(medium, file, buffer.array(), true);
        }
        medium.forceDirectory(file.getParent());
    }

    private static int crc(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, CRC);
        return (int) crc.getValue();
    }
}
