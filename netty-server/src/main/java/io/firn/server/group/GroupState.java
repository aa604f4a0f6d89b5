package io.firn.server.group;

/** Where a group is between rebalances; named as Kafka's tools show it. */
enum GroupState {
    EMPTY("Empty"),
    PREPARING("PreparingRebalance"),
    COMPLETING("CompletingRebalance"),
    STABLE("Stable"),
    DEAD("Dead");

    private final String shown;

    GroupState(String shown) {
        this.shown = shown;
    }

    /** As on the wire. */
    String shown() {
        return shown;
    }
}
