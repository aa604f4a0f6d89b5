package io.firn.server.security;

import io.firn.InvalidOptionException;
import io.firn.server.config.Listener;
import io.firn.server.config.ServerConfig;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The security of a server: its listeners. Thread-safe. */
public final class ServerSecurity {
    private static final String ALLOWED_BY = "firn.insecure.listeners";

    private final Map<String, ListenerSecurity> listeners = new LinkedHashMap<>();

    /**
     * Reads what the listeners need.
     *
     * @throws InvalidOptionException if a value is invalid, a file cannot be used, or a listener
     *     would let in anybody from other machines
     */
    public ServerSecurity(ServerConfig config, ListenerSecurity.Services services) {
        List<Listener> all = new ArrayList<>(config.listeners());
        config.management().ifPresent(all::add);
        for (Listener each : all) {
            if (!config.flag(ALLOWED_BY) && !isAuthenticated(config, each) && !isLocal(each)) {
                throw new InvalidOptionException(
                        "listeners: "
                                + each
                                + " would accept clients of other machines without authentication."
                                + " Expected a loopback address, "
                                + (isManagement(config, each)
                                        ? "management.password, or https with"
                                        : "a SASL protocol, or SSL with")
                                + " ssl.client.auth=required; found "
                                + (each.endpoint().host().isEmpty()
                                        ? "all addresses"
                                        : each.endpoint().host())
                                + ". "
                                + ALLOWED_BY
                                + "=true allows it");
            }
            listeners.put(each.name(), new ListenerSecurity(each, limits(config, each), services));
        }
    }

    /**
     * Checks all that the constructor does, for a server whose store is not open yet.
     *
     * @throws InvalidOptionException as the constructor
     */
    public static void check(ServerConfig config, TlsEngines.Library openSsl) {
        var unused =
                new ServerSecurity(
                        config,
                        new ListenerSecurity.Services(null, null, null, new AuditLog(), openSsl));
    }

    /**
     * Returns whether clients need rights: there is a listener where they say who they are, or the
     * configuration asks for it.
     */
    public static boolean needsRights(ServerConfig config) {
        return !config.text("authorizer.class.name").isEmpty()
                || config.listeners().stream()
                        .anyMatch(
                                each ->
                                        each.isSasl()
                                                || (each.isEncrypted()
                                                        && !Tls.clientAuth(each).equals("none")));
    }

    private static ListenerSecurity.Limits limits(ServerConfig config, Listener listener) {
        return new ListenerSecurity.Limits(
                config.number("firn.authentication.timeout.ms"),
                Integer.parseInt(listener.text("sasl.server.max.receive.size")),
                config.number("connection.failed.authentication.delay.ms"),
                Long.parseLong(listener.text("connections.max.reauth.ms")));
    }

    private static boolean isManagement(ServerConfig config, Listener listener) {
        return config.management().stream().anyMatch(each -> each.name().equals(listener.name()));
    }

    private static boolean isAuthenticated(ServerConfig config, Listener listener) {
        return listener.isSasl()
                || (isManagement(config, listener) && config.has("management.password"))
                || (listener.isEncrypted() && Tls.clientAuth(listener).equals("required"));
    }

    private static boolean isLocal(Listener listener) {
        if (listener.endpoint().isAnyAddress()) {
            return false;
        }
        try {
            for (InetAddress each : InetAddress.getAllByName(listener.endpoint().host())) {
                if (!each.isLoopbackAddress()) {
                    return false;
                }
            }
            return true;
        } catch (UnknownHostException e) {
            return true; // it cannot listen there either
        }
    }

    /** Returns the security of a listener. */
    public ListenerSecurity listener(String name) {
        return listeners.get(name);
    }

    /** Returns whether a listener encrypts. */
    public boolean hasTls() {
        return listeners.values().stream().anyMatch(each -> each.tls() != null);
    }

    /** Returns whether clients of a listener show tokens, whose keys have to be kept. */
    public boolean hasTokens() {
        return listeners.values().stream().anyMatch(each -> each.tokens() != null);
    }

    /** Takes up keys of tokens that have changed. Reads files, and asks other servers. */
    public void refreshTokenKeys() {
        for (ListenerSecurity each : listeners.values()) {
            if (each.tokens() != null) {
                each.tokens().refreshKeys();
            }
        }
    }

    /** Takes up certificate files that have changed. Reads files. */
    public void reload() {
        for (ListenerSecurity each : listeners.values()) {
            if (each.tls() != null) {
                each.tls().reload();
            }
        }
    }
}
