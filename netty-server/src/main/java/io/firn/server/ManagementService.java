package io.firn.server;

import io.firn.LogStore;
import io.firn.server.config.ServerConfig;
import io.firn.server.log.ServedTopics;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * Serves the health and the metrics of a server on a listener of its own. A server that has {@code
 * management.listener} in its configuration finds one by {@link java.util.ServiceLoader}; the jar
 * {@code firn-management} has one.
 *
 * @see FirnServer
 */
public interface ManagementService {
    /** The name of a topic of the store that clients do not see, for the service to try out. */
    String HEALTH_TOPIC = ServedTopics.HIDDEN;

    /**
     * Starts it.
     *
     * @throws IOException if it cannot listen
     */
    Running start(Managed server) throws IOException;

    /** A service that runs. */
    interface Running extends AutoCloseable {

        /** Returns where it listens. */
        URI uri();

        /** Ends it. */
        @Override
        void close();
    }

    /** What a service is for. Thread-safe. */
    interface Managed {

        /** Returns the metrics of the server. */
        ServerMetricsMXBean metrics();

        /** Returns the store that it serves. */
        LogStore store();

        /**
         * Returns why only a restart helps, one reason each: a thread of the server or the store
         * has stood still for ten seconds or has ended, or another process may write the store.
         * Empty if the process should go on.
         */
        List<String> reasonsToEnd();

        /** Returns the clients of the server. */
        ServerClients clients();

        /** Returns the configuration at the start, which has a listener for the service. */
        ServerConfig config();

        /** Returns the configuration that holds now, with the values that clients have set. */
        ServerConfig currentConfig();

        /**
         * Returns the certificates for HTTPS: another object when their files have changed. Empty
         * for HTTP.
         */
        Optional<SSLContext> tls();

        /** Returns protocols, cipher suites, and whether clients need certificates. */
        Optional<SSLParameters> tlsParameters();
    }
}
