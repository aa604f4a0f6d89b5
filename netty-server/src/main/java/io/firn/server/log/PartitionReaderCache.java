package io.firn.server.log;

import io.firn.server.wire.ClientConnection;
import io.firn.server.wire.ClientShares;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.concurrent.GuardedBy;

/**
 * The readers that a connection keeps between fetches: they only save time. All connections
 * together keep a limited number, of which each client has a share; each may keep one in any case.
 * Places count until the connection is closed, so that in the steady state nothing is counted.
 * Thread-safe.
 */
final class PartitionReaderCache {
    private static final int MOST = 1_000;
    private static final int UNCOUNTED = 1;

    private final String owner;
    private final ClientShares shares;

    @GuardedBy("this")
    private final Map<ServedPartition, PartitionReader> readers = new HashMap<>();

    /** For how many there is room, with those that are in use. */
    @GuardedBy("this")
    private int places = UNCOUNTED;

    @GuardedBy("this")
    private boolean closed;

    PartitionReaderCache(String owner, ClientShares shares) {
        this.owner = owner;
        this.shares = shares;
    }

    /** Returns the readers of a connection, which are dropped when it is closed. */
    static PartitionReaderCache of(ClientConnection connection, ClientShares shares) {
        PartitionReaderCache readers = new PartitionReaderCache(connection.owner(), shares);
        connection.onClose(readers::close);
        return readers;
    }

    /** Returns a reader, which is the caller's until it is kept again; null if there is none. */
    synchronized PartitionReader take(ServedPartition partition) {
        return readers.remove(partition);
    }

    /** Keeps a reader, if there is room for it. */
    synchronized void keep(ServedPartition partition, PartitionReader reader) {
        if (closed) {
            return;
        }
        if (readers.size() >= MOST) {
            readers.clear();
        }
        if (readers.size() < places) {
            readers.put(partition, reader);
        } else if (shares.tryAdd(owner, 1)) {
            places++;
            readers.put(partition, reader);
        } else {
            readers.clear(); // those of partitions that are not read any more would stay
            readers.put(partition, reader);
        }
    }

    /** Drops them all: the connection is closed. */
    synchronized void close() {
        closed = true;
        readers.clear();
        shares.add(owner, UNCOUNTED - places);
        places = UNCOUNTED;
    }
}
