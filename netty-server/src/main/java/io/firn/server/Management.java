package io.firn.server;

import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.server.ManagementService.Managed;
import io.firn.server.ManagementService.Running;
import io.firn.server.config.Listener;
import io.firn.server.config.ServerConfig;
import io.firn.server.log.ServedTopics;
import io.firn.server.security.ServerSecurity;
import io.firn.server.security.Tls;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** Finds and starts the service for the management listener of a server. */
record Management(
        Liveness liveness,
        ServerClients clients,
        ServedTopics topics,
        ServerConfig config,
        Optional<Tls> current)
        implements Managed {

    /** Starts it, if the configuration has a listener for it; otherwise returns null. */
    static Running start(
            Liveness liveness,
            ServerClients clients,
            ServedTopics topics,
            ServerConfig config,
            ServerSecurity all)
            throws IOException {
        Optional<Listener> listener = config.management();
        if (listener.isEmpty()) {
            return null;
        }
        liveness.eachSecond(reasons -> {});
        Optional<Tls> tls = Optional.ofNullable(all.listener(listener.get().name()).tls());
        return find().start(new Management(liveness, clients, topics, config, tls));
    }

    /** Checks that there is a service if the configuration has a listener for it. */
    static void check(ServerConfig config) {
        if (config.management().isPresent()) {
            find();
        }
    }

    private static ManagementService find() {
        ClassLoader ofServer = ManagementService.class.getClassLoader();
        return ServiceLoader.load(ManagementService.class, ofServer)
                .findFirst()
                .orElseThrow(
                        () ->
                                new InvalidOptionException(
                                        "management.listener: expected firn-management on the"
                                                + " class path of the server, found no such service;"
                                                + " add the jar, or remove the key"));
    }

    @Override
    public LogStore store() {
        return topics.store();
    }

    @Override
    public ServerConfig currentConfig() {
        return topics.config();
    }

    @Override
    public ServerMetricsMXBean metrics() {
        return liveness.metrics();
    }

    @Override
    public List<String> reasonsToEnd() {
        return liveness.reasonsToEnd();
    }

    @Override
    public Optional<SSLContext> tls() {
        return current.map(Tls::context);
    }

    @Override
    public Optional<SSLParameters> tlsParameters() {
        return current.map(Tls::parameters);
    }
}
