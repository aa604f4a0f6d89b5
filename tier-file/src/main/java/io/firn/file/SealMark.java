package io.firn.file;

import io.firn.medium.FileErrors.UnsupportedVersionException;
import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.medium.WholeFile;
import io.firn.spi.Block.Sidecar;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import io.firn.spi.MarkFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * That a segment is sealed, and where it ends: in a slot of its {@link MarkPages} first, and then
 * in {@code BASE.mark}. That file is replaced as a whole ({@link WholeFile}), so one slot is
 * enough.
 *
 * <pre>
 *  0                                n             n + 8 n + 12         n + 20
 *  | mark, as MarkFormat has it     | file epoch  | crc | maxTimestamp | crc |
 *  n + 24          n + 28            n + 32
 *  | crc of .index | crc of .timeindex | crc |
 * </pre>
 *
 * <p>{@code n} is 84 or 108, depending on the version of the mark. The fields from {@code n + 12}
 * or from {@code n + 24} on are missing when an older Firn wrote it, and the latter in a mark page.
 * If they are missing or damaged, nothing is known of the timestamps or of the sidecars.
 *
 * <p>The file epoch is the epoch in the segment's hidden name. It shows which hidden file is sealed
 * after a crash between seal and rename; the epoch in the mark may be a later one. Each CRC32C
 * covers everything before it, those of sidecars their files. All numbers are big-endian.
 *
 * @param mark in state SEALED
 * @param fileEpoch the epoch in the name of the hidden file; −1 when it is not known
 * @param sidecars the checksums of the sidecars; null when they are not known
 */
record SealMark(Mark mark, long fileEpoch, SidecarSums sidecars) {
    private static final int REST = Long.BYTES + Integer.BYTES;
    private static final int TIMESTAMP_REST = Long.BYTES + Integer.BYTES;
    private static final int SIDECAR_REST = 3 * Integer.BYTES;
    static final int MAX_LENGTH = MarkFormat.LENGTH + REST + TIMESTAMP_REST + SIDECAR_REST;

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
        return decode(bytes, length);
    }

    /**
     * Decodes a seal.
     *
     * @param length the bytes that were read
     * @return null when it is damaged, or its state is not SEALED
     * @throws UnsupportedVersionException when a newer Firn wrote it
     */
    static SealMark decode(byte[] bytes, int length) throws UnsupportedVersionException {
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
        int sumsAt = limitAt + TIMESTAMP_REST;
        boolean hasSums = hasLimit && isIntact(bytes, length, sumsAt + SIDECAR_REST);
        SidecarSums sums =
                hasSums
                        ? new SidecarSums(
                                buffer.getInt(sumsAt), buffer.getInt(sumsAt + Integer.BYTES))
                        : null;
        return new SealMark(mark.withMaxTimestamp(limit), buffer.getLong(epochAt), sums);
    }

    /** Returns whether there are so many bytes, of which the last are the CRC of the others. */
    private static boolean isIntact(byte[] bytes, int length, int end) {
        int at = end - Integer.BYTES;
        return length >= end && ByteBuffer.wrap(bytes).getInt(at) == crc(bytes, at);
    }

    /** Replaces the mark file, durably on return. */
    void write(FileMedium medium, Path file) throws IOException {
        WholeFile.write(medium, file, encode());
    }

    /**
     * Makes the mark file, whose directory the caller forces. What it contains while that is done
     * does not matter, because the mark pages say the same.
     */
    void create(FileMedium medium, Path file) throws IOException {
        medium.delete(file); // of an earlier attempt
        byte[] bytes = encode();
        try (MediumFile out = medium.create(file)) {
            out.write(0, bytes, 0, bytes.length);
            out.force(); // before the mark pages are cut off
        }
    }

    /** Replaces the mark file, whose directory the caller forces. */
    void replace(FileMedium medium, Path file) throws IOException {
        WholeFile.replace(medium, file, encode());
    }

    byte[] encode() {
        byte[] marked = MarkFormat.encode(mark);
        int rest = REST + TIMESTAMP_REST + (sidecars == null ? 0 : SIDECAR_REST);
        ByteBuffer buffer = ByteBuffer.allocate(marked.length + rest);
        buffer.put(marked).putLong(fileEpoch);
        buffer.putInt(crc(buffer.array(), buffer.position()));
        buffer.putLong(mark.maxTimestamp());
        buffer.putInt(crc(buffer.array(), buffer.position()));
        if (sidecars != null) {
            buffer.putInt(sidecars.index()).putInt(sidecars.timeIndex());
            buffer.putInt(crc(buffer.array(), buffer.position()));
        }
        return buffer.array();
    }

    /** The CRC32C of each sidecar: they are not forced, so a power failure may damage them. */
    record SidecarSums(int index, int timeIndex) {
        static SidecarSums of(byte[] index, byte[] timeIndex) {
            return new SidecarSums(crc(index, index.length), crc(timeIndex, timeIndex.length));
        }

        boolean match(Sidecar kind, byte[] bytes) {
            return equals(with(kind, bytes));
        }

        SidecarSums with(Sidecar kind, byte[] bytes) {
            int sum = crc(bytes, bytes.length);
            return switch (kind) {
                case INDEX -> new SidecarSums(sum, timeIndex);
                case TIMEINDEX -> new SidecarSums(index, sum);
            };
        }
    }

    private static int crc(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }
}
