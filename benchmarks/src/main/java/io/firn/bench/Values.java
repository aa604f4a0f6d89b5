package io.firn.bench;

import java.util.Random;

/** The values of records. */
final class Values {
    private Values() {}

    /** Returns bytes that cannot be compressed or predicted, the same in each run. */
    static byte[] ofLength(int length) {
        byte[] value = new byte[length];
        new Random(length).nextBytes(value);
        return value;
    }
}
