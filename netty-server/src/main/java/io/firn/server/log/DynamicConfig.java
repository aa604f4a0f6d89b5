package io.firn.server.log;

import io.firn.InvalidOptionException;
import io.firn.medium.Fields;
import io.firn.medium.FileMedium;
import io.firn.server.config.ConfigKey;
import io.firn.server.config.ServerConfig;
import io.firn.server.state.StateFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * The configuration of the node that holds: what clients have set for the node counts before what
 * they have set for all nodes, then the properties file, then the defaults. What clients have set
 * is durable before it holds (rule O25, {@link StateFile}). Thread-safe.
 */
public final class DynamicConfig {
    private static final System.Logger LOG = System.getLogger("io.firn.server");
    private static final StateFile.Format<Set> FORMAT = new Format();

    /** Of a value; a number may have any number of zeros before it. */
    private static final int MOST_CHARS = 1_000;

    private final ServerConfig given;
    private final StateFile<Set> file;
    private volatile Set holding;
    private volatile ServerConfig now;
    private volatile Runnable onChange = () -> {};

    /** From where a value is, with the number in the protocol. */
    public enum Source {
        NODE(2),
        ALL_NODES(3),
        FILE(4),
        DEFAULT(5);

        private final byte id;

        Source(int id) {
            this.id = (byte) id;
        }

        public byte id() {
            return id;
        }
    }

    /**
     * What clients have set.
     *
     * @param node for the node, by key
     * @param all for all nodes, by key
     */
    record Set(Map<String, String> node, Map<String, String> all) {
        static final Set NOTHING = new Set(Map.of(), Map.of());

        Map<String, String> of(boolean ofNode) {
            return ofNode ? node : all;
        }

        Set with(boolean ofNode, Map<String, String> values) {
            Map<String, String> copy = new TreeMap<>(values);
            return ofNode ? new Set(copy, all) : new Set(node, copy);
        }
    }

    private DynamicConfig(ServerConfig given, StateFile<Set> file) {
        this.given = given;
        this.file = file;
        this.holding = valid(given, file.get());
        this.now = with(holding);
    }

    /**
     * Reads what clients have set.
     *
     * @param given the configuration that the server was started with
     * @param directory the directory of the file, which exists
     * @throws IOException if the file cannot be read
     */
    public static DynamicConfig open(FileMedium medium, Path directory, ServerConfig given)
            throws IOException {
        return new DynamicConfig(
                given, StateFile.open(medium, directory.resolve("config"), FORMAT, Set.NOTHING));
    }

    /** Another version may have accepted what this one does not: such a value does not hold. */
    private static Set valid(ServerConfig given, Set set) {
        return new Set(valid(given, set.node()), valid(given, set.all()));
    }

    private static Map<String, String> valid(ServerConfig given, Map<String, String> values) {
        Map<String, String> valid = new TreeMap<>();
        values.forEach(
                (key, value) -> {
                    try {
                        check(given, key, value);
                        valid.put(key, value);
                    } catch (InvalidOptionException e) {
                        LOG.log(
                                System.Logger.Level.WARNING,
                                "a client has set {0}={1}, which does not hold: {2}",
                                key,
                                value,
                                e.getMessage());
                    }
                });
        return valid;
    }

    private static void check(ServerConfig given, String key, String value) {
        ServerConfig.checkDynamic(key);
        if (value.length() > MOST_CHARS) {
            throw new InvalidOptionException(
                    "the value of " + key + " may have " + MOST_CHARS + " characters");
        }
        given.with(key, value);
    }

    private ServerConfig with(Set holding) {
        ServerConfig config = given;
        for (Map<String, String> each : List.of(holding.all(), holding.node())) {
            for (Map.Entry<String, String> entry : each.entrySet()) {
                config = config.with(entry.getKey(), entry.getValue());
            }
        }
        return config;
    }

    /** Returns the configuration that holds. */
    public ServerConfig now() {
        return now;
    }

    /** Sets what is called after a change, without a lock. */
    void onChange(Runnable called) {
        onChange = called;
    }

    /** Returns what clients have set for the node, or for all nodes. */
    public Map<String, String> set(boolean ofNode) {
        return file.get().of(ofNode);
    }

    /** Returns each value that is given for a key, those that count more first. */
    public Map<Source, String> values(ConfigKey key) {
        Map<Source, String> values = new LinkedHashMap<>();
        Set set = holding;
        String name = key.name();
        put(values, Source.NODE, set.node().get(name));
        put(values, Source.ALL_NODES, set.all().get(name));
        put(values, Source.FILE, given.has(name) ? given.text(name) : null);
        put(values, Source.DEFAULT, key.defaultValue());
        return values;
    }

    private static void put(Map<Source, String> values, Source source, String value) {
        if (value != null) {
            values.put(source, value);
        }
    }

    /**
     * Returns from where the server's default of a topic's key is: of the keys that it can have,
     * the one that counts.
     */
    public byte sourceOfTopicDefault(String topicKey) {
        Set set = holding;
        for (Source each : List.of(Source.NODE, Source.ALL_NODES)) {
            if (ServerConfig.givesDefaultOf(topicKey, set.of(each == Source.NODE))) {
                return each.id();
            }
        }
        return (given.givesDefaultOf(topicKey) ? Source.FILE : Source.DEFAULT).id();
    }

    /**
     * Changes what is set for the node, or for all nodes, durably. What follows the configuration
     * may take long: who makes the same change again meanwhile does not wait for it.
     *
     * @param change returns what is set, from what was set before
     * @throws InvalidOptionException if a key cannot be changed while the server runs, or a value
     *     is invalid
     * @throws IOException if it could not be written
     */
    public void change(
            boolean ofNode, UnaryOperator<Map<String, String>> change, boolean validateOnly)
            throws IOException {
        if (hasChanged(ofNode, change, validateOnly)) {
            onChange.run();
        }
    }

    private synchronized boolean hasChanged(
            boolean ofNode, UnaryOperator<Map<String, String>> change, boolean validateOnly)
            throws IOException {
        Set before = file.get();
        Map<String, String> values = change.apply(new TreeMap<>(before.of(ofNode)));
        values.forEach(
                (key, value) -> {
                    if (!value.equals(before.of(ofNode).get(key))) {
                        check(given, key, value);
                    }
                });
        Set next = before.with(ofNode, values);
        Set valid = valid(given, next);
        ServerConfig changed = with(valid);
        if (validateOnly || next.equals(before)) {
            return false;
        }
        file.change(same -> next, true);
        holding = valid; // only now, by O25
        now = changed;
        return true;
    }

    private static final class Format implements StateFile.Format<Set> {
        private static final String NODE = "node.";
        private static final String ALL = "all.";

        @Override
        public String magic() {
            return "node-config";
        }

        @Override
        public int version() {
            return 1;
        }

        @Override
        public Map<String, String> format(Set set) {
            Map<String, String> lines = new TreeMap<>();
            set.node().forEach((key, value) -> lines.put(NODE + key, value));
            set.all().forEach((key, value) -> lines.put(ALL + key, value));
            return lines;
        }

        @Override
        public Set parse(Map<String, String> lines) {
            Set set = new Set(new TreeMap<>(), new TreeMap<>());
            lines.forEach(
                    (line, value) -> {
                        if (line.startsWith(NODE)) {
                            set.node().put(line.substring(NODE.length()), value);
                        } else if (line.startsWith(ALL)) {
                            set.all().put(line.substring(ALL.length()), value);
                        } else {
                            throw new IllegalArgumentException(
                                    "expected keys that begin with node. or all., found "
                                            + Fields.shown(line));
                        }
                    });
            return set;
        }
    }
}
