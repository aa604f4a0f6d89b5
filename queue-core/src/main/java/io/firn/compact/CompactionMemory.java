package io.firn.compact;

/**
 * How a compaction divides its memory. What is in the batches has no influence on it: they are
 * decompressed and compressed piece by piece.
 *
 * <pre>
 *   8 MiB    the blocks or the window of a decompressor (Codecs.MOST_HELD)
 *   4 MiB    a compressor: zstd's, outside the heap; the others take less than 1 MiB
 *   0.8 MiB  a bit for each record of a batch (KeptRecords), while they grow
 *   0.8 MiB  a small batch that is being made (HeldBatch), while it grows
 *   1 MiB    the index of the segment that is being made (RewriteTarget)
 *   0.5 MiB  producers with transactions (TransactionTrace)
 *   0.9 MiB  pieces on their way
 *   the rest keys (KeyMap)
 * </pre>
 */
final class CompactionMemory {
    /** What is not for keys, on the heap and outside. */
    static final int FOR_BATCHES = 16 << 20;

    private CompactionMemory() {}

    /** Returns the bytes for keys: what is left, but at least half. */
    static int forKeys(int bytes) {
        return Math.max(bytes - FOR_BATCHES, bytes / 2);
    }
}
