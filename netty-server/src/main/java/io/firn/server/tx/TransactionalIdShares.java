package io.firn.server.tx;

import io.firn.LimitExceededException;
import io.firn.budget.HeapBudget;
import io.firn.host.TransactionCoordinator;
import io.firn.server.wire.ClientShares;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A share of the names of producers for each client, so that one client cannot use up all of them:
 * half of those that nobody used when the server was started. Names of before count for nobody. A
 * name is free again when the store has forgotten it. Thread-safe.
 */
final class TransactionalIdShares {
    private static final long LOOK_EVERY_NS = TimeUnit.SECONDS.toNanos(60);

    private final TransactionCoordinator coordinator;
    private final ClientShares shares;

    /** The clients that names were first opened by. */
    private final Map<String, String> owners = new ConcurrentHashMap<>();

    private final AtomicLong lookedNs = new AtomicLong(System.nanoTime() - LOOK_EVERY_NS);

    TransactionalIdShares(TransactionCoordinator coordinator) {
        this(coordinator, Math.max(0, mostNames() - coordinator.producers().size()));
    }

    /** Returns how many names a store may have. */
    static int mostNames() {
        return HeapBudget.PRODUCER_NAMES.count(0, TransactionCoordinator.MOST_NAMES);
    }

    /** Creates a limit of so many new names. */
    TransactionalIdShares(TransactionCoordinator coordinator, int most) {
        this.coordinator = coordinator;
        this.shares = new ClientShares(most);
    }

    /**
     * Called before a name is opened.
     *
     * @throws LimitExceededException when it is a new one, and the client has too many
     */
    void onOpen(String name, String owner) {
        if (coordinator.find(name) != null || owners.containsKey(name)) {
            return;
        }
        if (!shares.tryAdd(owner, 1)) {
            forgetExpired();
            if (!shares.tryAdd(owner, 1)) {
                throw new LimitExceededException(
                        LimitExceededException.Limit.PRODUCERS,
                        "client "
                                + owner
                                + " has used its share of the names of producers, half of those"
                                + " that the store can have: use names again instead of new ones, or"
                                + " wait until some have expired");
            }
        }
        if (owners.putIfAbsent(name, owner) != null) {
            shares.add(owner, -1); // another request has opened it just now
        }
    }

    /** Called when a name could not be opened. */
    void onRefused(String name) {
        if (coordinator.find(name) == null) {
            forget(name);
        }
    }

    /** Looks which names the store has forgotten; not for each request of who asks too much. */
    private void forgetExpired() {
        long last = lookedNs.get();
        long now = System.nanoTime();
        if (now - last >= LOOK_EVERY_NS && lookedNs.compareAndSet(last, now)) {
            owners.keySet().forEach(this::onRefused);
        }
    }

    private void forget(String name) {
        String owner = owners.remove(name);
        if (owner != null) {
            shares.add(owner, -1);
        }
    }
}
