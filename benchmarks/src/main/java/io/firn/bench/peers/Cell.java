package io.firn.bench.peers;

/**
 * A place in a table, which several runs fill.
 *
 * @param scenario what is measured
 * @param peer with what
 * @param bytes of a record's value
 */
record Cell(Scenario scenario, Peer peer, int bytes) {
    @Override
    public String toString() {
        return scenario.id() + " " + peer.id() + " " + bytes + " B";
    }
}
