package io.firn.server.wire;

import java.net.InetSocketAddress;

/** The addresses of clients, as limits and quotas count them. */
final class PeerAddress {
    private PeerAddress() {}

    /**
     * Returns the address in numbers, without the port and, for an address that is valid on a link
     * only, without the interface: a quota has none, and Kafka compares addresses in this way.
     */
    static String of(InetSocketAddress peer) {
        String text = peer.getAddress().getHostAddress();
        int scope = text.indexOf('%');
        return scope < 0 ? text : text.substring(0, scope);
    }
}
