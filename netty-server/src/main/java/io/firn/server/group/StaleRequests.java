package io.firn.server.group;

import io.firn.host.ProducerIdentity;
import io.firn.host.TransactionCoordinator;
import io.firn.host.TransactionCoordinator.NamedProducer;
import io.firn.server.wire.Exchange;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * Requests of producers that come late: a client whose connection is cut off asks again on another
 * one, and goes on with its next transaction. What it had sent before may still arrive on the old
 * connection, and would end the next transaction, or take its offsets back, if the client has the
 * same epoch in both, as clients before KIP-890 have. So, for each transactional id and API, who
 * comes with the same epoch on an older connection than the newest one is cut off. A connection
 * that is older may be the right one for another epoch: a client may use its connections for one
 * transactional id after another, as Flink's sink does. Who has an epoch of before is fenced
 * anyway. Thread-safe.
 */
public final class StaleRequests {
    /** From so many on, those of ids that were forgotten are removed. */
    private static final int MANY = 60_000;

    private final TransactionCoordinator coordinator;
    private final Map<Key, Newest> newest = new ConcurrentHashMap<>();

    private volatile int removeFrom = MANY;

    private record Key(String name, ApiKeys api) {}

    /**
     * The newest connection of a producer with its present epoch, by the time at which it was
     * opened; guarded by itself.
     */
    private static final class Newest {
        private ProducerIdentity producer;
        private long openedNs;

        boolean admits(ProducerIdentity asks, long connectionNs) {
            if (asks.equals(producer) && connectionNs - openedNs < 0) {
                return false;
            }
            producer = asks;
            openedNs = connectionNs;
            return true;
        }
    }

    StaleRequests(TransactionCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    /**
     * Carries out a request, unless it is late: then its connection is closed, without an answer.
     * Another request of the same producer waits meanwhile, which is not late when it began to
     * wait, but may be afterwards.
     */
    public void refuseOr(Exchange exchange, String name, ProducerIdentity producer, Runnable work) {
        NamedProducer present = coordinator.find(name);
        if (present == null || !present.identity().equals(producer)) {
            work.run(); // it fails, or repeats the end of the last transaction, which does nothing
            return;
        }
        Key key = new Key(name, exchange.key());
        if (newest.size() >= removeFrom && !newest.containsKey(key)) {
            newest.keySet().removeIf(each -> coordinator.find(each.name) == null);
            removeFrom = Math.max(MANY, 2 * newest.size()); // a look at all is not for each new one
        }
        Newest known = newest.computeIfAbsent(key, unused -> new Newest());
        synchronized (known) {
            if (known.admits(producer, exchange.connection().openedNs())) {
                work.run();
                return;
            }
        }
        exchange.eventLoop()
                .execute(
                        () ->
                                exchange.connection()
                                        .closeAfterFailure(
                                                "a producer has a newer connection than the one"
                                                        + " on which it sent "
                                                        + exchange.key()));
    }
}
