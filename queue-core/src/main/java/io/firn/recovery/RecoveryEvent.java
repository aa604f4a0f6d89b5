package io.firn.recovery;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A partition was recovered at open. */
@Name("io.firn.Recovery")
@Label("Recovery")
@Category("Firn")
@StackTrace(false)
final class RecoveryEvent extends Event {
    @Label("Partition")
    String partition;

    @Label("Next offset")
    long nextOffset;

    @Label("Bytes accepted after the mark")
    @DataAmount
    long acceptedBytes;

    @Label("Bytes cut off")
    @DataAmount
    long unprovenBytes;

    @Label("Damaged ranges")
    int damagedRanges;
}
