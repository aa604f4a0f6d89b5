package io.firn.append;

import io.firn.log.SegmentedLog;
import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** An append had to wait for a block. */
@Name("io.firn.Stall")
@Label("Stall")
@Category("Firn")
public final class StallEvent extends Event {
    private static final EventType TYPE = EventType.getEventType(StallEvent.class);

    @Label("Partition")
    String partition;

    /** Loads the class before an appender has to. */
    public static boolean prepare() {
        return TYPE.isEnabled();
    }

    /** An event that began now; null while no recording wants it. */
    static StallEvent beginIfEnabled() {
        if (!TYPE.isEnabled()) {
            return null;
        }
        StallEvent event = new StallEvent();
        event.begin();
        return event;
    }

    void end(SegmentedLog log) {
        partition = log.toString();
        commit();
    }
}
