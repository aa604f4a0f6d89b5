package io.firn.compact;

import io.firn.format.KeyHash;

/**
 * The latest offset of each key, for a bounded number of keys. A key is represented by its {@link
 * KeyHash}: two keys with the same would delete each other's records, so it has 128 bits and a
 * salt. 24 bytes for each key, with open addressing and linear probing. Not thread-safe.
 */
final class OffsetMap {
    private static final int SLOT_LONGS = 3;
    private static final int SLOT_BYTES = SLOT_LONGS * Long.BYTES;
    private static final int FEW_BYTES = 64 * 1024;
    private static final double MOST_FILLED = 0.9;

    private final KeyHash hash = new KeyHash();

    /** For each slot the two halves of the digest, and the offset plus 1; 0 stands for no entry. */
    private final long[] slots;

    private final int slotCount;
    private final int mostKeys;
    private int keys;

    /**
     * Returns an empty map for the keys of some bytes of records. It may be too small, if there are
     * more: nothing is lost by that.
     *
     * @param mostBytes the bytes that the map takes at most
     */
    static OffsetMap of(long recordBytes, int mostBytes) {
        return new OffsetMap((int) Math.min(mostBytes, FEW_BYTES + recordBytes));
    }

    /** Creates an empty map that takes a number of bytes, at least room for one key. */
    OffsetMap(int bytes) {
        this.slotCount = Math.max(2, bytes / SLOT_BYTES);
        this.slots = new long[slotCount * SLOT_LONGS];
        this.mostKeys = Math.max(1, (int) (slotCount * MOST_FILLED));
    }

    /** Returns the hash that whoever passes records here gives their keys to. */
    KeyHash hash() {
        return hash;
    }

    /** Returns the number of keys. */
    int keys() {
        return keys;
    }

    /**
     * Notes that a record has the key that was hashed last.
     *
     * @param offset its offset, which is above all noted before
     * @return false when the key is new and there is no room for it
     */
    boolean put(long offset) {
        int slot = find();
        if (slots[slot + 2] == 0) {
            if (keys == mostKeys) {
                return false;
            }
            keys++;
            slots[slot] = hash.high();
            slots[slot + 1] = hash.low();
        }
        slots[slot + 2] = offset + 1;
        return true;
    }

    /** Returns the latest noted offset of the key that was hashed last; −1 for none. */
    long latest() {
        return slots[find() + 2] - 1;
    }

    /** Returns where the slot of the key begins: the one it has, or the next free one. */
    private int find() {
        long high = hash.high();
        long low = hash.low();
        int slot = (int) Long.remainderUnsigned(high, slotCount);
        while (true) {
            int i = slot * SLOT_LONGS;
            if (slots[i + 2] == 0 || (slots[i] == high && slots[i + 1] == low)) {
                return i;
            }
            slot = slot + 1 == slotCount ? 0 : slot + 1;
        }
    }
}
