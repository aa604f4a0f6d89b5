package io.firn.shadow;

import io.firn.api.Waiting;
import java.util.function.BooleanSupplier;

/** What tests of a running shadow share. */
final class Shadows {
    private Shadows() {}

    /** Waits for a condition; a failure says what the shadow does then. */
    static void await(BooleanSupplier condition, Shadow shadow) {
        Waiting.await(() -> "the shadow: " + shadow.snapshot(), condition);
    }
}
