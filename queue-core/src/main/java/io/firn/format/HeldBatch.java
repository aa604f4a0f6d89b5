package io.firn.format;

import java.io.OutputStream;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Computes size and CRC of a batch that is being made, and holds its records if they are few enough
 * bytes. Otherwise they have to be made once more. Not thread-safe.
 */
final class HeldBatch extends OutputStream {
    /** The most bytes that are held. */
    static final int MOST = 512 << 10;

    private static final int FEW = 8 << 10;

    private final CRC32C crc = new CRC32C();
    private byte[] bytes = new byte[FEW];
    private long size;

    /** Begins a batch with a header of which all is final but length and CRC. */
    void begin(byte[] header) {
        size = 0;
        crc.reset();
        crc.update(header, BatchFormat.ATTRIBUTES, header.length - BatchFormat.ATTRIBUTES);
    }

    @Override
    public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] source, int from, int length) {
        crc.update(source, from, length);
        if (size + length <= MOST) {
            int end = (int) size + length;
            if (end > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.min(MOST, Math.max(end, 2 * bytes.length)));
            }
            System.arraycopy(source, from, bytes, (int) size, length);
        }
        size += length;
    }

    /** Returns the bytes of the records. */
    long size() {
        return size;
    }

    /** Returns the CRC of the batch. */
    int crc() {
        return (int) crc.getValue();
    }

    /** Returns whether all bytes are held. */
    boolean isHeld() {
        return size <= MOST;
    }

    /** Returns the bytes, if they are held. */
    byte[] bytes() {
        return bytes;
    }
}
