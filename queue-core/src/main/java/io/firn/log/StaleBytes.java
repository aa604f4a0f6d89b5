package io.firn.log;

import io.firn.spi.Block;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Erases what an earlier use has left in a block. Where batches have the epoch of their writer's
 * term, stale ones are never taken for new ones. In a replica the epochs are another log's, and
 * nothing tells a stale batch from a new one. So nothing stale may be where batches will be written
 * (O27).
 */
public final class StaleBytes {
    private static final int CHUNK = 64 * 1024;
    private static final int PAGE = 4096;

    private StaleBytes() {}

    /**
     * Overwrites what is not zero; durable on return. Bytes are read and written by calls, since a
     * load or a store through a mapping may take space (O17). What has space for other bytes has
     * space for zeros.
     */
    public static void erase(Block block, int from, int to) throws IOException {
        byte[] bytes = new byte[CHUNK];
        ByteBuffer zeros = ByteBuffer.allocate(PAGE);
        int first = -1;
        int last = -1;
        for (int at = from, n; at < to; at += n) {
            n = block.read(at, bytes, 0, Math.min(CHUNK - at % PAGE, to - at));
            if (n <= 0) {
                break;
            }
            for (int i = 0, length; i < n; i += length) {
                length = Math.min(PAGE - (at + i) % PAGE, n - i);
                if (!isZero(bytes, i, i + length)) {
                    block.write(at + i, zeros.clear().limit(length));
                    first = first < 0 ? at + i : first;
                    last = at + i + length;
                }
            }
        }
        if (first >= 0) {
            block.force(first, last);
        }
    }

    private static boolean isZero(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return true;
    }
}
