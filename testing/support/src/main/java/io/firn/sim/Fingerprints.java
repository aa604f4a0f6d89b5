package io.firn.sim;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Hashes by which images of a medium are told apart. */
final class Fingerprints {
    private static final long PRIME = 0x9E3779B97F4A7C15L;
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private Fingerprints() {}

    static long of(byte[] bytes) {
        long hash = bytes.length;
        int at = 0;
        for (; at + Long.BYTES <= bytes.length; at += Long.BYTES) {
            hash = Long.rotateLeft((hash ^ (long) LONGS.get(bytes, at)) * PRIME, 29);
        }
        for (; at < bytes.length; at++) {
            hash = (hash ^ bytes[at]) * 0x100000001B3L;
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
