package io.firn.server.config;

import static io.firn.server.config.ConfigType.BOOLEAN;
import static io.firn.server.config.ConfigType.DOUBLE;
import static io.firn.server.config.ConfigType.INT;
import static io.firn.server.config.ConfigType.LIST;
import static io.firn.server.config.ConfigType.LONG;
import static io.firn.server.config.ConfigType.STRING;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The configuration keys of a server. */
public final class ServerKeys {
    private static final Map<String, ConfigKey> KEYS = new LinkedHashMap<>();

    /** Topic keys, by the server key that holds the default. */
    private static final Map<String, String> TOPIC_DEFAULTS =
            Map.ofEntries(
                    Map.entry("cleanup.policy", "log.cleanup.policy"),
                    Map.entry("compression.type", "compression.type"),
                    Map.entry("max.message.bytes", "message.max.bytes"),
                    Map.entry("message.timestamp.type", "log.message.timestamp.type"),
                    Map.entry(
                            "message.timestamp.after.max.ms", "log.message.timestamp.after.max.ms"),
                    Map.entry(
                            "message.timestamp.before.max.ms",
                            "log.message.timestamp.before.max.ms"),
                    Map.entry("retention.bytes", "log.retention.bytes"),
                    Map.entry("retention.ms", "log.retention.ms"),
                    Map.entry("segment.bytes", "log.segment.bytes"),
                    Map.entry("segment.ms", "log.roll.ms"),
                    Map.entry("firn.durability", "firn.durability"));

    /**
     * Keys of Kafka's stock files for things that a single node does not have, or does by itself:
     * taken, so that such a file starts the server, and reported, and without effect.
     */
    private static final Set<String> WITHOUT_EFFECT =
            Set.of(
                    "process.roles",
                    "controller.quorum.voters",
                    "controller.quorum.bootstrap.servers",
                    "controller.listener.names",
                    "inter.broker.listener.name",
                    "listener.security.protocol.map",
                    "zookeeper.connect",
                    "zookeeper.connection.timeout.ms",
                    "num.recovery.threads.per.data.dir",
                    "offsets.topic.replication.factor",
                    "offsets.topic.num.partitions",
                    "share.coordinator.state.topic.replication.factor",
                    "share.coordinator.state.topic.min.isr",
                    "transaction.state.log.replication.factor",
                    "transaction.state.log.min.isr",
                    "log.flush.interval.messages",
                    "log.flush.interval.ms",
                    "log.preallocate",
                    "num.io.threads",
                    "socket.send.buffer.bytes",
                    "socket.receive.buffer.bytes",
                    "default.replication.factor",
                    "min.insync.replicas",
                    "log.retention.check.interval.ms");

