package io.firn.server.config;

import java.util.List;
import java.util.Locale;

/**
 * A listener, and what the configuration says of it. Immutable.
 *
 * @see ServerConfig
 */
public final class Listener {
    private final ConfigValues values;
    private final Endpoint endpoint;
    private final Endpoint advertised;
    private final String protocol;

    Listener(ConfigValues values, Endpoint endpoint, Endpoint advertised, String protocol) {
        this.values = values;
        this.endpoint = endpoint;
        this.advertised = advertised;
        this.protocol = protocol;
    }

    /** Returns the name. */
    public String name() {
        return endpoint.name();
    }

    /** Returns where it listens. */
    public Endpoint endpoint() {
        return endpoint;
    }

    /** Returns the address that its clients are told; null for the address where it listens. */
    public Endpoint advertised() {
        return advertised;
    }

    /** Returns {@code PLAINTEXT}, {@code SSL}, {@code SASL_PLAINTEXT} or {@code SASL_SSL}. */
    public String protocol() {
        return protocol;
    }

    /** Returns whether TLS encrypts its connections. */
    public boolean isEncrypted() {
        return protocol.endsWith("SSL");
    }

    /** Returns whether its clients authenticate by SASL. */
    public boolean isSasl() {
        return protocol.startsWith("SASL");
    }

    /** Returns the name of a key that holds for this listener only. */
    public String ownKey(String key) {
        return SecurityKeys.PREFIX + name().toLowerCase(Locale.ROOT) + "." + key;
    }

    /** Returns whether there is such a key for listeners. */
    public boolean knows(String key) {
        return SecurityKeys.all().containsKey(key);
    }

    /** Returns a value of this listener, or of all listeners, or the default; null if none. */
    public String text(String key) {
        String own = ownKey(key);
        return values.text(values.has(own) ? own : key);
    }

    /** Returns a value as a list. */
    public List<String> list(String key) {
        String own = ownKey(key);
        return values.list(values.has(own) ? own : key);
    }

    /** Returns whether a value was given for this listener only. */
    public boolean hasOwn(String key) {
        return values.has(ownKey(key));
    }

    @Override
    public String toString() {
        return name() + " (" + protocol + ")";
    }
}
