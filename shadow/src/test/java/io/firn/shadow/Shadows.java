package io.firn.shadow;

import java.util.function.BooleanSupplier;

/** What tests of a running shadow share. */
final class Shadows {
    private Shadows() {}

    /** Waits for a condition; fails after a minute, and says what the shadow does then. */
    static void await(BooleanSupplier condition, Shadow shadow) throws InterruptedException {
        for (int i = 0; i < 6000; i++) {
            if (condition.getAsBoolean()) {
                return;
            }
            Thread.sleep(10);
        }
        throw new AssertionError("still waiting; " + shadow.snapshot());
    }
}
