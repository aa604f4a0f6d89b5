package io.firn.forward;

import io.firn.ClosedException;
import io.firn.Finding;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RefusedException;
import io.firn.StoreSnapshot.PartitionPlace;
import io.firn.StoreSnapshot.SegmentPlace;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import javax.annotation.concurrent.GuardedBy;

/**
 * Deletes the oldest segment of the forwarded topics while a tier has no room for a segment: one,
 * and another one if that does not make room. Its thread exists as long as a tier is full, since
 * that of Forward may wait for the cluster.
 */
final class OldestDropper implements Finding.Listener, AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.firn");

    /** Room that was made is noticed at once, unless a reader still holds the segment. */
    private static final long PAUSE_MS = 2_000;

    private final LogStore store;
    private final Set<String> topics = new HashSet<>();

    /** The labels of the tiers that are full. */
    @GuardedBy("this")
    private final Set<String> full = new HashSet<>();

    @GuardedBy("this")
    private boolean isRunning;

    OldestDropper(ForwardPlan plan) {
        this.store = plan.store();
        plan.mappings().forEach(each -> topics.add(each.topic()));
        store.addFindingListener(this);
    }

    @Override
    public synchronized void onBegin(Finding finding) {
        if (finding.kind() == Finding.Kind.TIER_FULL) {
            full.add(finding.tier().orElseThrow());
            if (!isRunning) {
                isRunning = true;
                Thread thread = new Thread(this::run, "firn-forward-drop");
                thread.setDaemon(true);
                thread.start();
            }
        }
    }

    @Override
    public synchronized void onEnd(Finding finding) {
        if (finding.kind() == Finding.Kind.TIER_FULL) {
            finding.tier().ifPresent(full::remove);
            notifyAll();
        }
    }

    private void run() {
        while (true) {
            Set<String> now;
            synchronized (this) {
                if (full.isEmpty()) {
                    isRunning = false;
                    return;
                }
                now = Set.copyOf(full);
            }
            now.forEach(this::dropOne);
            await(now);
        }
    }

    private synchronized void await(Set<String> before) {
        long until = System.nanoTime() + PAUSE_MS * 1_000_000;
        long leftMs = PAUSE_MS;
        while (full.containsAll(before) && leftMs > 0) {
            try {
                wait(leftMs);
            } catch (InterruptedException e) {
                full.clear(); // the application ends all threads
            }
            leftMs = (until - System.nanoTime()) / 1_000_000;
        }
    }

    private void dropOne(String tier) {
        PartitionPlace oldestPlace = null;
        SegmentPlace oldest = null;
        try {
            for (PartitionPlace place : store.snapshot().partitions()) {
                if (topics.contains(place.topic())) {
                    for (SegmentPlace each : place.segments()) {
                        if (each.tier().equals(tier) && isOlder(each, oldest)) {
                            oldest = each;
                            oldestPlace = place;
                        }
                    }
                }
            }
            if (oldest != null) {
                drop(oldestPlace, oldest);
            }
        } catch (ClosedException e) {
            close();
        } catch (RefusedException e) {
            LOG.log(System.Logger.Level.DEBUG, "no segment was dropped", e); // it is gone
        }
    }

    /** The segment that is written is never dropped. */
    private static boolean isOlder(SegmentPlace each, SegmentPlace oldest) {
        if (each.sealTime().isEmpty()) {
            return false;
        }
        Instant time = each.sealTime().get();
        return oldest == null || time.isBefore(oldest.sealTime().orElseThrow());
    }

    private void drop(PartitionPlace place, SegmentPlace oldest) {
        Partition partition = store.openTopic(place.topic()).partition(place.partition());
        LOG.log(
                System.Logger.Level.WARNING,
                "tier {0} is full: the oldest segment of {1}-{2} is deleted, with the records up to"
                        + " {3}; those that were not forwarded are counted as dropped",
                oldest.tier(),
                place.topic(),
                Integer.toString(place.partition()),
                Long.toString(oldest.endOffset() - 1));
        partition.deleteRecordsBefore(Math.min(oldest.endOffset(), partition.durableOffset()));
    }

    @Override
    public void close() {
        store.removeFindingListener(this);
        synchronized (this) {
            full.clear();
            notifyAll();
        }
    }
}
