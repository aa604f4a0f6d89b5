package io.firn.upkeep;

import io.firn.FirnException;
import io.firn.RetainUntilRead;
import io.firn.log.SegmentedLog;
import io.firn.log.TopicContext.ReadPositions.Unread;
import io.firn.medium.GuardedLog;
import java.util.HashMap;
import java.util.Map;
import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.Label;
import jdk.jfr.Name;

/**
 * What readers have not passed for whom the topic's retention waits, and what was deleted all the
 * same because a limit was exceeded. That is reported once for each position of a cursor: one that
 * does not move is not reported again while more is deleted.
 */
final class UnreadRecords {
    private static final GuardedLog LOG = GuardedLog.get();

    private final SegmentedLog log;
    private final Map<String, Long> reported = new HashMap<>();
    private Unread unread = Unread.NOTHING;
    private volatile long deleted;

    UnreadRecords(SegmentedLog log) {
        this.log = log;
    }

    /** Looks where readers are; returns the offset up to which all have read. */
    long readTo() {
        unread = log.topic().readPositions().unreadIn(log.index());
        return unread.readTo();
    }

    /** Throws why it was not known where readers are, so that it is reported and tried again. */
    void checkKnown() {
        FirnException failure = unread.failure();
        if (failure != null) {
            unread = Unread.NOTHING;
            throw failure;
        }
    }

    /** The number of records that were deleted since open although a reader had not passed them. */
    long deleted() {
        return deleted;
    }

    /** Called when records were deleted, after {@link #readTo}. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // retention is the only writer
    void onDeleted(long from, long to) {
        long firstUnread = Math.max(from, unread.readTo());
        if (firstUnread < to) {
            deleted += to - firstUnread;
        }
        reported.keySet().retainAll(unread.from().keySet());
        unread.from()
                .forEach(
                        (cursor, offset) -> {
                            if (offset < to && !offset.equals(reported.put(cursor, offset))) {
                                report(cursor, Math.max(from, offset), to);
                            }
                        });
    }

    private void report(String cursor, long from, long to) {
        RetainUntilRead readers = log.topic().options().retainUntilRead();
        LOG.log(
                System.Logger.Level.WARNING,
                log
                        + ": retention deleted records that cursor "
                        + cursor
                        + " has not passed, offsets "
                        + from
                        + " to "
                        + (to - 1)
                        + ", because a limit of retainUntilRead was exceeded: "
                        + readers);
        OvertakenEvent.emit(log, cursor, from, to);
    }

    /** Retention deleted records that a cursor has not passed although it was to wait for it. */
    @Name("io.firn.Overtaken")
    @Label("Overtaken")
    @Category("Firn")
    static final class OvertakenEvent extends Event {
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
}
