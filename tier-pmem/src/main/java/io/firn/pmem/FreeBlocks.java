package io.firn.pmem;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The free blocks of a pool, as one bit for each block; there is no count beside it that could
 * disagree. Thread-safe and lock-free. Blocks are allocated round-robin, which spreads the wear.
 */
final class FreeBlocks {
    private final AtomicLongArray words;
    private final int count;
    private final AtomicInteger next = new AtomicInteger();

    /** Creates a map in which no block is free. */
    FreeBlocks(int count) {
        this.count = count;
        this.words = new AtomicLongArray((count + Long.SIZE - 1) / Long.SIZE);
    }

    /** Allocates a block; returns −1 when none is free. */
    int allocate() {
        int from = next.get();
        for (int i = 0; i <= words.length(); i++) {
            // The first word is searched twice: from the start position, and at the end from bit 0.
            int word = (from / Long.SIZE + i) % words.length();
            long mask = i == 0 ? -1L << from % Long.SIZE : -1L;
            int block = allocateIn(word, mask);
            if (block >= 0) {
                next.set((block + 1) % count);
                return block;
            }
        }
        return -1;
    }

    private int allocateIn(int word, long mask) {
        while (true) {
            long bits = words.get(word);
            long lowest = Long.lowestOneBit(bits & mask);
            if (lowest == 0) {
                return -1;
            }
            if (words.compareAndSet(word, bits, bits & ~lowest)) {
                return word * Long.SIZE + Long.numberOfTrailingZeros(lowest);
            }
        }
    }

    /** Frees a block. */
    void free(int block) {
        long bit = 1L << block % Long.SIZE;
        int word = block / Long.SIZE;
        long before = words.getAndUpdate(word, bits -> bits | bit);
        if ((before & bit) != 0) {
            throw new IllegalStateException("block " + block + " was free already");
        }
    }

    int freeCount() {
        int free = 0;
        for (int i = 0; i < words.length(); i++) {
            free += Long.bitCount(words.get(i));
        }
        return free;
    }

    int usedCount() {
        return count - freeCount();
    }
}
