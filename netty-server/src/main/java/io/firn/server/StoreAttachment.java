package io.firn.server;

import io.firn.LogStore;
import io.firn.host.HostedStore;
import io.firn.host.StoreService;
import java.io.IOException;
import javax.annotation.concurrent.GuardedBy;

/**
 * Keeps the store for one server at a time, also while that starts, and ends the server when the
 * store is closed first. Thread-safe.
 */
final class StoreAttachment implements StoreService {
    private static final System.Logger LOG = System.getLogger("io.firn.server");

    private final HostedStore store;
    private volatile String where;

    /** Ends the server; null while there is none. */
    @GuardedBy("this")
    private Runnable end;

    /**
     * Creates the claim; {@link #start} makes it.
     *
     * @param listeners where the server is about to listen
     */
    StoreAttachment(LogStore store, String listeners) {
        this.store = HostedStore.of(store);
        this.where = listeners;
    }

    /** Starts a server, which calls {@link #serves}, and releases the claim when it ends. */
    @FunctionalInterface
    interface Start<T> {
        T start(StoreAttachment claim) throws IOException;
    }

    /**
     * Claims the store, and starts a server on it.
     *
     * @throws io.firn.host.ServiceAttachedException if the store has another one
     */
    synchronized <T> T start(Start<T> start) throws IOException {
        store.attach(this);
        T server = null;
        try {
            server = start.start(this);
            return server;
        } finally {
            if (server == null) {
                release();
            }
        }
    }

    /** Called when the server has started, with its address and what ends it. */
    synchronized void serves(String address, Runnable newEnd) {
        where = address;
        end = newEnd;
    }

    void release() {
        store.detach(this);
    }

    @Override
    public String role() {
        return "server";
    }

    /** A start in progress ends first, with or without a server. */
    @Override
    public void onStoreClosing() {
        Runnable running;
        synchronized (this) {
            running = end;
        }
        if (running != null) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "the server on {0} stops, because its store {1} is being closed",
                    where,
                    store.directory());
            running.run();
        }
    }

    @Override
    public String toString() {
        return "which listens on " + where;
    }
}
