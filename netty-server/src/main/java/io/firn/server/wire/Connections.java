package io.firn.server.wire;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Ticker;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The open connections of a server, and how many there may be. Thread-safe. */
public final class Connections {
    private final ServerLimits limits;

    @GuardedBy("this")
    private final Map<Entry, String> open = new HashMap<>();

    @GuardedBy("this")
    private final Map<String, Integer> byAddress = new HashMap<>();

    private final long reclaimIntervalNs;
    private final AtomicLong lastReclaimNs;

    /** What the registry needs to know of a connection. */
    interface Entry {

        /** Returns the client's address. Thread-safe. */
        String peerAddress();

        /** Returns the thread of the connection. Thread-safe. */
        EventLoop eventLoop();

        /**
         * Returns the size of an incomplete request that has stalled and keeps others from being
         * read; 0 if there is none. Thread-safe.
         */
        int stalledBytes(long nowNs);

        /** Closes the connection if its incomplete request still keeps others from being read. */
        void closeIfBlocking();

        /** Answers the requests in progress, takes no more, and closes. */
        void shutDown();
    }

    Connections(ServerLimits limits) {
        this.limits = limits;
        long ms = Math.max(100, Math.min(1_000, limits.writeStallMs() / 4));
        this.reclaimIntervalNs = TimeUnit.MILLISECONDS.toNanos(ms);
        this.lastReclaimNs = new AtomicLong(Ticker.systemTicker().nanoTime() - reclaimIntervalNs);
    }

    /** Registers a connection; returns false if there are too many. */
    synchronized boolean add(Entry connection) {
        String address = connection.peerAddress();
        int fromThere = byAddress.getOrDefault(address, 0);
        if (open.size() >= limits.connections() || fromThere >= limits.connectionsPerAddress()) {
            return false;
        }
        open.put(connection, address);
        byAddress.put(address, fromThere + 1);
        return true;
    }

    synchronized void remove(Entry connection) {
        String address = open.remove(connection);
        if (address != null) {
            byAddress.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
        }
    }

    /** Returns the number of open connections. */
    public synchronized int count() {
        return open.size();
    }

    private synchronized List<Entry> all() {
        return List.copyOf(open.keySet());
    }

    /**
     * Closes the connection of the largest incomplete request that has stalled, if there is one:
     * requests may wait for each other's memory. Called by connections that wait, as often as they
     * like.
     */
    void reclaim(long nowNs) {
        long before = lastReclaimNs.get();
        if (nowNs - before < reclaimIntervalNs || !lastReclaimNs.compareAndSet(before, nowNs)) {
            return;
        }
        Entry largest = null;
        int most = 0;
        for (Entry each : all()) {
            int bytes = each.stalledBytes(nowNs);
            if (bytes > most) {
                most = bytes;
                largest = each;
            }
        }
        if (largest != null) {
            largest.eventLoop().execute(largest::closeIfBlocking);
        }
    }

    /** Makes each connection answer its requests in progress and close. */
    void shutDown() {
        all().forEach(each -> each.eventLoop().execute(each::shutDown));
    }
}
