package io.firn.server.group;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.firn.ProducerIdentity;
import io.firn.server.log.TransactionMemory;
import java.util.HashMap;
import java.util.Map;

/**
 * What clients commit beside their offsets in transactions, until these end. The offsets are in the
 * store, durably; this is in memory only, so that a server which ends in between keeps the metadata
 * that was committed before. Thread-safe.
 */
public final class TransactionMetadata {
    private static final System.Logger LOG = System.getLogger("io.firn.server");

    private final GroupCommits commits;

    @GuardedBy("this")
    private final Map<String, Pending> byName = new HashMap<>();

    /** What one transaction has so far. */
    private static final class Pending {
        private final ProducerIdentity producer;
        private final Map<Group, Map<String, String>> byGroup = new HashMap<>();

        Pending(ProducerIdentity producer) {
            this.producer = producer;
        }
    }

    TransactionMetadata(GroupCommits commits, TransactionMemory memory) {
        this.commits = commits;
        memory.onForgotten(this::forget); // its time was out
    }

    /** Adds the metadata of offsets, by place; {@link TransactionMemory} has room for it. */
    synchronized void add(
            String name, ProducerIdentity producer, Group group, Map<String, String> metadata) {
        if (metadata.isEmpty()) {
            return;
        }
        Pending pending = byName.get(name);
        if (pending == null || !pending.producer.equals(producer)) {
            pending = new Pending(producer);
            byName.put(name, pending);
        }
        pending.byGroup.computeIfAbsent(group, key -> new HashMap<>()).putAll(metadata);
    }

    /** Forgets what a transaction has, because it was aborted. */
    public synchronized void forget(String name) {
        byName.remove(name);
    }

    private synchronized Pending take(String name) {
        return byName.remove(name);
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
