package io.firn.server.group;

import io.firn.server.wire.DeadlineTimer;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Ends sessions, joins and syncs of groups that have timed out. A group is checked when its
 * earliest deadline has passed and not before; members whose heartbeats have moved their deadlines
 * stay. A group therefore costs nothing between the heartbeats of its members. Thread-safe.
 */
final class GroupTimers {
    private static final System.Logger LOG = System.getLogger("io.firn.server");
    private static final long RETRY_NS = 1_000_000_000;

    private final ScheduledExecutorService executor;
    private final Rebalance rebalances;

    GroupTimers(ScheduledExecutorService executor, Rebalance rebalances) {
        this.executor = executor;
        this.rebalances = rebalances;
    }

    /** Starts the timer of a group. */
    Group start(Group group) {
        synchronized (group) {
            group.timer(new DeadlineTimer(executor, System::nanoTime, run -> check(group, run)));
            group.setTimer(System.nanoTime());
        }
        return group;
    }

    private void check(Group group, long run) {
        synchronized (group) {
            if (!group.timer().accept(run) || group.is(GroupState.DEAD)) {
                return;
            }
            long now = System.nanoTime();
            try {
                rebalances.expire(group, now);
                group.countMemory();
            } catch (RuntimeException e) {
                LOG.log(
                        System.Logger.Level.ERROR,
                        "group " + group.id() + ": deadlines are checked again after an error",
                        e);
                group.timer().runBy(now + RETRY_NS);
                return;
            }
            group.setTimer(now);
        }
    }
}
