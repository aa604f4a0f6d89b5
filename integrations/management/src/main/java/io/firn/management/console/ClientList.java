package io.firn.management.console;

import io.firn.server.ServerClients;
import io.firn.server.ServerClients.ConnectionStatus;
import io.firn.server.ServerMetricsMXBean;
import java.util.List;

/** The open connections. */
final class ClientList {
    private static final int MOST = 2_000;
    private static final int PAGE = 100;

    private final ServerClients clients;
    private final ServerMetricsMXBean metrics;

    ClientList(ServerClients clients, ServerMetricsMXBean metrics) {
        this.clients = clients;
        this.metrics = metrics;
    }

    /** A connection. */
    record Row(
            String address,
            String listener,
            boolean encrypted,
            boolean authenticated,
            String principal,
            String clientId,
            String software,
            long ageMs) {

        static Row of(ConnectionStatus open) {
            return new Row(
                    open.address(),
                    open.listener(),
                    open.isEncrypted(),
                    open.isAuthenticated(),
                    open.principal(),
                    open.clientId(),
                    open.software(),
                    open.age().toMillis());
        }

        boolean matches(Query query) {
            return query.matches(
                    String.join(" ", address, listener, principal, clientId, software));
        }
    }

    /**
     * The answer.
     *
     * @param open how many there are
     * @param searched how many of them, the oldest, were looked at
     */
    record Answer(int open, int searched, Page<Row> connections) {}

    Answer answer(Query query) {
        List<Row> all = clients.connections(MOST).stream().map(Row::of).toList();
        List<Row> rows = all.stream().filter(each -> each.matches(query)).toList();
        return new Answer(metrics.getConnections(), all.size(), Page.of(rows, query.page(), PAGE));
    }
}
