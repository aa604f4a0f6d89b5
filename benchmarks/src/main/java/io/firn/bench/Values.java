package io.firn.bench;

import java.util.Random;

/** The values of records. */
final class Values {
    private Values() {}

    /** Bytes that no codec or CPU could know beforehand, the same in each run. */
    static byte[] ofLength(int length) {
        byte[] value = new byte[length];
        new Random(length).nextBytes(value);
        return value;
    }
}
