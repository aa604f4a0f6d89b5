package io.firn.server.config;

import io.firn.InvalidOptionException;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;

/**
 * A validated configuration of a server. Keys have Kafka's names where Kafka has them, and Pafka's
 * for storage; an unknown key is an error that suggests the nearest one. Immutable.
 *
 * <pre>{@code
 * ServerConfig config = ServerConfig.read(Path.of("server.properties"))
 *         .with("listeners", "PLAINTEXT://127.0.0.1:9092");
 * FirnServer server = FirnServer.of(store).config(config).start();
 * }</pre>
 */
public final class ServerConfig {
    private static final long HOUR_MS = 3_600_000;
    private static final long MINUTE_MS = 60_000;

    private final ConfigValues values;

    private ServerConfig(Map<String, String> given) {
        this.values = new ConfigValues(given);
    }

    /** Returns the default configuration. */
    public static ServerConfig defaults() {
        return of(Map.of());
    }

    /**
     * Creates a configuration from keys and values.
     *
     * @throws InvalidOptionException for an unknown key or an invalid value
     */
    public static ServerConfig of(Map<String, String> given) {
        Map<String, String> checked = new TreeMap<>();
        given.forEach(
                (name, value) -> {
                    ConfigKey key = ServerKeys.find(name);
                    if (key == null) {
                        throw unknown(name);
                    }
                    key.check(value);
                    checked.put(name, value.trim());
                });
        ServerConfig config = new ServerConfig(checked);
        config.topicDefaults(); // checks that they are valid for a topic
        config.listeners();
        return config;
    }

    private static InvalidOptionException unknown(String name) {
        return new InvalidOptionException(
                "unknown configuration key '"
                        + name
                        + "', did you mean '"
                        + ServerKeys.nearest(name)
                        + "'?");
    }

    /**
     * Reads a configuration from a properties file.
     *
     * @throws IOException when it cannot be read
     * @throws InvalidOptionException see {@link #of}
     */
    public static ServerConfig read(Path file) throws IOException {
        return read(file, Map.of());
    }

