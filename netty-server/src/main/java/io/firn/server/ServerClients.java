package io.firn.server;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The clients of a server and their groups, for a {@link ManagementService} that shows them.
 * Thread-safe.
 *
 * @see FirnServer
 */
public interface ServerClients {

    /** Returns up to {@code most} open connections, oldest first. */
    List<ConnectionStatus> connections(int most);

    /** Returns the ids of the groups that have, or had, members or commits. */
    Set<String> groupIds();

    /** Returns a group; empty if there is none. May read a file. */
    Optional<GroupStatus> group(String id);

    /** A connection at one moment. */
    interface ConnectionStatus {

        /** Returns the client's address, without the port. */
        String address();

        /** Returns the name of the listener that has accepted it. */
        String listener();

        /** Returns whether it uses TLS. */
        boolean isEncrypted();

        /** Returns whether the client has done all that its listener asks for. */
        boolean isAuthenticated();

        /** Returns who the client is, such as {@code User:alice}. */
        String principal();

        /** Returns the client's {@code client.id}, which proves nothing; empty if it gave none. */
        String clientId();

        /** Returns the client's library and its version, in the same way. */
        String software();

        /** Returns for how long it has been open. */
        Duration age();
    }

    /** A group at one moment. */
    interface GroupStatus {

        /** Returns its state, as Kafka's tools show it. */
        String state();

        /** Returns the assignor that its members have agreed on; empty unless it is stable. */
        String protocol();

        /** Returns its members. */
        List<MemberStatus> members();
    }

    /** A member of a group at one moment. */
    interface MemberStatus {

        /** Returns its id. */
        String id();

        /** Returns its {@code group.instance.id}; empty if it has none. */
        Optional<String> instanceId();

        /** Returns its {@code client.id}. */
        String clientId();

        /** Returns its address. */
        String host();
    }
}
