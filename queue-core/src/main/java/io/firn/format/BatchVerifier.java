package io.firn.format;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Checks whether a batch in log memory is whole and in its place. Bytes are copied to an array
 * before the CRC is computed (O10): if a mapping faults, the CRC's intrinsic kills the JVM, whereas
 * a copy throws. Not thread-safe.
 */
public final class BatchVerifier {
    private static final int CHUNK = 16 * 1024;
    private static final int LEAST_CHUNK = 64;
    private static final int LINE = 64;
    private static final int PAGE = 4096;

    private static final byte[] NOTHING = new byte[0];

    private final CRC32C crc = new CRC32C();

    /** As large as was needed so far: many verifiers look at headers and markers only. */
    private byte[] chunk = NOTHING;

    /** Keeps loads whose value is of no use. */
    @SuppressWarnings("UnusedVariable")
    private int sink;

    private String reason = "";

    /** Returns why the last check failed. */
    public String reason() {
        return reason;
    }

    /**
     * Checks a header: plausible length, magic, the offset that must come next, and the last
     * offset.
     *
     * @param end where valid bytes end
     * @return the batch's size, or −1
     */
    public int checkHeader(ByteBuffer memory, int position, int end, long expectedOffset) {
        if (end - position < BatchFormat.HEADER_LENGTH) {
            reason = "no room for a batch header";
            return -1;
        }
        int length = memory.getInt(position + BatchFormat.LENGTH);
        if (length < BatchFormat.HEADER_LENGTH - BatchFormat.LENGTH_OVERHEAD
                || length > end - position - BatchFormat.LENGTH_OVERHEAD) {
            reason = "length";
            return -1;
        }
        if (memory.get(position + BatchFormat.MAGIC) != BatchFormat.MAGIC_2) {
            reason = "magic";
            return -1;
        }
        if (memory.getLong(position) != expectedOffset) {
            reason = "base offset";
            return -1;
        }
        if (memory.getInt(position + BatchFormat.LAST_OFFSET_DELTA) < 0) {
            reason = "last offset";
            return -1;
        }
        return length + BatchFormat.LENGTH_OVERHEAD;
    }

    /**
     * Checks a header and the CRC.
     *
     * @return the batch's size, or −1
     */
    public int check(ByteBuffer memory, int position, int end, long expectedOffset) {
        int size = checkHeader(memory, position, end, expectedOffset);
        return size < 0 || !checkCrc(memory, position, size) ? -1 : size;
    }

    /** Checks the CRC of a batch whose header was checked. */
    public boolean checkCrc(ByteBuffer memory, int position, int size) {
        touch(memory, position, size);
        if (!hasCrcOf(memory, position, position + size)) {
            reason = "CRC";
            return false;
        }
        return true;
    }

    /**
     * Returns whether the CRC of the batch at a position is the CRC of its bytes up to an end,
     * whatever its length says.
     */
    public boolean hasCrcOf(ByteBuffer memory, int position, int end) {
        crc.reset();
        return completes(memory, position, position + BatchFormat.ATTRIBUTES, end);
    }

    /** As {@link #hasCrcOf(ByteBuffer, int, int)}, with another last offset than is stored. */
    public boolean hasCrcOf(ByteBuffer memory, int position, int end, int lastOffsetDelta) {
        crc.reset();
        crc.update(memory.get(position + BatchFormat.ATTRIBUTES));
        crc.update(memory.get(position + BatchFormat.ATTRIBUTES + 1));
        for (int shift = Integer.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
            crc.update(lastOffsetDelta >>> shift);
        }
        return completes(memory, position, position + BatchFormat.BASE_TIMESTAMP, end);
    }

    private boolean completes(ByteBuffer memory, int position, int from, int end) {
        int at = from;
        int left = end - from;
        if (left > chunk.length && chunk.length < CHUNK) {
            chunk = new byte[chunkFor(left)];
        }
        while (left > 0) {
            int n = Math.min(left, chunk.length);
            memory.get(at, chunk, 0, n);
            crc.update(chunk, 0, n);
            at += n;
            left -= n;
        }
        return (int) crc.getValue() == memory.getInt(position + BatchFormat.CRC);
    }

    /** Returns a power of two, so that batches that grow a little need no larger one each. */
    private static int chunkFor(int bytes) {
        int most = Math.min(bytes, CHUNK);
        return Math.max(LEAST_CHUNK, Integer.highestOneBit(2 * most - 1));
    }

    /**
     * Loads one byte of each cache line, so that the lines are loaded in parallel. This halves the
     * cost of reading batches that another core has just written.
     */
    private void touch(ByteBuffer memory, int position, int size) {
        int sum = 0;
        int end = position + Math.min(size, CHUNK);
        for (int at = position; at < end; at += LINE) {
            sum += memory.get(at);
        }
        sink = sum;
    }

    /**
     * Loads one byte of each further page of a batch that needs no check: where a page is gone, the
     * fault comes here, before anything is handed out, as far as the JVM reports it at once.
     */
    public void touchPages(ByteBuffer memory, int position, int end) {
        int sum = 0;
        for (int at = (position | (PAGE - 1)) + 1; at > 0 && at < end; at += PAGE) {
            sum += memory.get(at);
        }
        sink = sum;
    }
}
