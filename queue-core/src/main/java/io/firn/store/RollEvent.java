package io.firn.store;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A partition began a new segment. */
@Name("io.firn.Roll")
@Label("Roll")
@Category("Firn")
@StackTrace(false)
final class RollEvent extends Event {
    @Label("Partition")
    String partition;

    @Label("Base offset of the segment that ended")
    long baseOffset;

    @Label("Offset after its last record")
    long endOffset;

    static void emit(PartitionLog log, LogSegment ended) {
        RollEvent event = new RollEvent();
        if (event.shouldCommit()) {
            event.partition = log.toString();
            event.baseOffset = ended.baseOffset;
            event.endOffset = ended.endOffset;
            event.commit();
        }
    }
}
