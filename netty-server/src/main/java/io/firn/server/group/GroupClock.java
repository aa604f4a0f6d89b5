package io.firn.server.group;

import io.firn.server.wire.Alarm;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Ends sessions, joins and syncs of groups that have timed out. A group is checked when its
 * earliest deadline has passed and not before; members whose heartbeats have moved their deadlines
 * stay. So a group costs nothing between the heartbeats of its members. Thread-safe.
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

    /** Starts to watch a group. */
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
