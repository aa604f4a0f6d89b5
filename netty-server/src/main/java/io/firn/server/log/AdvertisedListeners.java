package io.firn.server.log;

import io.firn.server.wire.Exchange;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The one node, with the address that the clients of each listener are told. Thread-safe. */
public final class AdvertisedListeners {
    private final Map<String, AdvertisedNode> byListener = new ConcurrentHashMap<>();
    private volatile AdvertisedNode first;
    private volatile String firstListener;

    /** Creates it without addresses, which listeners add before they accept connections. */
    public AdvertisedListeners() {}

    /** Creates it with one address, for the clients of all listeners. */
    public AdvertisedListeners(AdvertisedNode node) {
        this.first = node;
    }

    /** Sets what the clients of a listener are told; the listener that comes first is the first. */
    public void set(String listener, AdvertisedNode node) {
        if (byListener.isEmpty() || listener.equals(firstListener)) {
            firstListener = listener;
            first = node;
        }
        byListener.put(listener, node);
    }

    /** Returns the node for the client that has sent a request. */
    public AdvertisedNode of(Exchange exchange) {
        return byListener.getOrDefault(exchange.connection().listener(), first);
    }

    /** Returns the node for the clients of a listener; null if there is no such listener. */
    public AdvertisedNode of(String listener) {
        return byListener.get(listener);
    }

    /** Returns the node for the clients of the first listener. */
    public AdvertisedNode first() {
        return first;
    }
}
