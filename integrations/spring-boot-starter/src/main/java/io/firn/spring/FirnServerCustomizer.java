package io.firn.spring;

import io.firn.server.FirnServer;

/**
 * Changes how the server is started, for what has no property. Declare it as a bean.
 *
 * @see LogStoreCustomizer
 */
@FunctionalInterface
public interface FirnServerCustomizer {

    /** Called before each start, after the properties were applied. */
    void customize(FirnServer.Builder builder);
}
