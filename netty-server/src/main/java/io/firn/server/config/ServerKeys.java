package io.firn.server.config;

import static io.firn.server.config.ConfigType.BOOLEAN;
import static io.firn.server.config.ConfigType.DOUBLE;
import static io.firn.server.config.ConfigType.INT;
import static io.firn.server.config.ConfigType.LIST;
import static io.firn.server.config.ConfigType.LONG;
import static io.firn.server.config.ConfigType.STRING;

import io.firn.budget.HeapBudget;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The configuration keys of a server.
 *
 * @see ServerConfig
 */
public final class ServerKeys {
    private static final long LEAST_BYTES = 4 << 20;

    private static final Map<String, ConfigKey> KEYS = new LinkedHashMap<>();

    /** By default a listener has the name of its protocol. */
    private static final String PROTOCOLS =
            "PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL";

    /** Topic keys, by the server key that holds the default. */
    private static final Map<String, String> TOPIC_DEFAULTS =
            Map.ofEntries(
                    Map.entry("cleanup.policy", "log.cleanup.policy"),
                    Map.entry("compression.type", "compression.type"),
                    Map.entry("delete.retention.ms", "log.cleaner.delete.retention.ms"),
                    Map.entry("max.compaction.lag.ms", "log.cleaner.max.compaction.lag.ms"),
                    Map.entry("min.cleanable.dirty.ratio", "log.cleaner.min.cleanable.ratio"),
                    Map.entry("min.compaction.lag.ms", "log.cleaner.min.compaction.lag.ms"),
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
     * Keys of Kafka's stock configuration files that have no meaning for a single node. They are
     * accepted, so that the server starts with such a file, and reported, and have no effect. Their
     * defaults are the values that hold for this server, for tools that ask for them.
     */
    private static final Set<String> WITHOUT_EFFECT = new HashSet<>();

    /** Keys that describe the store, which an application that embeds the server opens itself. */
    private static final Set<String> OF_STORE =
            Set.of(
                    "log.dir",
                    "log.dirs",
                    "log.channel.type",
                    "log.cleaner.dedupe.buffer.size",
                    "log.cleaner.io.max.bytes.per.second",
                    "log.pmem.pool.ratio",
                    "storage.declare.durable",
                    "storage.hdd.path",
                    "storage.migrate.threads",
                    "storage.migrate.threshold",
                    "storage.pmem.block.size",
                    "storage.pmem.emulate",
                    "storage.pmem.path",
                    "storage.pmem.size",
                    "storage.scrub.period.ms",
                    "storage.tiers",
                    "transactional.id.expiration.ms",
                    "firn.create.topics.beside.unreadable",
                    "firn.max.partitions");

    static {
        add(ConfigKey.of("node.id", INT, 1).atLeast(0));
        add(ConfigKey.of("broker.id", INT, null).atLeast(-1));
        add(ConfigKey.of("listeners", LIST, "PLAINTEXT://127.0.0.1:9092"));
        add(ConfigKey.of("advertised.listeners", LIST, null).notEmpty());
        add(ConfigKey.of("listener.security.protocol.map", LIST, PROTOCOLS).notEmpty());
        add(
                ConfigKey.of("log.dirs", LIST, null)
                        .meeting(
                                "one directory (storage.tiers spreads records over several)",
                                ServerKeys::isOne));
        add(ConfigKey.of("log.dir", STRING, "data").meeting("a directory", dir -> !dir.isEmpty()));
        add(ConfigKey.of("num.network.threads", INT, networkThreads()).atLeast(1));
        add(ConfigKey.of("background.threads", INT, 4).atLeast(1));
        add(ConfigKey.of("num.partitions", INT, 1).atLeast(1));
        add(ConfigKey.of("auto.create.topics.enable", BOOLEAN, true));
        add(ConfigKey.of("delete.topic.enable", BOOLEAN, true));
        add(ConfigKey.of("message.max.bytes", INT, 1_048_588).atLeast(0));
        add(ConfigKey.of("compression.type", STRING, "producer"));
        add(ConfigKey.of("log.cleanup.policy", LIST, "delete").oneOf("delete", "compact"));
        add(ConfigKey.of("log.cleaner.delete.retention.ms", LONG, 86_400_000).atLeast(0));
        add(ConfigKey.of("log.cleaner.min.compaction.lag.ms", LONG, 0).atLeast(0));
        add(ConfigKey.of("log.cleaner.max.compaction.lag.ms", LONG, Long.MAX_VALUE).atLeast(1));
        add(ConfigKey.of("log.cleaner.min.cleanable.ratio", DOUBLE, 0.5).atLeast(0).atMost(1));
        add(
                ConfigKey.of("log.cleaner.dedupe.buffer.size", INT, compactionBytes())
                        .atLeast(1 << 10)
                        .atMost(1 << 30));
        add(
                ConfigKey.of("log.cleaner.io.max.bytes.per.second", DOUBLE, 32 << 20)
                        .atLeast(64 << 10));
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
        add(ConfigKey.of("socket.request.max.bytes", INT, largestRequestBytes()).atLeast(1024));
        // Kafka has 50: those that do not fit try again after a second.
        add(ConfigKey.of("socket.listen.backlog.size", INT, 1_024).atLeast(1));
        add(ConfigKey.of("queued.max.request.bytes", LONG, queuedBytes()).atLeast(1024));
        add(ConfigKey.of("max.connections", INT, connections()).atLeast(1));
        add(ConfigKey.of("max.connections.per.ip", INT, Integer.MAX_VALUE).atLeast(1));
        addQuotaWindows();
        add(ConfigKey.of("connections.max.idle.ms", LONG, 600_000).atLeast(1));
        add(ConfigKey.of("fetch.max.bytes", INT, 57_671_680).atLeast(1024));
        add(ConfigKey.of("group.initial.rebalance.delay.ms", INT, 3_000).atLeast(0));
        add(ConfigKey.of("group.min.session.timeout.ms", INT, 6_000).atLeast(1));
        add(ConfigKey.of("group.max.session.timeout.ms", INT, 1_800_000).atLeast(1));
        add(ConfigKey.of("group.max.size", INT, Integer.MAX_VALUE).atLeast(1));
        add(ConfigKey.of("offsets.retention.minutes", INT, 10_080).atLeast(1));
        add(ConfigKey.of("offset.metadata.max.bytes", INT, 4_096).atLeast(0));
        add(ConfigKey.of("transaction.max.timeout.ms", INT, 900_000).atLeast(1));
        add(ConfigKey.of("transactional.id.expiration.ms", INT, 604_800_000).atLeast(1));
        // Keys of Pafka.
        add(ConfigKey.of("log.channel.type", STRING, "file").oneOf("file", "pmem", "mix"));
        add(ConfigKey.of("storage.pmem.path", LIST, "/pmem").notEmpty());
        add(ConfigKey.of("storage.pmem.size", LONG, -1).atLeast(-1));
        add(ConfigKey.of("storage.hdd.path", STRING, "/hdd").notEmpty());
        add(ConfigKey.of("storage.migrate.threshold", DOUBLE, 0.5).atLeast(-1));
        add(ConfigKey.of("storage.migrate.threads", INT, 1).atLeast(1).atMost(64));
        add(ConfigKey.of("log.pmem.pool.ratio", DOUBLE, 0.8).atLeast(0));
        // Keys of Firn.
        add(ConfigKey.of("storage.pmem.emulate", BOOLEAN, false));
        add(ConfigKey.of("storage.declare.durable", BOOLEAN, false));
        add(ConfigKey.of("storage.allow.linked.directories", BOOLEAN, false));
        add(ConfigKey.of("storage.pmem.block.size", INT, null).atLeast(1));
        add(ConfigKey.of("storage.tiers", LIST, null).notEmpty());
        add(ConfigKey.of("storage.scrub.period.ms", LONG, 604_800_000).atLeast(1000));
        add(ConfigKey.of("firn.durability", STRING, "durable").oneOf("durable", "written"));
        add(ConfigKey.of("firn.acks1.waits.for.force", BOOLEAN, false));
        add(ConfigKey.of("firn.create.topics.beside.unreadable", BOOLEAN, false));
        add(ConfigKey.of("firn.groups.max.bytes", LONG, groupBytes()).atLeast(65_536));
        add(ConfigKey.of("firn.max.partitions", INT, null).atLeast(1));
        add(ConfigKey.of("firn.min.free.bytes", LONG, 0).atLeast(0));
        add(ConfigKey.of("firn.max.requests.in.flight", INT, 32).atLeast(1));
        add(ConfigKey.of("firn.transaction.version", INT, 2).atLeast(0).atMost(2));
        add(ConfigKey.of("firn.write.stall.ms", LONG, 30_000).atLeast(100));
        add(ConfigKey.of("firn.shutdown.timeout.ms", LONG, 5_000).atLeast(0));
        add(ConfigKey.of("firn.insecure.listeners", BOOLEAN, false));
        add(ConfigKey.of("management.listener", STRING, null).notEmpty());
        add(ConfigKey.of("management.hosts", LIST, null).notEmpty());
        add(ConfigKey.of("management.user", STRING, "firn").notEmpty());
        add(ConfigKey.of("management.password", ConfigType.PASSWORD, null).notEmpty());
        add(ConfigKey.of("management.metrics.partitions", BOOLEAN, false));
        add(
                ConfigKey.of("management.console", STRING, "metadata")
                        .oneOf("off", "metadata", "keys", "values"));
        add(ConfigKey.of("firn.authentication.timeout.ms", LONG, 10_000).atLeast(1));
        add(ConfigKey.of("connection.failed.authentication.delay.ms", INT, 100).atLeast(0));
        add(
                ConfigKey.of("authorizer.class.name", STRING, "")
                        .oneOf("", "org.apache.kafka.metadata.authorizer.StandardAuthorizer"));
        add(ConfigKey.of("super.users", STRING, ""));
        add(ConfigKey.of("allow.everyone.if.no.acl.found", BOOLEAN, false));
        SecurityKeys.all().values().forEach(ServerKeys::add);
        addWithoutEffect();
        addFixed();
    }

    /** Limited, because each rate that is remembered uses memory by them. */
    private static void addQuotaWindows() {
        for (String prefix : List.of("", "controller.")) {
            int least = prefix.isEmpty() ? 2 : 1; // in one sample alone there is no rate
            add(ConfigKey.of(prefix + "quota.window.num", INT, 11).atLeast(least).atMost(100));
            add(
                    ConfigKey.of(prefix + "quota.window.size.seconds", INT, 1)
                            .atLeast(1)
                            .atMost(3_600));
        }
    }

    private static void addWithoutEffect() {
        withoutEffect("process.roles", LIST, "broker,controller");
        withoutEffect("controller.quorum.voters", LIST, "");
        withoutEffect("controller.quorum.bootstrap.servers", LIST, "");
        withoutEffect("controller.listener.names", LIST, "");
        withoutEffect("inter.broker.listener.name", STRING, null);
        withoutEffect("zookeeper.connect", STRING, null);
        withoutEffect("zookeeper.connection.timeout.ms", INT, null);
        withoutEffect("num.recovery.threads.per.data.dir", INT, 1);
        withoutEffect("offsets.topic.replication.factor", INT, 1);
        withoutEffect("offsets.topic.num.partitions", INT, 1);
        withoutEffect("share.coordinator.state.topic.replication.factor", INT, null);
        withoutEffect("share.coordinator.state.topic.min.isr", INT, null);
        withoutEffect("transaction.state.log.replication.factor", INT, 1);
        withoutEffect("transaction.state.log.min.isr", INT, 1);
        withoutEffect("log.flush.interval.messages", LONG, Long.MAX_VALUE);
        withoutEffect("log.flush.interval.ms", LONG, null);
        withoutEffect("log.preallocate", BOOLEAN, true);
        withoutEffect("log.index.interval.bytes", INT, 4096);
        withoutEffect("log.index.size.max.bytes", INT, 10_485_760);
        withoutEffect("log.cleaner.enable", BOOLEAN, true);
        withoutEffect("num.io.threads", INT, null);
        withoutEffect("socket.send.buffer.bytes", INT, -1);
        withoutEffect("socket.receive.buffer.bytes", INT, -1);
        withoutEffect("default.replication.factor", INT, 1);
        withoutEffect("min.insync.replicas", INT, 1);
        withoutEffect("auto.leader.rebalance.enable", BOOLEAN, false);
        withoutEffect("log.retention.check.interval.ms", LONG, null);
    }

    /** Keys that tools ask a broker about, with the only values that are possible here. */
    private static void addFixed() {
        add(ConfigKey.of("security.inter.broker.protocol", STRING, "PLAINTEXT").fixed());
        add(ConfigKey.of("unclean.leader.election.enable", BOOLEAN, false).fixed());
        add(ConfigKey.of("remote.log.storage.system.enable", BOOLEAN, false).fixed());
        add(ConfigKey.of("group.coordinator.rebalance.protocols", LIST, "classic").fixed());
        add(ConfigKey.of("max.incremental.fetch.session.cache.slots", INT, 0).fixed());
        add(ConfigKey.of("max.request.partition.size.limit", INT, 2_000).fixed());
    }

    private static void withoutEffect(String name, ConfigType type, Object value) {
        add(ConfigKey.of(name, type, value));
        WITHOUT_EFFECT.add(name);
    }

    private ServerKeys() {}

    private static long groupBytes() {
        return HeapBudget.GROUPS.bytes(LEAST_BYTES, Long.MAX_VALUE);
    }

    /** As Kafka has, but no more than memory outside of the heap can bear beside other requests. */
    private static long largestRequestBytes() {
        return Math.min(104_857_600, HeapBudget.heapBytes() / 5 * 2);
    }

    private static long compactionBytes() {
        return HeapBudget.COMPACTION.bytes(LEAST_BYTES, 32 << 20);
    }

    private static int connections() {
        return HeapBudget.CONNECTIONS.count(100, 10_000);
    }

    /**
     * As many as Kafka has, but not more than half of the processors: event loops that append to
     * one partition wait for each other, and forces need a processor as well.
     */
    private static int networkThreads() {
        return Math.max(1, Math.min(3, Runtime.getRuntime().availableProcessors() / 2));
    }

    private static long queuedBytes() {
        return HeapBudget.REQUESTS.bytes(LEAST_BYTES, 256 << 20);
    }

    private static void add(ConfigKey key) {
        KEYS.put(key.name(), key);
    }

    private static boolean isOne(String list) {
        List<String> items = ConfigType.itemsOf(list);
        return items.size() == 1 && !items.get(0).isEmpty();
    }

    /** Returns all keys, by name. */
    static Map<String, ConfigKey> all() {
        return KEYS;
    }

    /** Returns the key of a name; null if there is none. */
    static ConfigKey find(String name) {
        ConfigKey key = KEYS.get(name);
        return key == null ? SecurityKeys.ofOneListener(name) : key;
    }

    /** Returns the name of a key that is the most like an unknown one. */
    static String nearest(String name) {
        String listener = SecurityKeys.listenerOf(name);
        if (listener == null) {
            return NearestName.to(name, KEYS.keySet());
        }
        String prefix = SecurityKeys.PREFIX + listener + ".";
        return prefix
                + NearestName.to(name.substring(prefix.length()), SecurityKeys.all().keySet());
    }

    /** Returns whether a key is accepted only because Kafka's stock files contain it. */
    static boolean isWithoutEffect(String name) {
        return WITHOUT_EFFECT.contains(name);
    }

    /** Returns whether a key describes the store, and so has no effect on an open one. */
    static boolean isOfStore(String name) {
        return OF_STORE.contains(name);
    }

    /**
     * Returns whether a key can be changed while the server runs, as in Kafka: the defaults of
     * topics. The durability is the operator's choice.
     */
    static boolean isDynamic(String name) {
        return TOPIC_DEFAULTS.containsValue(name) && !name.equals("firn.durability");
    }

    /** Returns the server key with a topic key's default; null when there is none. */
    static String forTopic(String topicKey) {
        return TOPIC_DEFAULTS.get(topicKey);
    }
}
