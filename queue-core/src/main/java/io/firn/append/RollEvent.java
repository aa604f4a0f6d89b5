package io.firn.append;

import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A partition began a new segment. */
@Name("io.firn.Roll")
@Label("Roll")
@Category("Firn")
@StackTrace(false)
public final class RollEvent extends Event {
    private static final EventType TYPE = EventType.getEventType(RollEvent.class);

    @Label("Partition")
    String partition;

    @Label("Base offset of the segment that ended")
    long baseOffset;

    @Label("Offset after its last record")
    long endOffset;

    /** Loads the class, which takes some 50 KB, before an appender has to. */
    public static boolean prepare() {
        return TYPE.isEnabled();
    }

    static void emit(SegmentedLog log, LogSegment ended) {
        if (!TYPE.isEnabled()) {
            return;
        }
        RollEvent event = new RollEvent();
        event.partition = log.toString();
        event.baseOffset = ended.baseOffset();
        event.endOffset = ended.endOffset();
        event.commit();
    }
}
