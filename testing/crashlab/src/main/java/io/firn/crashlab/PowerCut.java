package io.firn.crashlab;

/** Stops whatever a store is doing, because the power of its {@link Machine} was cut. */
final class PowerCut extends Error {
    private static final long serialVersionUID = 1;

    PowerCut() {
        super("the power was cut", null, false, false);
    }
}