    /**
     * Reads a configuration from a properties file, some keys of which get other values. They are
     * checked together, because what a key may be depends on others.
     *
     * @throws IOException when it cannot be read
     * @throws InvalidOptionException see {@link #of}
     */
    public static ServerConfig read(Path file, Map<String, String> overrides) throws IOException {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(reader);
        }
        Map<String, String> map = new LinkedHashMap<>();
        properties
                .stringPropertyNames()
                .forEach(name -> map.put(name, properties.getProperty(name)));
        map.putAll(overrides);
        try {
            return of(map);
        } catch (InvalidOptionException e) {
            String what = file + (overrides.isEmpty() ? "" : " and what overrides it");
            throw new InvalidOptionException(what + ": " + e.getMessage());
        }
    }

    /** Returns a copy with one more value. */
    public ServerConfig with(String key, Object value) {
        Map<String, String> map = new TreeMap<>(values.given());
        map.put(key, value.toString());
        return of(map);
    }

    /** Returns the given values, without defaults, and with secrets. */
    public Map<String, String> given() {
        return Map.copyOf(values.given());
    }

    /** Returns the given keys that have no effect here. */
    public List<String> withoutEffect() {
        return values.given().keySet().stream().filter(ServerKeys::isWithoutEffect).toList();
    }

    /**
     * Returns the given keys that have no effect on a server inside an application, which has
     * opened the store itself.
     */
    public List<String> withoutEffectWhenEmbedded() {
        return values.given().keySet().stream()
                .filter(key -> ServerKeys.isWithoutEffect(key) || ServerKeys.isOfStore(key))
                .toList();
    }

    /** Returns whether a value was given. */
    public boolean has(String key) {
        return values.has(key);
    }

    /** Returns a value as text, or its default; null when there is neither. */
    public String text(String key) {
        return values.text(key);
    }

    /** Returns a value as a number. */
    public int integer(String key) {
        return Integer.parseInt(text(key));
    }

    /** Returns a value as a number. */
    public long number(String key) {
        return Long.parseLong(text(key));
    }

    /** Returns a value as a number. */
    public double decimal(String key) {
        return Double.parseDouble(text(key));
    }

    /** Returns a value as a boolean. */
    public boolean flag(String key) {
        return Boolean.parseBoolean(text(key));
    }

    /** Returns a value as a list. */
    public List<String> list(String key) {
        return values.list(key);
    }

    /** Returns the node's id: {@code node.id}, or {@code broker.id} of older files. */
    public int nodeId() {
        return has("broker.id") && !has("node.id") && integer("broker.id") >= 0
                ? integer("broker.id")
                : integer("node.id");
    }

    /** Returns the store's directory: {@code log.dirs}, or {@code log.dir}. */
    public Path directory() {
        return Path.of(has("log.dirs") ? list("log.dirs").get(0) : text("log.dir"));
    }

    /** Returns the listeners for clients, in the order of {@code listeners}. */
    public List<Listener> listeners() {
        return new ListenerParser(values).parse();
    }

    /** Returns the listener for health and metrics; empty if there is none. */
    public Optional<Listener> management() {
        return Optional.ofNullable(new ListenerParser(values).management());
    }

    /** Returns every topic key with the server's default. */
    public Map<String, String> topicDefaults() {
        Map<String, String> defaults = new LinkedHashMap<>();
        for (ConfigKey key : TopicKeys.inOrder()) {
            String ours = ServerKeys.forTopic(key.name());
            String value = ours == null ? null : text(ours);
            defaults.put(key.name(), value == null ? key.defaultValue() : value);
        }
        defaults.put("retention.ms", Long.toString(retentionMs()));
        if (!has("log.roll.ms")) {
            defaults.put("segment.ms", Long.toString(integer("log.roll.hours") * HOUR_MS));
        }
        defaults.forEach(
                (name, value) -> {
                    // Clients may not ask for segments as small as an operator may configure.
                    if (!name.equals("segment.bytes")) {
                        TopicKeys.of(name).check(value);
                    }
                });
        return defaults;
    }

    private long retentionMs() {
        if (has("log.retention.ms")) {
            return number("log.retention.ms");
        }
        boolean minutes = has("log.retention.minutes");
        long value = number(minutes ? "log.retention.minutes" : "log.retention.hours");
        return value < 0 ? -1 : value * (minutes ? MINUTE_MS : HOUR_MS);
    }

    /**
     * Checks that a key can be changed while the server runs.
     *
     * @throws InvalidOptionException if it cannot, or there is none; says what to do
     */
    public static void checkDynamic(String key) {
        if (ServerKeys.find(key) == null) {
            throw unknown(key);
        }
        if (!ServerKeys.isDynamic(key)) {
            throw new InvalidOptionException(
                    key
                            + " cannot be changed while the server runs; set it in its properties file");
        }
    }

    /** Returns whether a key can be changed while the server runs. */
    public static boolean isDynamic(String key) {
        return ServerKeys.isDynamic(key);
    }

    /**
     * Returns every key with its value, for DescribeConfigs, which shows no value of a secret. Keys
     * without effect are left out if they have no value.
     */
    public Map<ConfigKey, String> described() {
        Map<ConfigKey, String> all = new LinkedHashMap<>();
        for (ConfigKey key : ServerKeys.all().values()) {
            String value =
                    switch (key.name()) {
                        case "node.id", "broker.id" -> Integer.toString(nodeId());
                        default -> text(key.name());
                    };
            if (value != null || !ServerKeys.isWithoutEffect(key.name())) {
                all.put(key, value);
            }
        }
        values.given()
                .forEach(
                        (name, value) -> {
                            ConfigKey own = SecurityKeys.ofOneListener(name);
                            if (own != null) {
                                all.put(own, value);
                            }
                        });
        return all;
    }

    /**
     * Returns whether the default of a topic key was given, under any of the server's keys for it.
     */
    public boolean givesDefaultOf(String topicKey) {
        return givesDefaultOf(topicKey, values.given());
    }

    /** As the other method, of some values. */
    public static boolean givesDefaultOf(String topicKey, Map<String, String> given) {
        List<String> keys =
                switch (topicKey) {
                    case "retention.ms" ->
                            List.of(
                                    "log.retention.ms",
                                    "log.retention.minutes",
                                    "log.retention.hours");
                    case "segment.ms" -> List.of("log.roll.ms", "log.roll.hours");
                    default -> {
                        String ours = ServerKeys.forTopic(topicKey);
                        yield ours == null ? List.of() : List.of(ours);
                    }
                };
        return keys.stream().anyMatch(given::containsKey);
    }

    /** Returns the key of a name; null if there is none. */
    public static ConfigKey key(String name) {
        return ServerKeys.find(name);
    }
}
