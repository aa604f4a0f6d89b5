package io.firn.host;

import io.firn.ClosedException;
import io.firn.InvalidOptionException;
import io.firn.LogReader;
import io.firn.LogStore;
import java.time.Duration;
import java.util.Map;

/**
 * A store as a server or a replica sees it. Every store that Firn opens is one; {@link #of} returns
 * it as such. Applications that append and read need none of this. Thread-safe.
 *
 * <pre>{@code
 * long id = HostedStore.of(store).newProducerId();
 * batch.producer(id, 0, sequence); // stored once, however often it is appended
 * }</pre>
 */
public interface HostedStore extends LogStore {

    /**
     * Returns a store with the methods for programs that serve it. For a store that was opened
     * read-only, it has the methods that write, too; they throw {@link InvalidOptionException}.
     *
     * @throws InvalidOptionException when Firn did not open it
     */
    static HostedStore of(LogReader store) {
        return Hosted.as(HostedStore.class, store);
    }

    /** Returns what servers need to offer transactions to their clients. */
    TransactionCoordinator transactions();

    /**
     * Returns for how long each thread in the background has stood still, by its name. One that has
     * nothing to do moves at least every two seconds; one that hangs, for example in a force, does
     * not. Empty in invoker mode, and for a store that is open read-only.
     */
    Map<String, Duration> backgroundThreads();

    /** Returns a new id for an idempotent producer; no id is ever returned twice. */
    long newProducerId();

    /**
     * Attaches a service, which is notified before the store is closed. Servers, migrators and
     * shadows do this by themselves. Has no effect if it is attached already.
     *
     * @throws ServiceAttachedException when another one has its {@link StoreService#role}
     * @throws InvalidOptionException when the store is open read-only: services write
     * @throws ClosedException when the store is closed, or is being closed
     */
    void attach(StoreService service);

    /** Detaches a service that has ended; has no effect if it is not attached. */
    void detach(StoreService service);
}
