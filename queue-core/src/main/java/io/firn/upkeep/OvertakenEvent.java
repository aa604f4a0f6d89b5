package io.firn.upkeep;

import io.firn.log.SegmentedLog;
import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** Retention deleted records that a cursor has not passed although it was to wait for it. */
@Name("io.firn.Overtaken")
@Label("Overtaken")
@Category("Firn")
final class OvertakenEvent extends Event {
    private static final EventType TYPE = EventType.getEventType(OvertakenEvent.class);

    @Label("Partition")
    String partition;

    @Label("Cursor")
    String cursor;

    @Label("First Offset")
    long fromOffset;

    @Label("End Offset")
    long toOffset;

    static void emit(SegmentedLog log, String cursor, long from, long to) {
        if (!TYPE.isEnabled()) {
            return;
        }
        OvertakenEvent event = new OvertakenEvent();
        event.partition = log.toString();
        event.cursor = cursor;
        event.fromOffset = from;
        event.toOffset = to;
        event.commit();
    }
}
