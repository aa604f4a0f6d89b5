package io.firn.server.group;

import io.firn.server.log.Node;
import io.firn.server.log.Nodes;
import io.firn.server.log.OffsetsTopic;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.Handler;
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
        if (request.keyType() == GROUP) {
            offsetsTopic.ensureExists();
        }
        FindCoordinatorResponseData response = new FindCoordinatorResponseData();
        if (exchange.version() >= BATCHED) {
            for (String key : request.coordinatorKeys()) {
                response.coordinators().add(find(nodes.of(exchange), request.keyType(), key));
            }
        } else {
            Coordinator one = find(nodes.of(exchange), request.keyType(), request.key());
            response.setErrorCode(one.errorCode())
                    .setErrorMessage(one.errorMessage())
                    .setNodeId(one.nodeId())
                    .setHost(one.host())
                    .setPort(one.port());
        }
        exchange.reply(response);
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
