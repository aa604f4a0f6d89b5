package io.firn.server.group;

import io.firn.server.wire.Alarm;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Ends what took too long in groups: sessions, joins, syncs. Each group is looked at when its
 * earliest deadline is over and not before; members whose heartbeats have moved it meanwhile are
 * left alone. So a group costs nothing between the heartbeats of its members. Thread-safe.
 */
final class GroupClock {
    private static final System.Logger LOG = System.getLogger("io.firn.server");
    private static final long AFTER_FAILURE_NS = 1_000_000_000;

    private final ScheduledExecutorService executor;
    private final Rebalances rebalances;

    GroupClock(ScheduledExecutorService executor, Rebalances rebalances) {
        this.executor = executor;
        this.rebalances = rebalances;
    }

    /** Watches a group from now on. */
    Group watch(Group group) {
        synchronized (group) {
            group.alarm(new Alarm(executor, System::nanoTime, which -> look(group, which)));
            group.setAlarm(System.nanoTime());
        }
        return group;
    }

    private void look(Group group, long which) {
        synchronized (group) {
            if (!group.alarm().rang(which) || group.is(GroupState.DEAD)) {
                return;
            }
            long now = System.nanoTime();
            try {
                rebalances.tick(group, now);
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "group " + group.id() + " goes on after", e);
                group.alarm().by(now + AFTER_FAILURE_NS);
                return;
            }
            group.setAlarm(now);
        }
    }
}
