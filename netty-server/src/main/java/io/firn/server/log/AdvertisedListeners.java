package io.firn.server.log;

import io.firn.server.config.Endpoint;
import io.firn.server.config.Listener;
import io.firn.server.wire.Exchange;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The one node, with the address that the clients of each listener are told. Thread-safe. */
public final class AdvertisedListeners {
    /**
     * The one node that clients see.
     *
     * @param id its id
     * @param host the host that clients connect to
     * @param port the port that clients connect to
     * @param clusterId the id of the cluster, which is kept in the store
     */
    public record Node(int id, String host, int port, String clusterId) {
        /**
         * Returns the address that the clients of a listener get.
         *
         * @param port the port that it listens on
         */
        public static Node of(int id, Listener listener, int port, String clusterId) {
            Endpoint where = listener.endpoint();
            Endpoint advertised = listener.advertised();
            String host = where.isAnyAddress() ? "localhost" : where.host();
            return advertised == null
                    ? new Node(id, host, port, clusterId)
                    : new Node(
                            id,
                            advertised.isAnyAddress() ? host : advertised.host(),
                            advertised.port() == 0 ? port : advertised.port(),
                            clusterId);
        }

        /** Returns the address that clients connect to. */
        public String address() {
            return host + ":" + port;
        }
    }

    private final Map<String, Node> byListener = new ConcurrentHashMap<>();
    private volatile Node first;
    private volatile String firstListener;

    /** Creates it without addresses, which listeners add before they accept connections. */
    public AdvertisedListeners() {}

    /** Creates it with one address, for the clients of all listeners. */
    public AdvertisedListeners(Node node) {
        this.first = node;
    }

    /** Sets what the clients of a listener are told; the listener that comes first is the first. */
    public void set(String listener, Node node) {
        if (byListener.isEmpty() || listener.equals(firstListener)) {
            firstListener = listener;
            first = node;
        }
        byListener.put(listener, node);
    }

    /** Returns the node for the client that has sent a request. */
    public Node of(Exchange exchange) {
        return byListener.getOrDefault(exchange.connection().listener(), first);
    }

    /** Returns the node for the clients of a listener; null if there is no such listener. */
    public Node of(String listener) {
        return byListener.get(listener);
    }

    /** Returns the node for the clients of the first listener. */
    public Node first() {
        return first;
    }
}
