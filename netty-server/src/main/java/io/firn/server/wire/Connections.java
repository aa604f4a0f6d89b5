package io.firn.server.wire;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The open connections, and how many there may be. Thread-safe. */
public final class Connections {
    private final ServerLimits limits;
    private final Map<Connection, String> open = new HashMap<>();
    private final Map<String, Integer> byAddress = new HashMap<>();

    Connections(ServerLimits limits) {
        this.limits = limits;
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

    /** Looks for connections that do nothing or are stuck. */
    void checkTimes() {
        long now = System.nanoTime();
        List<Connection> all = all();
        // Requests that have begun to come may wait for each other's memory: one of them has to go.
        all.stream()
                .filter(each -> each.starvedBytes() > 0)
                .max(Comparator.comparingInt(Connection::starvedBytes))
                .ifPresent(each -> each.eventLoop().execute(each::giveWay));
        all.forEach(each -> each.eventLoop().execute(() -> each.checkTimes(now)));
    }

    /** Has each connection answer what it was asked, and end. */
    void end() {
        Set<Connection> ending = new HashSet<>(all());
        ending.forEach(each -> each.eventLoop().execute(each::end));
    }
}
