package io.firn.server.group;

import io.firn.server.log.Node;
import io.firn.server.log.Nodes;
import io.firn.server.log.OffsetsTopic;
import io.firn.server.security.Access;
import io.firn.server.security.Right;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.Handler;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.protocol.Errors;

/**
 * Handles FindCoordinator: this node coordinates all groups. There is no coordinator for
 * transactions. May write files, because it creates the topic that clients expect when there are
 * groups.
 */
public final class CoordinatorFinder implements Handler<FindCoordinatorRequestData> {
    private static final short BATCHED = 4;
    private static final byte GROUP = 0;
    private static final byte TRANSACTION = 1;

    private final Nodes nodes;
    private final OffsetsTopic offsetsTopic;

    /** Creates the handler. */
    public CoordinatorFinder(Nodes nodes, OffsetsTopic offsetsTopic) {
        this.nodes = nodes;
        this.offsetsTopic = offsetsTopic;
    }

    @Override
    public void handle(Exchange exchange, FindCoordinatorRequestData request) {
        Access access = exchange.connection().access();
        List<String> keys =
                exchange.version() >= BATCHED ? request.coordinatorKeys() : List.of(request.key());
        Set<String> hidden = new HashSet<>();
        if (request.keyType() == GROUP) {
            for (String each : keys) {
                if (!access.may(Right.FIND_COORDINATOR, each)) {
                    hidden.add(each);
                }
            }
        }
        if (request.keyType() == GROUP && !hidden.containsAll(keys)) {
            offsetsTopic.ensureExists();
        }
        FindCoordinatorResponseData response = new FindCoordinatorResponseData();
        if (exchange.version() >= BATCHED) {
            Node here = nodes.of(exchange);
            exchange.inSteps(
                    keys,
                    key ->
                            response.coordinators()
                                    .add(
                                            hidden.contains(key)
                                                    ? hidden(key)
                                                    : find(here, request.keyType(), key)),
                    () -> exchange.reply(response));
            return;
        }
        Coordinator one =
                hidden.isEmpty()
                        ? find(nodes.of(exchange), request.keyType(), request.key())
                        : hidden(request.key());
        exchange.reply(
                response.setErrorCode(one.errorCode())
                        .setErrorMessage(one.errorMessage())
                        .setNodeId(one.nodeId())
                        .setHost(one.host())
                        .setPort(one.port()));
    }

    private static Coordinator hidden(String key) {
        Errors error = Errors.GROUP_AUTHORIZATION_FAILED;
        return new Coordinator()
                .setKey(key)
                .setNodeId(-1)
                .setHost("")
                .setPort(-1)
                .setErrorCode(error.code())
                .setErrorMessage(error.message());
    }

    private static Coordinator find(Node here, byte type, String key) {
        Coordinator result = new Coordinator().setKey(key);
        if (type == GROUP) {
            return result.setNodeId(here.id()).setHost(here.host()).setPort(here.port());
        }
        Errors error =
                type == TRANSACTION
                        ? Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
                        : Errors.INVALID_REQUEST;
        String why =
                type == TRANSACTION ? "Firn has no transactions." : "Firn coordinates groups only.";
        return result.setNodeId(-1)
                .setHost("")
                .setPort(-1)
                .setErrorCode(error.code())
                .setErrorMessage(why);
    }
}
