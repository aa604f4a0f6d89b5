package io.firn.force;

import io.firn.log.SegmentedLog;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A force of a partition's active segment. Made only while a recording wants it. */
@Name("io.firn.Force")
@Label("Force")
@Category("Firn")
@StackTrace(false)
public final class ForceEvent extends Event {
    private static final EventType TYPE = EventType.getEventType(ForceEvent.class);

    @Label("Partition")
    String partition;

    @Label("Bytes")
    @DataAmount
    int bytes;

    /** Loads the class before an appender has to. */
    public static boolean prepare() {
        return TYPE.isEnabled();
    }

    static ForceEvent beginIfEnabled() {
        if (!TYPE.isEnabled()) {
            return null;
        }
        ForceEvent event = new ForceEvent();
        event.begin();
        return event;
    }

    void end(SegmentedLog log, int forcedBytes) {
        partition = log.toString();
        bytes = forcedBytes;
        commit();
    }
}
