package io.firn.crashlab;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Generates the values that an action appends. */
final class Values {
    /** Length of the longest value. */
    static final int LARGEST = 26_000;

    private static final int SMALLEST_BULK = 10_000;
    private static final int[] SIZES = {60, 60, 60, 60, 700, 700, 700, 4_000, 4_000, LARGEST};

    private Values() {}

    /**
     * Returns the values of one batch.
     *
     * @param sent how many records were sent to the topic before
     */
    static List<byte[]> of(Action action, int sent) {
        SplittableRandom random = new SplittableRandom(action.a());
        List<byte[]> values = new ArrayList<>();
        if (action.kind() == Action.Kind.APPEND_BULK) {
            byte[] value = new byte[random.nextInt(SMALLEST_BULK, LARGEST)];
            random.nextBytes(value);
            values.add(value);
            return values;
        }
        int most = SIZES[random.nextInt(SIZES.length)];
        int count = most == LARGEST ? 1 : 1 + action.b() % 4;
        for (int i = 0; i < count; i++) {
            byte[] value = new byte[random.nextInt(most)];
            // Half of the values can be compressed.
            if (action.a() % 2 == 0) {
                random.nextBytes(value);
            } else {
                Arrays.fill(value, (byte) (sent + 1));
            }
            values.add(value);
        }
        return values;
    }
}
