package io.firn.server.wire;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The memory of the responses of all connections, with a share for each client. Connections of a
 * client above its share wait in a line. The first in it goes on nevertheless, until its responses
 * use no memory: otherwise responses that are made at the same time, and none of which is complete,
 * could all wait for each other. Thread-safe.
 */
final class ResponseMemory {
    private final ClientShares shares;

    /** By client. Guarded by itself, and used only while a client waits. */
    private final Map<String, Set<Object>> lines = new HashMap<>();

    /** Creates a limit of so many bytes. */
    ResponseMemory(long most) {
        this.shares = new ClientShares(most);
    }

    /** Adds bytes that are in use already, or subtracts them. */
    void add(String owner, long bytes) {
        shares.add(owner, bytes);
    }

    /** Returns whether a client has to wait, without some bytes of its own. */
    boolean isExceeded(String owner, long without) {
        return shares.isExceeded(owner, without);
    }

    /** Returns whether a connection is the first in its client's line, which it joins. */
    boolean isFirst(String owner, Object connection) {
        synchronized (lines) {
            Set<Object> line = lines.computeIfAbsent(owner, key -> new LinkedHashSet<>());
            line.add(connection);
            return line.iterator().next() == connection;
        }
    }

    /** A connection does not wait any more. */
    void leave(String owner, Object connection) {
        synchronized (lines) {
            lines.computeIfPresent(
                    owner,
                    (key, line) -> {
                        line.remove(connection);
                        return line.isEmpty() ? null : line;
                    });
        }
    }
}
