package io.firn.server;

import io.firn.server.config.ServerConfig;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.FinalizedFeatureKey;
import org.apache.kafka.common.message.ApiVersionsResponseData.SupportedFeatureKey;

/**
 * The features that clients are told of. By {@code transaction.version} a client decides whether it
 * gets a new epoch for each transaction (2), or adds partitions by requests of their own (0 and 1).
 */
final class ServerFeatures {
    private static final String TRANSACTIONS = "transaction.version";
    private static final short LATEST_TRANSACTIONS = 2;

    private static final short FIRST_WITH_FEATURES = 3;
    private static final short FIRST_WITH_LEVEL_0 = 4;

    private final short transactions;

    ServerFeatures(ServerConfig config) {
        this.transactions = (short) config.integer("firn.transaction.version");
    }

    /** Adds the features to a response of a version. */
    ApiVersionsResponseData addTo(ApiVersionsResponseData response, short version) {
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
