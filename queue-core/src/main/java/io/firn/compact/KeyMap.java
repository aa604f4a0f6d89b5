package io.firn.compact;

import io.firn.batch.BatchRewriter;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;

/**
 * The latest offset of each key, for a bounded number of keys. A key is represented by the first
 * 128 bits of its salted SHA-256: two keys with the same would delete each other's records, and
 * without the salt, which nobody knows, a client could look for such keys. 24 bytes for each key,
 * with open addressing and linear probing. Not thread-safe.
 */
final class KeyMap {
    private static final int SLOT_LONGS = 3;
    private static final int SLOT_BYTES = SLOT_LONGS * Long.BYTES;
    private static final int FEW_BYTES = 64 * 1024;
    private static final double MOST_FILLED = 0.9;
    private static final int SALT_BYTES = 16;
    private static final String DIGEST = "SHA-256";

    private final MessageDigest digest;
    private final byte[] salt = new byte[SALT_BYTES];
    private final byte[] digested;

    /** For each slot the two halves of the digest, and the offset plus 1; 0 stands for no entry. */
    private final long[] slots;

    private final int slotCount;
    private final int mostKeys;
    private int keys;

    // Of the key that was hashed last.
    private long high;
    private long low;

    /**
     * Returns an empty map for the keys of some bytes of records. It may be too small, if there are
     * more: nothing is lost by that.
     *
     * @param mostBytes the bytes that the map takes at most
     */
    static KeyMap of(long recordBytes, int mostBytes) {
        return new KeyMap((int) Math.min(mostBytes, FEW_BYTES + recordBytes));
    }

    /** Creates an empty map that takes a number of bytes, at least room for one key. */
    KeyMap(int bytes) {
        this.slotCount = Math.max(2, bytes / SLOT_BYTES);
        this.slots = new long[slotCount * SLOT_LONGS];
        this.mostKeys = Math.max(1, (int) (slotCount * MOST_FILLED));
        try {
            this.digest = MessageDigest.getInstance(DIGEST);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each Java runtime has " + DIGEST, e);
        }
        this.digested = new byte[digest.getDigestLength()];
        new SecureRandom().nextBytes(salt);
    }

    /** Returns the number of keys. */
    int keys() {
        return keys;
    }

    /**
     * Notes that a record has its key at its offset, which is above all noted before.
     *
     * @return false when the key is new and there is no room for it
     */
    boolean put(BatchRewriter record) {
        int slot = find(record);
        if (slots[slot + 2] == 0) {
            if (keys == mostKeys) {
                return false;
            }
            keys++;
            slots[slot] = high;
            slots[slot + 1] = low;
        }
        slots[slot + 2] = record.offset() + 1;
        return true;
    }

    /** Returns the latest noted offset of a record's key; −1 for none. */
    long latest(BatchRewriter record) {
        return slots[find(record) + 2] - 1;
    }

    /** Returns where the slot of a record's key begins: the one it has, or the next free one. */
    private int find(BatchRewriter record) {
        hash(record);
        int slot = (int) Long.remainderUnsigned(high, slotCount);
        while (true) {
            int i = slot * SLOT_LONGS;
            if (slots[i + 2] == 0 || (slots[i] == high && slots[i + 1] == low)) {
                return i;
            }
            slot = slot + 1 == slotCount ? 0 : slot + 1;
        }
    }

    private void hash(BatchRewriter record) {
        digest.update(salt);
        record.digestKey(digest);
        try {
            digest.digest(digested, 0, digested.length);
        } catch (DigestException e) {
            throw new IllegalStateException("the array has room for the digest", e);
        }
        high = longAt(0);
        low = longAt(Long.BYTES);
    }

    private long longAt(int at) {
        long value = 0;
        for (int i = at; i < at + Long.BYTES; i++) {
            value = value << Byte.SIZE | (digested[i] & 0xFF);
        }
        return value;
    }
}
