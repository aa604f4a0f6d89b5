package io.firn.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.background.Attempts;
import io.firn.background.Duty;
import io.firn.background.DutyScheduler;
import io.firn.findings.Subject;
import io.firn.log.LogContext.FreedBlocks;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;

/** Who waits for room is called when a block is freed. */
class FreedBlocksTest {
    private final DutyScheduler duties =
            DutyScheduler.invoked(() -> 0, new Attempts(SystemNanoClock.INSTANCE));
    private final FreedBlocks freed = new FreedBlocks();
    private int runs;

    private final Duty duty =
            new Duty(duties, Subject.named("test"), "room") {
                @Override
                public int run() {
                    return ++runs;
                }
            };

    @Test
    void shouldCallWhoFoundNoRoomOnceWhenABlockIsFreed() {
        freed.onNoRoom(duty, freed.count());
        duties.run();
        assertEquals(0, runs);
        freed.onFreed();
        duties.run();
        freed.onFreed();
        duties.run();
        assertEquals(1, runs);
    }

    @Test
    void shouldCallAtOnceWhenABlockWasFreedWhileTheTiersWereAsked() {
        long before = freed.count();
        freed.onFreed();
        freed.onNoRoom(duty, before);
        duties.run();
        assertEquals(1, runs);
    }
}
