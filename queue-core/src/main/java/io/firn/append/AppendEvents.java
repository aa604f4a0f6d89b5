package io.firn.append;

import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The events of the append path for Java Flight Recorder. */
public final class AppendEvents {
    private AppendEvents() {}

    /** Loads the classes, which takes some 50 KB, before an appender has to. */
    public static boolean prepare() {
        return RollEvent.TYPE.isEnabled() | StallEvent.TYPE.isEnabled();
    }

    /** A partition began a new segment. */
    @Name("io.firn.Roll")
    @Label("Roll")
    @Category("Firn")
    @StackTrace(false)
    static final class RollEvent extends Event {
        private static final EventType TYPE = EventType.getEventType(RollEvent.class);

        @Label("Partition")
        String partition;

        @Label("Base offset of the segment that ended")
        long baseOffset;

        @Label("Offset after its last record")
        long endOffset;

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

    /** An append had to wait for a block. */
    @Name("io.firn.Stall")
    @Label("Stall")
    @Category("Firn")
    static final class StallEvent extends Event {
        private static final EventType TYPE = EventType.getEventType(StallEvent.class);

        @Label("Partition")
        String partition;

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
}
