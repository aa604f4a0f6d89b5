package io.firn.server.group;

import io.firn.TopicExistsException;
import io.firn.server.log.AdvertisedListeners;
import io.firn.server.log.ServedTopics;
import io.firn.server.security.Access;
import io.firn.server.security.Right;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.Handler;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.protocol.Errors;

/**
 * Handles FindCoordinator: this node coordinates all groups and all transactions. May write files,
 * because it creates the topic that clients expect when there are groups.
 */
public final class FindCoordinatorHandler implements Handler<FindCoordinatorRequestData> {
    private static final short BATCHED = 4;
    private static final System.Logger LOG = System.getLogger("io.firn.server");
    private static final byte GROUP = 0;
    private static final byte TRANSACTION = 1;

    private final AdvertisedListeners nodes;
    private final ServedTopics topics;
    private volatile boolean failed;

    /** Creates the handler. */
    public FindCoordinatorHandler(AdvertisedListeners nodes, ServedTopics topics) {
        this.nodes = nodes;
        this.topics = topics;
    }

    @Override
    public void handle(Exchange exchange, FindCoordinatorRequestData request) {
        Access access = exchange.connection().access();
        List<String> keys =
                exchange.version() >= BATCHED ? request.coordinatorKeys() : List.of(request.key());
        Set<String> hidden = new HashSet<>();
        Right right = rightFor(request.keyType());
        if (right != null) {
            for (String each : keys) {
                if (!access.may(right, each)) {
                    hidden.add(each);
                }
            }
        }
        if (request.keyType() == GROUP && !hidden.containsAll(keys)) {
            ensureOffsetsTopic();
        }
        FindCoordinatorResponseData response = new FindCoordinatorResponseData();
        if (exchange.version() >= BATCHED) {
            AdvertisedListeners.Node here = nodes.of(exchange);
            exchange.inSteps(
                    keys,
                    key ->
                            response.coordinators()
                                    .add(
                                            hidden.contains(key)
                                                    ? hidden(key, right)
                                                    : find(here, request.keyType(), key)),
                    () -> exchange.reply(response));
            return;
        }
        Coordinator one =
                hidden.isEmpty()
                        ? find(nodes.of(exchange), request.keyType(), request.key())
                        : hidden(request.key(), right);
        exchange.reply(
                response.setErrorCode(one.errorCode())
                        .setErrorMessage(one.errorMessage())
                        .setNodeId(one.nodeId())
                        .setHost(one.host())
                        .setPort(one.port()));
    }

    private static Right rightFor(byte type) {
        return switch (type) {
            case GROUP -> Right.FIND_COORDINATOR;
            case TRANSACTION -> Right.FIND_TRANSACTION_COORDINATOR;
            default -> null;
        };
    }

    private static Coordinator hidden(String key, Right right) {
        Errors error = right.error();
        return new Coordinator()
                .setKey(key)
                .setNodeId(-1)
                .setHost("")
                .setPort(-1)
                .setErrorCode(error.code())
                .setErrorMessage(error.message());
    }

    private static Coordinator find(AdvertisedListeners.Node here, byte type, String key) {
        Coordinator result = new Coordinator().setKey(key);
        if (type == GROUP || type == TRANSACTION) {
            return result.setNodeId(here.id()).setHost(here.host()).setPort(here.port());
        }
        return result.setNodeId(-1)
                .setHost("")
                .setPort(-1)
                .setErrorCode(Errors.INVALID_REQUEST.code())
                .setErrorMessage("Firn coordinates groups and transactions only.");
    }

    /**
     * Creates {@code __consumer_offsets}, as Kafka does when a client looks for a group for the
     * first time: clients, their tests and user interfaces expect it. It stays empty, because
     * committed offsets are cursors of the topics that they belong to. Groups work without it: a
     * failure is logged once, and the next call tries again.
     */
    private void ensureOffsetsTopic() {
        String name = Topic.GROUP_METADATA_TOPIC_NAME;
        try {
            if (topics.find(name) == null) {
                topics.create(name, 1, Map.of("cleanup.policy", "compact"));
                failed = false;
            }
        } catch (TopicExistsException e) {
            failed = false; // another request created it meanwhile
        } catch (RuntimeException e) {
            if (!failed) {
                failed = true;
                LOG.log(System.Logger.Level.WARNING, "the topic " + name + " cannot be created", e);
            }
        }
    }
}
