package io.firn.crashlab;

/** Ends whatever a store was doing, because the power of its {@link Machine} was cut. */
final class PowerCut extends Error {
    private static final long serialVersionUID = 1;

    PowerCut() {
        super("the power is cut", null, false, false);
    }
}
