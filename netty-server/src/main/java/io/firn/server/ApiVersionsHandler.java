package io.firn.server;

import io.firn.server.log.AdvertisedListeners;
import io.firn.server.log.AdvertisedNode;
import io.firn.server.wire.ApiTable;
import io.firn.server.wire.Exchange;
import io.firn.server.wire.Handler;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiVersionsRequest;

/**
 * Answers ApiVersions. From version 5 on, a client says which node of which cluster it wants to be
 * connected to; one that reaches another cluster, at an address that was reused, has to look up the
 * brokers again.
 */
final class ApiVersionsHandler implements Handler<ApiVersionsRequestData> {
    private final ApiTable table;
    private final ServerFeatures features;
    private final AdvertisedListeners nodes;

    ApiVersionsHandler(ApiTable table, ServerFeatures features, AdvertisedListeners nodes) {
        this.table = table;
        this.features = features;
        this.nodes = nodes;
    }

    @Override
    public void handle(Exchange exchange, ApiVersionsRequestData request) {
        short version = exchange.version();
        if (!new ApiVersionsRequest(request, version).isValid()) {
            exchange.reply(error(Errors.INVALID_REQUEST));
        } else if (isForAnotherNode(exchange, request)) {
            exchange.reply(error(Errors.REBOOTSTRAP_REQUIRED));
        } else {
            exchange.reply(features.addTo(table.versions(), version));
        }
    }

    /** As in Kafka, clients that have to authenticate first are not told. */
    private boolean isForAnotherNode(Exchange exchange, ApiVersionsRequestData request) {
        if (request.clusterId() == null || !exchange.connection().authentication().isComplete()) {
            return false;
        }
        AdvertisedNode here = nodes.of(exchange);
        return !request.clusterId().equals(here.clusterId()) || request.nodeId() != here.id();
    }

    private static ApiVersionsResponseData error(Errors error) {
        return new ApiVersionsResponseData().setErrorCode(error.code());
    }
}
