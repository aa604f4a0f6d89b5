package io.firn.upkeep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.background.Duty;
import io.firn.background.Duty.Duties;
import io.firn.log.InMemory;
import io.firn.log.LogEvents;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.replica.TruncationHistory;
import java.io.IOException;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A partition that changes is looked at by time, and not woken for by each append that calls. */
class AppendWatchDutyTest {
    private static final LogEvents NOBODY =
            new LogEvents() {
                @Override
                public void onAppended(boolean isFillingUp) {}

                @Override
                public void onSpaceWanted() {}

                @Override
                public void onDiscarded(LogSegment segment) {}

                @Override
                public void onSealed() {}

                @Override
                public void onNewLimits() {}

                @Override
                public void onLost() {}

                @Override
                public void onView() {}
            };

    private long nowMs = 1_000;
    private int calls;
    private int changes;
    private boolean alarmIsSet;
    private SegmentedLog log;
    private AppendWatchDuty appendWatch;

    private final Duties duties =
            new Duties() {
                @Override
                public void call(Duty duty) {
                    calls++;
                }

                @Override
                public long nowMs() {
                    return nowMs;
                }

                @Override
                public NanoClock nanoClock() {
                    return SystemNanoClock.INSTANCE;
                }

                @Override
                public long nextNumber() {
                    return 0;
                }
            };

    private final LogEvents.AppendAlarm alarm =
            new LogEvents.AppendAlarm() {
                @Override
                public void callAtNextAppend() {
                    alarmIsSet = true;
                }

                @Override
                public boolean isToCall() {
                    return alarmIsSet;
                }
            };

    @BeforeEach
    void open() throws IOException {
        log = InMemory.log(InMemory.tier());
        log.connect(null, alarm, NOBODY);
        appendWatch = new AppendWatchDuty(duties, log, () -> changes++, true);
    }

    private void append(long nextOffset) {
        log.publishNext(nextOffset, 0);
        log.publishDurable(nextOffset);
        alarmIsSet = false;
        appendWatch.onAppended();
    }

    private void runLater() {
        nowMs += AppendWatchDuty.INTERVAL_MS;
        appendWatch.run();
    }

    @Test
    void shouldNotBeCalledByAppendsWhileTheNextLookIsFixed() {
        append(1);
        assertEquals(1, calls);
        appendWatch.run();
        append(2);
        append(3);
        assertEquals(1, calls);
        runLater();
        assertEquals(2, changes);
    }

    @Test
    void shouldBeCalledAgainByTheAppendAfterARest() {
        append(1);
        appendWatch.run();
        assertFalse(alarmIsSet);
        runLater();
        assertTrue(alarmIsSet); // nothing has changed: the next append calls
        append(2);
        assertEquals(2, calls);
        appendWatch.run();
        assertEquals(2, changes);
    }

    @Test
    void shouldBeCalledByEachAppendWhereACallWakesNobody() {
        appendWatch = new AppendWatchDuty(duties, log, () -> changes++, false);
        append(1);
        appendWatch.run();
        append(2);
        assertEquals(2, calls);
    }

    @Test
    void shouldNoticeThatALogWasTruncatedAndEndsAgainWhereItEnded() {
        append(3);
        appendWatch.run();
        log.withdraw(2, false, TruncationHistory.NONE.begin(2).end());
        append(3);
        runLater();
        assertEquals(2, changes);
        runLater();
        assertEquals(2, changes);
    }
}
