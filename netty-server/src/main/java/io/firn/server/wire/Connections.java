package io.firn.server.wire;

import io.netty.util.concurrent.Ticker;
import java.net.InetSocketAddress;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.annotation.concurrent.GuardedBy;

/**
 * The open connections of a server, and how many there may be. Those whose clients have not
 * authenticated, which includes the handshake of TLS, are at most half of them, and half of these
 * for one address. A new one takes the place of the oldest: so a client whose handshake goes on
 * gets in beside any number that are silent. Thread-safe.
 */
public final class Connections {
    @GuardedBy("this")
    private final Set<Entry> open = new HashSet<>();

    /** Also those that were accepted and are not registered yet. */
    @GuardedBy("this")
    private final AddressCounts all;

    /** In the order in which they were opened. */
    @GuardedBy("this")
    private final Map<Entry, String> pending = new LinkedHashMap<>();

    @GuardedBy("this")
    private final AddressCounts unauthenticated;

    private final long reclaimIntervalNs;
    private final AtomicLong lastReclaimNs;

    /** What the registry needs to know of a connection. */
    interface Entry extends ClientConnection {

        /**
         * Returns the size of an incomplete request that has stalled and keeps others from being
         * read; 0 if there is none. Thread-safe.
         */
        int stalledBytes(long nowNs);

        /** Closes the connection if its incomplete request still keeps others from being read. */
        void closeIfBlocking();

        /** Closes the connection in favour of a new one, if the client has not authenticated. */
        void closeIfUnauthenticated();

        /** Answers the requests in progress, takes no more, and closes. */
        void shutDown();
    }

    Connections(ServerLimits limits) {
        this.all = new AddressCounts(limits.connections(), limits.connectionsPerAddress());
        int half = Math.max(1, limits.connections() / 2);
        this.unauthenticated = new AddressCounts(half, Math.max(1, half / 2));
        long ms = Math.max(100, Math.min(1_000, limits.writeStallMs() / 4));
        this.reclaimIntervalNs = TimeUnit.MILLISECONDS.toNanos(ms);
        this.lastReclaimNs = new AtomicLong(Ticker.systemTicker().nanoTime() - reclaimIntervalNs);
    }

    /**
     * Returns the address in numbers, without the port and, for an address that is valid on a link
     * only, without the interface: a quota has none, and Kafka compares addresses in this way.
     */
    static String addressOf(InetSocketAddress peer) {
        String text = peer.getAddress().getHostAddress();
        int scope = text.indexOf('%');
        return scope < 0 ? text : text.substring(0, scope);
    }

    /** Reserves a place for a connection from this address; returns false if there are too many. */
    synchronized boolean reserve(String address) {
        if (all.isFull() || all.isFullFor(address)) {
            return false;
        }
        all.add(address);
        return true;
    }

    /** Gives a reserved place back, when its connection has been closed. */
    synchronized void release(String address) {
        all.remove(address);
    }

    /**
     * Registers a connection that is open.
     *
     * @param authenticated whether its client need not authenticate
     */
    synchronized void add(Entry connection, boolean authenticated) {
        open.add(connection);
        if (!authenticated) {
            String address = connection.peerAddress();
            if (unauthenticated.isFullFor(address)) {
                closeOldest(address);
            } else if (unauthenticated.isFull()) {
                closeOldest(null);
            }
            pending.put(connection, address);
            unauthenticated.add(address);
        }
    }

    /** Makes room among those that have not authenticated, of one address or of all. */
    @GuardedBy("this")
    private void closeOldest(String address) {
        for (Map.Entry<Entry, String> each : pending.entrySet()) {
            if (address == null || each.getValue().equals(address)) {
                Entry oldest = each.getKey();
                onAuthenticated(oldest); // does not count any more
                oldest.eventLoop().execute(oldest::closeIfUnauthenticated);
                return;
            }
        }
    }

    /** Called when a client has authenticated. */
    synchronized void onAuthenticated(Entry connection) {
        String address = pending.remove(connection);
        if (address != null) {
            unauthenticated.remove(address);
        }
    }

    synchronized void remove(Entry connection) {
        onAuthenticated(connection);
        open.remove(connection);
    }

    /** Returns the number of open connections. */
    public synchronized int count() {
        return open.size();
    }

    /** Returns those that were opened first, oldest first. */
    public List<ClientConnection> oldest(int most) {
        long now = System.nanoTime();
        return list().stream()
                .sorted(Comparator.comparingLong(each -> each.openedNs() - now))
                .limit(most)
                .map(each -> (ClientConnection) each)
                .toList();
    }

    private synchronized List<Entry> list() {
        return List.copyOf(open);
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
        for (Entry each : list()) {
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
        list().forEach(each -> each.eventLoop().execute(each::shutDown));
    }

    /** Counts what there is of each address, up to a limit for one and a limit for all. */
    private static final class AddressCounts {
        private final int most;
        private final int mostOfOne;
        private final Map<String, Integer> byAddress = new HashMap<>();
        private int total;

        AddressCounts(int most, int mostOfOne) {
            this.most = most;
            this.mostOfOne = mostOfOne;
        }

        boolean isFull() {
            return total >= most;
        }

        boolean isFullFor(String address) {
            return byAddress.getOrDefault(address, 0) >= mostOfOne;
        }

        void add(String address) {
            total++;
            byAddress.merge(address, 1, Integer::sum);
        }

        void remove(String address) {
            total--;
            byAddress.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
        }
    }
}
