package io.firn.server.wire;

import io.netty.util.concurrent.Ticker;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The open connections, and how many there may be. Thread-safe. */
public final class Connections {
    private final ServerLimits limits;
    private final Map<Connection, String> open = new HashMap<>();
    private final Map<String, Integer> byAddress = new HashMap<>();
    private final long reliefNs;
    private final AtomicLong relievedNs;

    Connections(ServerLimits limits) {
        this.limits = limits;
        long ms = Math.max(100, Math.min(1_000, limits.writeStallMs() / 4));
        this.reliefNs = TimeUnit.MILLISECONDS.toNanos(ms);
        this.relievedNs = new AtomicLong(Ticker.systemTicker().nanoTime() - reliefNs);
    }

    synchronized boolean admit(Connection connection) {
        String address = connection.peerAddress();
        int fromThere = byAddress.getOrDefault(address, 0);
        if (open.size() >= limits.connections() || fromThere >= limits.connectionsPerAddress()) {
            return false;
        }
        open.put(connection, address);
        byAddress.put(address, fromThere + 1);
        return true;
    }

    synchronized void dismiss(Connection connection) {
        String address = open.remove(connection);
        if (address != null) {
            byAddress.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
        }
    }

    /** How many there are. */
    public synchronized int count() {
        return open.size();
    }

    private synchronized List<Connection> all() {
        return List.copyOf(new HashSet<>(open.keySet()));
    }

    /**
     * Has a request go that has begun to come, does not go on, and is in the way of others: they
     * may wait for each other's memory. Called by connections that wait, as often as they like.
     */
    void relieve(long nowNs) {
        long before = relievedNs.get();
        if (nowNs - before < reliefNs || !relievedNs.compareAndSet(before, nowNs)) {
            return;
        }
        Connection largest = null;
        int most = 0;
        for (Connection each : all()) {
            int bytes = each.starvedBytes(nowNs);
            if (bytes > most) {
                most = bytes;
                largest = each;
            }
        }
        if (largest != null) {
            largest.eventLoop().execute(largest::giveWay);
        }
    }

    /** Has each connection answer what it was asked, and end. */
    void end() {
        Set<Connection> ending = new HashSet<>(all());
        ending.forEach(each -> each.eventLoop().execute(each::end));
    }
}
