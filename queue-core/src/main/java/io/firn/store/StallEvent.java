package io.firn.store;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** An append had to wait for a block. */
@Name("io.firn.Stall")
@Label("Stall")
@Category("Firn")
final class StallEvent extends Event {
    @Label("Partition")
    String partition;

    void end(PartitionLog log) {
        partition = log.toString();
        commit();
    }
}
