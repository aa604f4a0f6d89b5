package io.firn.server.group;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.firn.ProducerIdentity;
import io.firn.TransactionCoordinator;
import io.firn.TransactionCoordinator.NamedProducer;
import io.firn.TransactionCoordinator.State;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * What clients commit beside their offsets in transactions, until these end. The offsets are in the
 * store, durably; this is in memory only, so that a server which ends in between keeps the metadata
 * that was committed before. Thread-safe.
 */
public final class TransactionMetadata {
    private static final System.Logger LOG = System.getLogger("io.firn.server");
    private static final long MOST_CHARS = 8 << 20;

    private final GroupCommits commits;
    private final TransactionCoordinator coordinator;

    @GuardedBy("this")
    private final Map<String, Pending> byName = new HashMap<>();

    @GuardedBy("this")
    private long chars;

    /** What one transaction has so far. */
    private static final class Pending {
        private final ProducerIdentity producer;
        private final Map<Group, Map<String, String>> byGroup = new HashMap<>();
        private long chars;

        Pending(ProducerIdentity producer) {
            this.producer = producer;
        }
    }

    TransactionMetadata(GroupCommits commits, TransactionCoordinator coordinator) {
        this.commits = commits;
        this.coordinator = coordinator;
    }

    /**
     * Adds the metadata of offsets, by place.
     *
     * @return false when there is no memory for it
     */
    synchronized boolean add(
            String name, ProducerIdentity producer, Group group, Map<String, String> metadata) {
        long more = 0;
        for (Map.Entry<String, String> each : metadata.entrySet()) {
            more +=
                    each.getKey().length()
                            + (each.getValue() == null ? 0 : each.getValue().length());
        }
        if (chars + more > MOST_CHARS) {
            forgetEnded();
        }
        if (more == 0 || chars + more > MOST_CHARS) {
            return more == 0;
        }
        Pending pending = byName.get(name);
        if (pending == null || !pending.producer.equals(producer)) {
            forget(name);
            pending = new Pending(producer);
            byName.put(name, pending);
        }
        pending.byGroup.computeIfAbsent(group, key -> new HashMap<>()).putAll(metadata);
        pending.chars += more;
        chars += more;
        return true;
    }

    /** Transactions end also without a request, when their time is out. */
    @GuardedBy("this")
    private void forgetEnded() {
        Iterator<Map.Entry<String, Pending>> all = byName.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<String, Pending> each = all.next();
            NamedProducer now = coordinator.find(each.getKey());
            boolean isOpen =
                    now != null
                            && now.state() == State.ONGOING
                            && now.identity().equals(each.getValue().producer);
            if (!isOpen) {
                chars -= each.getValue().chars;
                all.remove();
            }
        }
    }

    /** Forgets what a transaction has, because it was aborted. */
    public synchronized void forget(String name) {
        Pending pending = byName.remove(name);
        chars -= pending == null ? 0 : pending.chars;
    }

    private synchronized Pending take(String name) {
        Pending pending = byName.get(name);
        forget(name);
        return pending;
    }

    /** Called when a transaction has ended: what was committed counts from now on. */
    public void onEnd(String name, ProducerIdentity producer, boolean isCommit) {
        Pending pending = take(name);
        if (pending == null || !isCommit || !pending.producer.equals(producer)) {
            return;
        }
        pending.byGroup.forEach(
                (group, metadata) -> {
                    try {
                        commits.record(group, metadata);
                    } catch (RuntimeException e) {
                        // The transaction is committed in any case.
                        LOG.log(
                                System.Logger.Level.WARNING,
                                "the metadata of offsets of group "
                                        + group.id()
                                        + ", committed in a transaction, could not be written",
                                e);
                    }
                });
    }
}
