package io.firn.server;

import io.firn.server.group.GroupHandlers;
import io.firn.server.group.GroupHandlers.GroupView;
import io.firn.server.wire.ClientConnection;
import io.firn.server.wire.Connections;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The clients of a server, read from their sources at each call. */
record ConnectedClients(Connections open, GroupHandlers groups) implements ServerClients {

    @Override
    public List<ConnectionStatus> connections(int most) {
        return open.oldest(most).stream().map(ConnectedClients::status).toList();
    }

    private static ConnectionStatus status(ClientConnection client) {
        return new Connected(
                client.peerAddress(),
                client.listener(),
                client.authentication().listener().tls() != null,
                client.authentication().isComplete(),
                client.principal(),
                client.introduction().clientId(),
                client.introduction().software(),
                Duration.ofNanos(System.nanoTime() - client.openedNs()));
    }

    @Override
    public Set<String> groupIds() {
        return groups.ids();
    }

    @Override
    public Optional<GroupStatus> group(String id) {
        return Optional.ofNullable(groups.look(id)).map(ConnectedClients::status);
    }

    private static GroupStatus status(GroupView group) {
        List<MemberStatus> members =
                group.members().stream().map(ConnectedClients::status).toList();
        return new Grouped(group.state(), group.protocol(), members);
    }

    private static MemberStatus status(GroupView.MemberView member) {
        return new Joined(
                member.id(),
                Optional.ofNullable(member.instanceId()),
                member.clientId(),
                member.host());
    }

    private record Connected(
            String address,
            String listener,
            boolean isEncrypted,
            boolean isAuthenticated,
            String principal,
            String clientId,
            String software,
            Duration age)
            implements ConnectionStatus {}

    private record Grouped(String state, String protocol, List<MemberStatus> members)
            implements GroupStatus {}

    private record Joined(String id, Optional<String> instanceId, String clientId, String host)
            implements MemberStatus {}
}
