package io.firn.forward;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.UUID;

/**
 * One that forwards: the positions in the cluster name it, so that another one, which it has
 * fenced, finds out by which.
 *
 * @param id differs for each
 * @param place where it runs, for people
 */
record Instance(UUID id, String place) {

    static Instance ofThisProcess() {
        return new Instance(UUID.randomUUID(), "process " + ProcessHandle.current().pid());
    }

    /** Looks up the name of the host, which may take a while. */
    Instance withHost() {
        try {
            String host = InetAddress.getLocalHost().getHostName();
            return new Instance(id, place + " on " + host);
        } catch (UnknownHostException e) {
            return this;
        }
    }
}
