package io.firn.examples;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/** Computes the SHA-256 of bytes that arrive in small pieces. Not thread-safe. */
final class Fingerprint {
    private final MessageDigest sha256;
    private byte[] bytes = new byte[256 * 1024];
    private int filled;
    private long ns;

    Fingerprint() {
        try {
            sha256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has it", e);
        }
    }

    /** Makes room for a piece; returns the index in {@link #bytes} at which to put it. */
    int room(int length) {
        if (length > bytes.length - filled) {
            digest();
        }
        if (length > bytes.length) {
            bytes = Arrays.copyOf(bytes, length);
        }
        int at = filled;
        filled += length;
        return at;
    }

    byte[] bytes() {
        return bytes;
    }

    void add(byte[] source, int from, int length) {
        int at = room(length);
        System.arraycopy(source, from, bytes, at, length);
    }

    /** Returns the digest of all pieces in hexadecimal digits. The next piece begins a new one. */
    String hex() {
        digest();
        return HexFormat.of().formatHex(sha256.digest());
    }

    /** Returns how long computing the digest took, in ns. */
    long ns() {
        return ns;
    }

    private void digest() {
        long started = System.nanoTime();
        sha256.update(bytes, 0, filled);
        filled = 0;
        ns += System.nanoTime() - started;
    }
}
