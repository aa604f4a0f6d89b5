package io.firn.sim;

/** Hashes by which images of a medium are told apart. */
final class Fingerprints {
    private static final long PRIME = 0x9E3779B97F4A7C15L;

    private Fingerprints() {}

    static long of(byte[] bytes) {
        long hash = bytes.length;
        for (byte b : bytes) {
            hash = (hash ^ b) * 0x100000001B3L;
        }
        return mix(hash, bytes.length);
    }

    static long mix(long a, long b) {
        long hash = (a * PRIME) ^ (b + PRIME);
        hash = (hash ^ hash >>> 32) * 0xD6E8FEB86659FD93L;
        hash = (hash ^ hash >>> 32) * 0xD6E8FEB86659FD93L;
        return hash ^ hash >>> 32;
    }
}
