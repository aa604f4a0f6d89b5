package io.firn.server.config;

import static io.firn.server.config.ConfigType.BOOLEAN;
import static io.firn.server.config.ConfigType.DOUBLE;
import static io.firn.server.config.ConfigType.INT;
import static io.firn.server.config.ConfigType.LIST;
import static io.firn.server.config.ConfigType.LONG;
import static io.firn.server.config.ConfigType.STRING;

import io.firn.InvalidOptionException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The configuration keys of a topic: all of Kafka's, and Firn's own.
 *
 * @see ServerConfig
 */
public final class TopicKeys {
    /** The groups for which retention waits, see {@link io.firn.RetainUntilRead}. */
    public static final String RETAIN_UNTIL_READ = "firn.retain.until.read";

    /** The size of a partition above which retention waits for nobody, in bytes. */
    public static final String UNREAD_LIMIT_BYTES = "firn.unread.limit.bytes";

    /** How long in ms after a segment was sealed retention waits. */
    public static final String UNREAD_LIMIT_MS = "firn.unread.limit.ms";

    /** Kafka 4 accepts no smaller segments from clients; the default of a server may be smaller. */
    private static final int LEAST_SEGMENT = 1 << 20;

    private static final Pattern REPLICA = Pattern.compile("([0-9]+:[0-9]+)?");

    private static final Map<String, ConfigKey> KEYS = new LinkedHashMap<>();

    static {
        add(ConfigKey.of("cleanup.policy", LIST, "delete").oneOf("delete", "compact"));
        add(
                ConfigKey.of("compression.gzip.level", INT, -1)
                        .meeting(
                                "-1 or from 1 to 9",
                                value -> isGzipLevel(Integer.parseInt(value))));
        add(ConfigKey.of("compression.lz4.level", INT, 9).atLeast(1).atMost(17));
        add(
                ConfigKey.of("compression.type", STRING, "producer")
                        .oneOf("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"));
        add(ConfigKey.of("compression.zstd.level", INT, 3).atLeast(-131_072).atMost(22));
        add(ConfigKey.of("delete.retention.ms", LONG, 86_400_000).atLeast(0));
        add(ConfigKey.of("errors.deadletterqueue.group.enable", BOOLEAN, false));
        add(ConfigKey.of("file.delete.delay.ms", LONG, 60_000).atLeast(0));
        add(ConfigKey.of("flush.messages", LONG, Long.MAX_VALUE).atLeast(1));
        add(ConfigKey.of("flush.ms", LONG, Long.MAX_VALUE).atLeast(0));
        add(throttled("follower.replication.throttled.replicas"));
        add(ConfigKey.of("index.interval.bytes", INT, 4096).atLeast(0));
        add(throttled("leader.replication.throttled.replicas"));
        add(ConfigKey.of("local.retention.bytes", LONG, -2).atLeast(-2));
        add(ConfigKey.of("local.retention.ms", LONG, -2).atLeast(-2));
        add(ConfigKey.of("max.compaction.lag.ms", LONG, Long.MAX_VALUE).atLeast(1));
        add(ConfigKey.of("max.message.bytes", INT, 1_048_588).atLeast(0));
        add(ConfigKey.of("message.timestamp.after.max.ms", LONG, 3_600_000).atLeast(0));
        add(ConfigKey.of("message.timestamp.before.max.ms", LONG, Long.MAX_VALUE).atLeast(0));
        add(
                ConfigKey.of("message.timestamp.type", STRING, "CreateTime")
                        .oneOf("CreateTime", "LogAppendTime"));
        add(ConfigKey.of("min.cleanable.dirty.ratio", DOUBLE, 0.5).atLeast(0).atMost(1));
        add(ConfigKey.of("min.compaction.lag.ms", LONG, 0).atLeast(0));
        add(ConfigKey.of("min.insync.replicas", INT, 1).atLeast(1));
        add(ConfigKey.of("preallocate", BOOLEAN, true));
        add(ConfigKey.of("remote.copy.lag.bytes", LONG, -1).atLeast(-1));
        add(ConfigKey.of("remote.copy.lag.ms", LONG, 0).atLeast(-1));
        add(ConfigKey.of("remote.log.copy.disable", BOOLEAN, false));
        add(ConfigKey.of("remote.log.delete.on.disable", BOOLEAN, false));
        add(ConfigKey.of("remote.storage.enable", BOOLEAN, false).fixed());
        add(ConfigKey.of("retention.bytes", LONG, -1));
        add(ConfigKey.of("retention.ms", LONG, 604_800_000).atLeast(-1));
        add(ConfigKey.of("segment.bytes", INT, 64 << 20).atLeast(LEAST_SEGMENT));
        add(ConfigKey.of("segment.index.bytes", INT, 10_485_760).atLeast(4));
        add(ConfigKey.of("segment.jitter.ms", LONG, 0).atLeast(0));
        add(ConfigKey.of("segment.ms", LONG, 604_800_000).atLeast(1));
        add(ConfigKey.of("unclean.leader.election.enable", BOOLEAN, false));
        add(ConfigKey.of("firn.durability", STRING, "durable").oneOf("durable", "written"));
        add(
                ConfigKey.of(RETAIN_UNTIL_READ, LIST, "")
                        .meeting(
                                "the ids of groups, each once, or * for all that have committed",
                                TopicKeys::areReaders));
        add(ConfigKey.of(UNREAD_LIMIT_BYTES, LONG, -1).atLeast(-1));
        add(ConfigKey.of(UNREAD_LIMIT_MS, LONG, -1).atLeast(-1));
    }

    private TopicKeys() {}

    private static boolean isGzipLevel(int level) {
        return level == -1 || (level >= 1 && level <= 9);
    }

    private static boolean areReaders(String value) {
        List<String> ids = ConfigType.itemsOf(value);
        return value.trim().equals("*")
                || (ids.stream().allMatch(GroupIds::isValid)
                        && Set.copyOf(ids).size() == ids.size()
                        && !ids.contains("*"));
    }

    private static ConfigKey throttled(String name) {
        return ConfigKey.of(name, LIST, "")
                .meeting(
                        "PARTITION:BROKER,PARTITION:BROKER,... or *",
                        value ->
                                value.equals("*")
                                        || ConfigType.itemsOf(value).stream()
                                                .allMatch(each -> REPLICA.matcher(each).matches()));
    }

    private static void add(ConfigKey key) {
        KEYS.put(key.name(), key);
    }

    /** Returns all keys, by name. */
    public static Map<String, ConfigKey> all() {
        return Map.copyOf(KEYS);
    }

    /** Returns all keys in the order of DescribeConfigs. */
    public static Iterable<ConfigKey> inOrder() {
        return KEYS.values();
    }

    /**
     * Returns a key.
     *
     * @throws InvalidOptionException when there is none of that name; suggests the nearest
     */
    public static ConfigKey of(String name) {
        ConfigKey key = KEYS.get(name);
        if (key == null) {
            throw new InvalidOptionException(
                    "unknown topic config name '"
                            + name
                            + "', did you mean '"
                            + NearestName.to(name, KEYS.keySet())
                            + "'?");
        }
        return key;
    }
}
