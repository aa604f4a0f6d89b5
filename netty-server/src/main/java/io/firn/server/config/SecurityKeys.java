package io.firn.server.config;

import static io.firn.server.config.ConfigType.INT;
import static io.firn.server.config.ConfigType.LIST;
import static io.firn.server.config.ConfigType.LONG;
import static io.firn.server.config.ConfigType.PASSWORD;
import static io.firn.server.config.ConfigType.STRING;

import java.security.KeyStore;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The keys that say how listeners are secured. Each holds for all listeners, or for one as {@code
 * listener.name.NAME.KEY}, with the listener's name in lower case.
 */
final class SecurityKeys {
    static final String PREFIX = "listener.name.";
    private static final Pattern OF_ONE = Pattern.compile("listener\\.name\\.([a-z0-9_-]+)\\.(.+)");

    private static final Map<String, ConfigKey> KEYS = new LinkedHashMap<>();

    static {
        add(ConfigKey.of("ssl.keystore.location", STRING, null).notEmpty());
        add(storeType("ssl.keystore.type"));
        add(ConfigKey.of("ssl.keystore.password", PASSWORD, null));
        add(ConfigKey.of("ssl.key.password", PASSWORD, null));
        add(ConfigKey.of("ssl.keystore.key", PASSWORD, null));
        add(ConfigKey.of("ssl.keystore.certificate.chain", PASSWORD, null));
        add(ConfigKey.of("ssl.truststore.location", STRING, null).notEmpty());
        add(storeType("ssl.truststore.type"));
        add(ConfigKey.of("ssl.truststore.password", PASSWORD, null));
        add(ConfigKey.of("ssl.truststore.certificates", PASSWORD, null));
        add(ConfigKey.of("ssl.client.auth", STRING, "none").oneOf("none", "requested", "required"));
        add(
                ConfigKey.of("ssl.enabled.protocols", LIST, "TLSv1.2,TLSv1.3")
                        .oneOf("TLSv1.2", "TLSv1.3")
                        .notEmpty());
        add(ConfigKey.of("ssl.cipher.suites", LIST, ""));
        add(ConfigKey.of("firn.ssl.engine", STRING, "jdk").oneOf("jdk", "openssl"));
        add( // the JDK keeps none longer
                ConfigKey.of("firn.ssl.session.timeout.ms", LONG, 3_600_000)
                        .atLeast(1_000)
                        .atMost(86_400_000));
        add(ConfigKey.of("ssl.principal.mapping.rules", STRING, "DEFAULT").notEmpty());
        add(
                ConfigKey.of("sasl.enabled.mechanisms", LIST, "")
                        .oneOf("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"));
        add(ConfigKey.of("sasl.server.max.receive.size", INT, 524_288).atLeast(1024));
        add(ConfigKey.of("connections.max.reauth.ms", LONG, 0).atLeast(0));
        add(ConfigKey.of("plain.sasl.jaas.config", PASSWORD, null));
        // Kafka asks for these, although there is nothing to be said in them.
        add(ConfigKey.of("scram-sha-256.sasl.jaas.config", PASSWORD, null));
        add(ConfigKey.of("scram-sha-512.sasl.jaas.config", PASSWORD, null));
        addTokens();
    }

    private SecurityKeys() {}

    private static void addTokens() {
        String prefix = "sasl.oauthbearer.";
        add(ConfigKey.of(prefix + "jwks.endpoint.url", STRING, null).notEmpty());
        add(ConfigKey.of(prefix + "jwks.endpoint.refresh.ms", LONG, 3_600_000).atLeast(1_000));
        add(ConfigKey.of(prefix + "jwks.endpoint.retry.backoff.ms", LONG, 100).atLeast(1));
        add(ConfigKey.of(prefix + "jwks.endpoint.retry.backoff.max.ms", LONG, 10_000).atLeast(1));
        add(ConfigKey.of(prefix + "expected.issuer", STRING, null).notEmpty());
        add(ConfigKey.of(prefix + "expected.audience", LIST, ""));
        add(ConfigKey.of(prefix + "sub.claim.name", STRING, "sub").notEmpty());
        add(ConfigKey.of(prefix + "clock.skew.seconds", INT, 30).atLeast(0).atMost(3_600));
        add(ConfigKey.of("oauthbearer.sasl.jaas.config", PASSWORD, null));
        // A broker's configuration has it. No class is loaded by its name.
        String handler = ".oauthbearer.OAuthBearerValidatorCallbackHandler";
        add(
                ConfigKey.of("oauthbearer.sasl.server.callback.handler.class", STRING, null)
                        .meeting("Kafka's own, ..." + handler, name -> name.endsWith(handler)));
    }

    private static ConfigKey storeType(String name) {
        List<String> types = List.of("PKCS12", "JKS", "PEM");
        String usual = KeyStore.getDefaultType().toUpperCase(java.util.Locale.ROOT);
        return ConfigKey.of(name, STRING, types.contains(usual) ? usual : "PKCS12")
                .oneOf(types.toArray(String[]::new));
    }

    private static void add(ConfigKey key) {
        KEYS.put(key.name(), key);
    }

    /** Returns the keys, by name. */
    static Map<String, ConfigKey> all() {
        return KEYS;
    }

    /**
     * Returns the key of one listener that has this name; null if there is none. The key that is
     * returned has the whole name.
     */
    static ConfigKey ofOneListener(String name) {
        Matcher matcher = OF_ONE.matcher(name);
        if (!matcher.matches()) {
            return null;
        }
        ConfigKey key = KEYS.get(matcher.group(2));
        return key == null
                ? null
                : new ConfigKey(name, key.type(), key.defaultValue(), key.rules());
    }

    /** Returns the listener that a key is for, in lower case; null if it is for all. */
    static String listenerOf(String name) {
        Matcher matcher = OF_ONE.matcher(name);
        return matcher.matches() ? matcher.group(1) : null;
    }
}
