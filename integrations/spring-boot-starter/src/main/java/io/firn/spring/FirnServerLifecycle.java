package io.firn.spring;

import io.firn.LogStore;
import io.firn.server.FirnServer;
import io.firn.spring.FirnProperties.ServerProperties;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.springframework.context.SmartLifecycle;

/**
 * The server for Kafka clients: starts before listeners and the web server, and stops after them.
 * Asking for its address starts it earlier, so that other beans may connect while they are created.
 * Thread-safe.
 *
 * @see LogStoreCustomizer
 */
public final class FirnServerLifecycle implements SmartLifecycle {
    /** Lower than that of listeners and of web servers, which use it. */
    static final int PHASE = Integer.MAX_VALUE / 2;

    private final LogStore store;
    private final ServerProperties properties;
    private final List<FirnServerCustomizer> customizers;
    private FirnServer server;

    FirnServerLifecycle(
            LogStore store, ServerProperties properties, List<FirnServerCustomizer> customizers) {
        this.store = store;
        this.properties = properties;
        this.customizers = customizers;
    }

    /** Returns the server, and starts it if it is not running. */
    public synchronized FirnServer server() {
        if (server == null) {
            FirnServer.Builder builder = FirnServer.of(store);
            properties.settings().forEach(builder::set);
            if (properties.port() != null) {
                builder.port(properties.port());
            }
            customizers.forEach(each -> each.customize(builder));
            try {
                server = builder.start();
            } catch (IOException e) {
                throw new UncheckedIOException(
                        "the server for Kafka clients did not start: " + e.getMessage(), e);
            }
        }
        return server;
    }

    /** Returns the address for {@code bootstrap.servers}; starts the server if necessary. */
    public String bootstrapServers() {
        return server().bootstrapServers();
    }

    /** Returns the port of the first listener; starts the server if necessary. */
    public int port() {
        return server().port();
    }

    @Override
    public void start() {
        server();
    }

    @Override
    public synchronized void stop() {
        if (server != null) {
            server.close();
            server = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return server != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
