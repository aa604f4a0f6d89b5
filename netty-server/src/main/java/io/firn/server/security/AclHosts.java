package io.firn.server.security;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/** The hosts of ACLs: addresses of clients, or {@code *}. */
final class AclHosts {
    /** An address in numbers, which is not looked up anywhere. */
    private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F:][0-9a-fA-F.]*:[0-9a-fA-F:.]*");

    private AclHosts() {}

    /**
     * Returns an IPv6 address as Java writes those of clients, without the short forms: an ACL that
     * denies something to {@code ::1} would otherwise be for nobody. Other texts stay as they are.
     */
    static String asOfClients(String host) {
        if (!IPV6.matcher(host).matches()) {
            return host;
        }
        try {
            return InetAddress.getByName(host).getHostAddress();
        } catch (UnknownHostException e) {
            return host; // not an address
        }
    }
}
