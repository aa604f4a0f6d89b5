package io.firn.server.config;

import io.firn.InvalidOptionException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Reads the listeners of a configuration, as Kafka does, and checks that they fit together. */
final class ListenerParser {
    private static final String LISTENERS = "listeners";
    private static final String ADVERTISED = "advertised.listeners";
    private static final String MAP = "listener.security.protocol.map";
    private static final String MANAGEMENT = "management.listener";
    private static final String MANAGEMENT_NAME = "MANAGEMENT";
    private static final List<String> PROTOCOLS =
            List.of("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL");

    private final ConfigValues values;
    private final Map<String, String> protocols = new HashMap<>();

    /** Names in lower case, with those of controllers. */
    private final Set<String> known = new LinkedHashSet<>();

    ListenerParser(ConfigValues values) {
        this.values = values;
    }

    /** Returns the listener for health and metrics; null if there is none. */
    Listener management() {
        if (!values.has(MANAGEMENT)) {
            return null;
        }
        Endpoint given = Endpoint.parse(MANAGEMENT, values.text(MANAGEMENT));
        boolean isEncrypted = given.name().equals("HTTPS");
        if (!isEncrypted && !given.name().equals("HTTP")) {
            throw new InvalidOptionException(
                    MANAGEMENT
                            + ": expected http://HOST:PORT or https://HOST:PORT, found '"
                            + values.text(MANAGEMENT)
                            + "'");
        }
        String host = given.host().isEmpty() ? "127.0.0.1" : given.host();
        Endpoint where = new Endpoint(MANAGEMENT_NAME, host, given.port());
        return new Listener(values, where, null, isEncrypted ? "SSL" : "PLAINTEXT");
    }

    List<Listener> parse() {
        readProtocols();
        if (management() != null) {
            known.add(MANAGEMENT_NAME.toLowerCase(Locale.ROOT));
        }
        Map<String, Endpoint> advertised = byName(ADVERTISED);
        List<Listener> all = new ArrayList<>();
        Set<String> controllers = new LinkedHashSet<>(values.list("controller.listener.names"));
        controllers.add("CONTROLLER");
        Set<String> places = new LinkedHashSet<>();
        byName(LISTENERS)
                .forEach(
                        (name, endpoint) -> {
                            if (!known.add(name.toLowerCase(Locale.ROOT))) {
                                throw new InvalidOptionException(
                                        LISTENERS
                                                + ": expected another name than that of "
                                                + MANAGEMENT
                                                + ", found "
                                                + name);
                            }
                            if (controllers.contains(name)) {
                                return;
                            }
                            String place = endpoint.host() + ":" + endpoint.port();
                            if (endpoint.port() != 0 && !places.add(place)) {
                                throw new InvalidOptionException(
                                        LISTENERS
                                                + ": expected another port for each listener, found "
                                                + place
                                                + " twice");
                            }
                            all.add(
                                    new Listener(
                                            values,
                                            endpoint,
                                            advertised.remove(name),
                                            protocolOf(name)));
                        });
        if (all.isEmpty()) {
            throw new InvalidOptionException(
                    LISTENERS
                            + " must name at least one NAME://HOST:PORT for clients, found "
                            + values.list(LISTENERS));
        }
        advertised.keySet().removeAll(controllers);
        if (!advertised.isEmpty()) {
            throw new InvalidOptionException(
                    ADVERTISED
                            + ": expected names of "
                            + LISTENERS
                            + ", "
                            + all.stream().map(Listener::name).toList()
                            + ", found "
                            + advertised.keySet());
        }
        checkOwnKeys();
        return List.copyOf(all);
    }

    private Map<String, Endpoint> byName(String key) {
        Map<String, Endpoint> all = new java.util.LinkedHashMap<>();
        for (String each : values.list(key)) {
            Endpoint endpoint = Endpoint.parse(key, each);
            if (all.put(endpoint.name(), endpoint) != null) {
                throw new InvalidOptionException(
                        key
                                + ": expected another name for each listener, found "
                                + endpoint.name()
                                + " twice");
            }
        }
        return all;
    }

    private void readProtocols() {
        for (String each : values.list(MAP)) {
            int colon = each.indexOf(':');
            String protocol = colon < 0 ? "" : each.substring(colon + 1).trim();
            if (colon <= 0 || !PROTOCOLS.contains(protocol.toUpperCase(Locale.ROOT))) {
                throw new InvalidOptionException(
                        MAP
                                + ": expected NAME:PROTOCOL with a protocol of "
                                + PROTOCOLS
                                + ", found '"
                                + each
                                + "'");
            }
            String name = each.substring(0, colon).trim().toUpperCase(Locale.ROOT);
            protocols.put(name, protocol.toUpperCase(Locale.ROOT));
        }
    }

    private String protocolOf(String name) {
        String protocol = protocols.get(name);
        if (protocol == null) {
            throw new InvalidOptionException(
                    LISTENERS
                            + ": expected a listener that "
                            + MAP
                            + " gives a protocol, one of "
                            + protocols.keySet().stream().sorted().toList()
                            + ", found '"
                            + name
                            + "'");
        }
        return protocol;
    }

    /** A misspelt listener would leave the right one with the settings of all others. */
    private void checkOwnKeys() {
        for (String key : values.given().keySet()) {
            String listener = SecurityKeys.listenerOf(key);
            if (listener != null && !known.contains(listener)) {
                throw new InvalidOptionException(
                        key
                                + ": expected the name of a listener, one of "
                                + known
                                + ", found '"
                                + listener
                                + "'");
            }
        }
    }
}