    static {
        add(ConfigKey.of("node.id", INT, 1).atLeast(0));
        add(ConfigKey.of("broker.id", INT, null).atLeast(-1));
        add(ConfigKey.of("listeners", LIST, "PLAINTEXT://127.0.0.1:9092"));
        add(ConfigKey.of("advertised.listeners", LIST, null));
        add(ConfigKey.of("log.dirs", LIST, null));
        add(ConfigKey.of("log.dir", STRING, "data"));
        add(ConfigKey.of("num.network.threads", INT, 3).atLeast(1));
        add(ConfigKey.of("background.threads", INT, 4).atLeast(1));
        add(ConfigKey.of("num.partitions", INT, 1).atLeast(1));
        add(ConfigKey.of("auto.create.topics.enable", BOOLEAN, true));
        add(ConfigKey.of("delete.topic.enable", BOOLEAN, true));
        add(ConfigKey.of("message.max.bytes", INT, 1_048_588).atLeast(0));
        add(ConfigKey.of("compression.type", STRING, "producer"));
        add(ConfigKey.of("log.cleanup.policy", LIST, "delete").oneOf("delete", "compact"));
        add(
                ConfigKey.of("log.message.timestamp.type", STRING, "CreateTime")
                        .oneOf("CreateTime", "LogAppendTime"));
        add(ConfigKey.of("log.message.timestamp.after.max.ms", LONG, 3_600_000).atLeast(0));
        add(ConfigKey.of("log.message.timestamp.before.max.ms", LONG, Long.MAX_VALUE).atLeast(0));
        add(ConfigKey.of("log.segment.bytes", INT, 64 << 20).atLeast(65_536));
        add(ConfigKey.of("log.roll.ms", LONG, null).atLeast(1));
        add(ConfigKey.of("log.roll.hours", INT, 168).atLeast(1));
        add(ConfigKey.of("log.retention.bytes", LONG, -1).atLeast(-1));
        add(ConfigKey.of("log.retention.ms", LONG, null).atLeast(-1));
        add(ConfigKey.of("log.retention.minutes", INT, null).atLeast(-1));
        add(ConfigKey.of("log.retention.hours", INT, 168).atLeast(-1));
        add(ConfigKey.of("socket.request.max.bytes", INT, 104_857_600).atLeast(1024));
        add(ConfigKey.of("socket.listen.backlog.size", INT, 50).atLeast(1));
        add(ConfigKey.of("queued.max.request.bytes", LONG, queuedBytes()).atLeast(1024));
        add(ConfigKey.of("max.connections", INT, 10_000).atLeast(1));
        add(ConfigKey.of("max.connections.per.ip", INT, Integer.MAX_VALUE).atLeast(1));
        add(ConfigKey.of("connections.max.idle.ms", LONG, 600_000).atLeast(1));
        add(ConfigKey.of("fetch.max.bytes", INT, 57_671_680).atLeast(1024));
        add(ConfigKey.of("group.initial.rebalance.delay.ms", INT, 3_000).atLeast(0));
        add(ConfigKey.of("group.min.session.timeout.ms", INT, 6_000).atLeast(1));
        add(ConfigKey.of("group.max.session.timeout.ms", INT, 1_800_000).atLeast(1));
        add(ConfigKey.of("group.max.size", INT, Integer.MAX_VALUE).atLeast(1));
        add(ConfigKey.of("offsets.retention.minutes", INT, 10_080).atLeast(1));
        add(ConfigKey.of("offset.metadata.max.bytes", INT, 4_096).atLeast(0));
        // Pafka's.
        add(ConfigKey.of("log.channel.type", STRING, "file").oneOf("file", "pmem", "mix"));
        add(ConfigKey.of("storage.pmem.path", LIST, "/pmem"));
        add(ConfigKey.of("storage.pmem.size", LONG, -1).atLeast(-1));
        add(ConfigKey.of("storage.hdd.path", STRING, "/hdd"));
        add(ConfigKey.of("storage.migrate.threshold", DOUBLE, 0.5).atLeast(-1));
        add(ConfigKey.of("storage.migrate.threads", INT, 1).atLeast(1));
        add(ConfigKey.of("log.pmem.pool.ratio", DOUBLE, 0.8).atLeast(0));
        // Ours.
        add(ConfigKey.of("storage.pmem.emulate", BOOLEAN, false));
        add(ConfigKey.of("storage.pmem.block.size", INT, null).atLeast(1));
        add(ConfigKey.of("storage.tiers", LIST, null));
        add(ConfigKey.of("firn.durability", STRING, "durable").oneOf("durable", "written"));
        add(ConfigKey.of("firn.acks1.waits.for.force", BOOLEAN, false));
        add(ConfigKey.of("firn.max.requests.in.flight", INT, 32).atLeast(1));
        add(ConfigKey.of("firn.write.stall.ms", LONG, 30_000).atLeast(100));
        add(ConfigKey.of("firn.shutdown.timeout.ms", LONG, 5_000).atLeast(0));
        for (String name : WITHOUT_EFFECT) {
            add(ConfigKey.of(name, STRING, null));
        }
    }

    private ServerKeys() {}

    /** Netty uses as much memory outside of the heap as the heap may use. */
    private static long queuedBytes() {
        return Math.min(256 << 20, Math.max(16 << 20, Runtime.getRuntime().maxMemory() / 4));
    }

    private static void add(ConfigKey key) {
        KEYS.put(key.name(), key);
    }

    /** Returns all keys, by name. */
    static Map<String, ConfigKey> all() {
        return KEYS;
    }

    /** Returns whether a key is accepted only because Kafka's stock files contain it. */
    static boolean isWithoutEffect(String name) {
        return WITHOUT_EFFECT.contains(name);
    }

    /** Returns the server key with a topic key's default; null when there is none. */
    static String forTopic(String topicKey) {
        return TOPIC_DEFAULTS.get(topicKey);
    }
}
