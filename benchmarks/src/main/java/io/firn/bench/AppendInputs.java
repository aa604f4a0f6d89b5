package io.firn.bench;

import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Keys and values of records, one after another, so that the next length cannot be guessed. They
 * stay in the processor's cache.
 */
final class AppendInputs {
    private static final int ROUND = 4096;

    private final int[] lengths = new int[ROUND];
    private final byte[][] values;
    private final byte[][] keys = new byte[AppendShape.KEY_BYTES + 9][];
    private final UnsafeBuffer buffer;
    private final boolean varies;
    private int next;
    private int length;

    AppendInputs(AppendShape shape) {
        Random random = new Random(shape.most());
        varies = shape.least() != shape.most();
        values = new byte[shape.most() + 1][];
        for (int i = shape.least(); i <= shape.most(); i++) {
            values[i] = Values.ofLength(i);
        }
        for (int i = 0; i < keys.length; i++) {
            keys[i] = Values.ofLength(i);
        }
        for (int i = 0; i < ROUND; i++) {
            lengths[i] = shape.least() + random.nextInt(shape.most() - shape.least() + 1);
        }
        buffer = new UnsafeBuffer(Values.ofLength(shape.most()));
    }

    /** Goes to the next record. */
    void next() {
        length = lengths[next++ & ROUND - 1];
    }

    /** Returns the length of the value. */
    int length() {
        return length;
    }

    /** Returns the value in an array of its own. */
    byte[] value() {
        return values[length];
    }

    /** Returns a buffer that begins with the value. */
    UnsafeBuffer buffer() {
        return buffer;
    }

    /** Returns the key; its length varies if that of the value does. */
    byte[] key() {
        int bytes = AppendShape.KEY_BYTES;
        return keys[varies ? bytes - 8 + (length & 15) : bytes];
    }
}
