package io.firn.format;

import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;

/**
 * The first 128 bits of the salted SHA-256 of a key, which is passed piece by piece: a key may be
 * as large as a batch. The salt is secret, so a client cannot look for two keys with the same hash.
 * Not thread-safe.
 */
public final class KeyHash {
    private static final int SALT_BYTES = 16;
    private static final String DIGEST = "SHA-256";

    private final MessageDigest digest;
    private final byte[] salt = new byte[SALT_BYTES];
    private final byte[] digested;
    private long high;
    private long low;

    /** Creates one with a salt of its own. */
    public KeyHash() {
        try {
            digest = MessageDigest.getInstance(DIGEST);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each Java runtime has " + DIGEST, e);
        }
        digested = new byte[digest.getDigestLength()];
        new SecureRandom().nextBytes(salt);
    }

    /** Begins a key. */
    void begin() {
        digest.reset(); // the last one may have been malformed in the middle
        digest.update(salt);
    }

    /** Passes the next bytes of the key. */
    void update(byte[] bytes, int from, int length) {
        digest.update(bytes, from, length);
    }

    /** Ends the key. */
    void end() {
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

    /** Returns the first half of the last key's hash. */
    public long high() {
        return high;
    }

    /** Returns the second half of the last key's hash. */
    public long low() {
        return low;
    }
}
