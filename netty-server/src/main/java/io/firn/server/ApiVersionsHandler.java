package io.firn.server;

import io.firn.server.config.ServerConfig;
import io.firn.server.log.AdvertisedListeners;
import io.firn.server.wire.ApiTable;
import io.firn.server.wire.ClientConnection.Introduction;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.Handler;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.FinalizedFeatureKey;
import org.apache.kafka.common.message.ApiVersionsResponseData.SupportedFeatureKey;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiVersionsRequest;

/**
 * Answers ApiVersions. From version 5 on, a client says which node of which cluster it wants to be
 * connected to; one that reaches another cluster, at an address that was reused, has to look up the
 * brokers again.
 */
final class ApiVersionsHandler implements Handler<ApiVersionsRequestData> {
    private static final String TRANSACTIONS = "transaction.version";
    private static final short LATEST_TRANSACTIONS = 2;

    private static final short FIRST_WITH_FEATURES = 3;
    private static final short FIRST_WITH_LEVEL_0 = 4;

    private final ApiTable table;
    private final short transactions;
    private final AdvertisedListeners nodes;

    ApiVersionsHandler(ApiTable table, ServerConfig config, AdvertisedListeners nodes) {
        this.table = table;
        this.transactions = (short) config.integer("firn.transaction.version");
        this.nodes = nodes;
    }

    @Override
    public void handle(Exchange exchange, ApiVersionsRequestData request) {
        short version = exchange.version();
        String software = request.clientSoftwareName() + " " + request.clientSoftwareVersion();
        exchange.connection().introduce(new Introduction(exchange.clientId(), software.trim()));
        if (!new ApiVersionsRequest(request, version).isValid()) {
            exchange.reply(error(Errors.INVALID_REQUEST));
        } else if (isForAnotherNode(exchange, request)) {
            exchange.reply(error(Errors.REBOOTSTRAP_REQUIRED));
        } else {
            exchange.reply(addFeatures(table.versions(), version));
        }
    }

    /** As in Kafka, clients that have to authenticate first are not told. */
    private boolean isForAnotherNode(Exchange exchange, ApiVersionsRequestData request) {
        if (request.clusterId() == null || !exchange.connection().authentication().isComplete()) {
            return false;
        }
        AdvertisedListeners.Node here = nodes.of(exchange);
        return !request.clusterId().equals(here.clusterId()) || request.nodeId() != here.id();
    }

    private static ApiVersionsResponseData error(Errors error) {
        return new ApiVersionsResponseData().setErrorCode(error.code());
    }

    /**
     * Adds the features that clients are told of. By {@code transaction.version} a client decides
     * whether it gets a new epoch for each transaction (2), or adds partitions by requests of their
     * own (0 and 1).
     */
    private ApiVersionsResponseData addFeatures(ApiVersionsResponseData response, short version) {
        if (version < FIRST_WITH_FEATURES) {
            return response;
        }
        response.supportedFeatures()
                .add(
                        new SupportedFeatureKey()
                                .setName(TRANSACTIONS)
                                // Clients of version 3 fail at 0.
                                .setMinVersion((short) (version < FIRST_WITH_LEVEL_0 ? 1 : 0))
                                .setMaxVersion(LATEST_TRANSACTIONS));
        response.finalizedFeatures()
                .add(
                        new FinalizedFeatureKey()
                                .setName(TRANSACTIONS)
                                .setMinVersionLevel(transactions)
                                .setMaxVersionLevel(transactions));
        return response.setFinalizedFeaturesEpoch(0);
    }
}
