package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.CleanupPolicy;
import io.firn.Compression;
import io.firn.Durability;
import io.firn.RetainUntilRead;
import io.firn.TopicOptions;
import io.firn.sim.FirstRunOnly;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.AlterConfigsOptions;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/**
 * A table of every option of an application's topic by every call with which a client, or an
 * operator, could change it. A test is a row with all options; a cell compares the option with what
 * it has to be, and what DescribeConfigs shows with the option. A cell that is wrong says which it
 * is.
 */
@FirstRunOnly
class ApplicationsTopicsTest {
    private static final long DAY_MS = 86_400_000;

    /** Its options are none of the server's defaults, before and after the restart. */
    private static final TopicOptions CHOSEN =
            TopicOptions.defaults()
                    .withPartitions(2)
                    .withDurability(Durability.WRITTEN)
                    .withSegmentBytes(256 << 10)
                    .withRollAge(Duration.ofHours(1))
                    .withRetentionBytes(10L << 30)
                    .withRetentionAge(Duration.ofMillis(90 * DAY_MS))
                    .withMaxRecordBytes(100_000)
                    .withCompression(Compression.GZIP)
                    .withForce(5_000, Duration.ofMillis(7))
                    .withRetainUntilRead(
                            RetainUntilRead.by("risk", "audit")
                                    .withLimitBytes(77 << 20)
                                    .withLimitAge(Duration.ofMillis(DAY_MS)))
                    .withPreparedBytes(4_096)
                    .withMaxCompactionLag(Duration.ofMillis(30 * DAY_MS))
                    .withMinCompactionLag(Duration.ofMinutes(3))
                    .withMinDirtyRatio(0.25)
                    .withTombstoneRetention(Duration.ofDays(40));

    private static final Map<String, TopicOptions> APPLICATIONS =
            Map.of(
                    "unlimited", TopicOptions.defaults(),
                    "chosen", CHOSEN,
                    "compacted", CHOSEN.withCleanup(CleanupPolicy.COMPACT),
                    "awkward",
                            TopicOptions.defaults()
                                    .withCleanup(CleanupPolicy.COMPACT_AND_DELETE)
                                    .withRetainUntilRead(RetainUntilRead.by("a,b", "*", " c%2C")));

    /** What a client sets, and what that does to options. */
    private record Setting(String key, String value, UnaryOperator<TopicOptions> effect) {
        static Setting without(String key, String value) {
            return new Setting(key, value, options -> options);
        }
    }

    private static final List<Setting> SETTINGS =
            List.of(
                    Setting.without("max.message.bytes", "500000"),
                    Setting.without("message.timestamp.type", "LogAppendTime"),
                    Setting.without("segment.bytes", "2097152"),
                    new Setting(
                            "retention.ms",
                            "5000",
                            o -> o.withRetentionAge(Duration.ofMillis(5_000))),
                    new Setting("retention.bytes", "6000", o -> o.withRetentionBytes(6_000)),
                    new Setting("segment.ms", "7000", o -> o.withRollAge(Duration.ofMillis(7_000))),
                    new Setting(
                            "cleanup.policy", "compact", o -> o.withCleanup(CleanupPolicy.COMPACT)),
                    new Setting(
                            "cleanup.policy",
                            "compact,delete",
                            o -> o.withCleanup(CleanupPolicy.COMPACT_AND_DELETE)),
                    new Setting(
                            "cleanup.policy", "delete", o -> o.withCleanup(CleanupPolicy.DELETE)),
                    new Setting("cleanup.policy", "", o -> o.withCleanup(CleanupPolicy.NONE)),
                    new Setting(
                            "min.compaction.lag.ms",
                            "8000",
                            o -> o.withMinCompactionLag(Duration.ofSeconds(8))),
                    new Setting(
                            "max.compaction.lag.ms",
                            "900000",
                            o -> o.withMaxCompactionLag(Duration.ofMinutes(15))),
                    new Setting(
                            "min.cleanable.dirty.ratio", "0.75", o -> o.withMinDirtyRatio(0.75)),
                    new Setting(
                            "delete.retention.ms",
                            "11000",
                            o -> o.withTombstoneRetention(Duration.ofSeconds(11))),
                    new Setting(
                            "firn.retain.until.read",
                            "billing",
                            o ->
                                    o.withRetainUntilRead(
                                            withLimitsOf(
                                                    o.retainUntilRead(),
                                                    RetainUntilRead.by("billing")))),
                    new Setting(
                            "firn.unread.limit.bytes",
                            "12000",
                            o -> o.withRetainUntilRead(o.retainUntilRead().withLimitBytes(12_000))),
                    new Setting(
                            "firn.unread.limit.ms",
                            "13000",
                            o ->
                                    o.withRetainUntilRead(
                                            o.retainUntilRead()
                                                    .withLimitAge(Duration.ofMillis(13_000)))));

    /** A way to make a setting, and to take it back or not. */
    private enum Way {
        INCREMENTAL("IncrementalAlterConfigs SET", true),
        VALIDATED("IncrementalAlterConfigs SET, only validated", false),
        DELETED("IncrementalAlterConfigs SET and DELETE", false),
        REPLACED("AlterConfigs", true),
        REPLACED_TWICE("AlterConfigs with it and without it", false),
        RESTARTED("IncrementalAlterConfigs SET, a restart with other defaults", true),
        RESTARTED_AND_DELETED("SET, a restart with other defaults, DELETE", false);

        private final String text;
        private final boolean remains;

        Way(String text, boolean remains) {
            this.text = text;
            this.remains = remains;
        }
    }

    /** Less for those that are like others but for a few options. */
    private static final Map<String, Set<Way>> WAYS =
            Map.of(
                    "compacted", EnumSet.of(Way.DELETED, Way.REPLACED_TWICE, Way.RESTARTED),
                    "awkward", EnumSet.of(Way.DELETED, Way.RESTARTED));

    /** A topic and what is done to it. */
    private record Row(String topic, String call, TopicOptions before, TopicOptions expected) {}

    @TempDir Path directory;
    private final Map<String, String> named = new HashMap<>(); // by topic and key
    private final List<Row> rows = new ArrayList<>();
    private final Map<Way, Map<String, Setting>> settings = new LinkedHashMap<>();

    private static <T> T get(KafkaFuture<T> future) throws Exception {
        return future.get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
    }

    private static ConfigResource resource(String topic) {
        return new ConfigResource(ConfigResource.Type.TOPIC, topic);
    }

    /** One call for all topics. */
    private void alter(Running running, Way way, OpType type, boolean validateOnly)
            throws Exception {
        Map<ConfigResource, java.util.Collection<AlterConfigOp>> changes = new LinkedHashMap<>();
        settings.get(way)
                .forEach(
                        (topic, setting) ->
                                changes.put(
                                        resource(topic),
                                        List.of(
                                                new AlterConfigOp(
                                                        new ConfigEntry(setting.key, setting.value),
                                                        type))));
        try (Admin admin = running.admin()) {
            get(
                    admin.incrementalAlterConfigs(
                                    changes, new AlterConfigsOptions().validateOnly(validateOnly))
                            .all());
        }
    }

    private void replace(Running running, Way way, boolean empty) throws Exception {
        AlterConfigsRequestData request = new AlterConfigsRequestData();
        settings.get(way)
                .forEach(
                        (topic, setting) -> {
                            AlterConfigsResource each =
                                    new AlterConfigsResource()
                                            .setResourceType(ConfigResource.Type.TOPIC.id())
                                            .setResourceName(topic);
                            if (!empty) {
                                each.configs()
                                        .add(
                                                new AlterableConfig()
                                                        .setName(setting.key)
                                                        .setValue(setting.value));
                            }
                            request.resources().add(each);
                        });
        try (Wire wire = new Wire(running.server())) {
            var answer =
                    wire.ask(ApiKeys.ALTER_CONFIGS, 1, request, new AlterConfigsResponseData());
            answer.responses()
                    .forEach(each -> assertEquals(0, each.errorCode(), each.errorMessage()));
        }
    }

    private void createTopics(Running running) {
        APPLICATIONS.forEach(
                (application, wanted) -> {
                    for (Way way : WAYS.getOrDefault(application, EnumSet.allOf(Way.class))) {
                        int number = 0;
                        for (Setting setting : SETTINGS) {
                            String topic = application + "-" + way + "-" + number++;
                            topic = topic.replace('_', '-');
                            TopicOptions before =
                                    running.store().createTopic(topic, wanted).options();
                            TopicOptions after =
                                    way.remains ? setting.effect.apply(before) : before;
                            settings.computeIfAbsent(way, w -> new LinkedHashMap<>())
                                    .put(topic, setting);
                            if (way.remains) {
                                named.put(topic + " " + setting.key, setting.value);
                            }
                            String call = way.text + ": " + setting.key + "=" + setting.value;
                            rows.add(new Row(topic, call, before, after));
                        }
                    }
                    String grown = application + "-grown";
                    TopicOptions before = running.store().createTopic(grown, wanted).options();
                    rows.add(new Row(grown, "CreatePartitions", before, before.withPartitions(5)));
                    String untouched = application + "-untouched";
                    running.store().createTopic(untouched, wanted);
                    rows.add(new Row(untouched, "a restart with other defaults", before, before));
                    String again = application + "-again";
                    running.store().createTopic(again, wanted);
                });
    }

    private Map<String, Config> described(Running running) throws Exception {
        Map<String, Config> all = new HashMap<>();
        try (Admin admin = running.admin()) {
            get(admin.describeConfigs(rows.stream().map(row -> resource(row.topic)).toList()).all())
                    .forEach((resource, config) -> all.put(resource.name(), config));
        }
        return all;
    }

    @TestFactory
    Stream<DynamicTest> shouldChangeOnlyTheOptionThatAClientNames() throws Exception {
        List<DynamicTest> table;
        try (Running running = new Running(directory)) {
            createTopics(running);
            alter(running, Way.INCREMENTAL, OpType.SET, false);
            alter(running, Way.VALIDATED, OpType.SET, true);
            alter(running, Way.DELETED, OpType.SET, false);
            alter(running, Way.DELETED, OpType.DELETE, false);
            replace(running, Way.REPLACED, false);
            replace(running, Way.REPLACED_TWICE, false);
            replace(running, Way.REPLACED_TWICE, true);
            alter(running, Way.RESTARTED, OpType.SET, false);
            alter(running, Way.RESTARTED_AND_DELETED, OpType.SET, false);
            growAndCreateAgain(running);
            running.restart(
                    Map.of(
                            "log.retention.ms", "100000",
                            "log.retention.bytes", "100001",
                            "log.roll.ms", "100002",
                            "log.cleaner.delete.retention.ms", "100003",
                            "log.cleaner.min.cleanable.ratio", "0.625",
                            "log.cleaner.min.compaction.lag.ms", "100004",
                            "log.cleaner.max.compaction.lag.ms", "100005"));
            alter(running, Way.RESTARTED_AND_DELETED, OpType.DELETE, false);
            table = table(running);
        }
        return table.stream();
    }

    private void growAndCreateAgain(Running running) throws Exception {
        try (Admin admin = running.admin()) {
            for (String application : APPLICATIONS.keySet()) {
                String grown = application + "-grown";
                get(admin.createPartitions(Map.of(grown, NewPartitions.increaseTo(5))).all());
                String again = application + "-again";
                get(admin.deleteTopics(List.of(again)).all());
                NewTopic created =
                        new NewTopic(again, 3, (short) 1)
                                .configs(Map.of("retention.bytes", "6000"));
                get(admin.createTopics(List.of(created)).all());
                TopicOptions wanted =
                        TopicOptions.defaults()
                                .withPartitions(3)
                                .withSegmentBytes(1 << 20)
                                .withMaxRecordBytes(1 << 19)
                                .withMinimumClass(
                                        running.store().openTopic(again).options().minimumClass())
                                .withRetentionBytes(6_000)
                                .withRetentionAge(Duration.ofMillis(100_000))
                                .withRollAge(Duration.ofMillis(100_002))
                                .withMaxCompactionLag(Duration.ofMillis(100_005))
                                .withMinCompactionLag(Duration.ofMillis(100_004))
                                .withMinDirtyRatio(0.625)
                                .withTombstoneRetention(Duration.ofMillis(100_003));
                named.put(again + " retention.bytes", "6000");
                rows.add(
                        new Row(
                                again,
                                "DeleteTopics, CreateTopics, a restart with other defaults",
                                wanted,
                                wanted));
            }
        }
    }

    private List<DynamicTest> table(Running running) throws Exception {
        List<DynamicTest> table = new ArrayList<>();
        Map<String, Config> described = described(running);
        for (Row row : rows) {
            Map<String, String> found = running.store().openTopic(row.topic).options().toMap();
            Map<String, String> expected = row.expected.toMap();
            List<Executable> cells = new ArrayList<>();
            expected.forEach(
                    (option, value) ->
                            cells.add(
                                    () ->
                                            assertEquals(
                                                    value,
                                                    found.get(option),
                                                    () -> cell(row, option))));
            Config config = described.get(row.topic);
            shown(row.expected)
                    .forEach(
                            (key, value) ->
                                    cells.add(() -> checkShown(row, config.get(key), value)));
            table.add(
                    DynamicTest.dynamicTest(
                            row.topic + ": " + row.call, () -> assertAll(cells.stream())));
        }
        return table;
    }

    private static String cell(Row row, String option) {
        return option
                + " of "
                + row.topic
                + " after "
                + row.call
                + ", before it was "
                + row.before.toMap().get(option);
    }

    private void checkShown(Row row, ConfigEntry entry, String value) {
        String key = entry.name();
        String what = "DescribeConfigs, " + key + " of " + row.topic + " after " + row.call;
        boolean isTopics =
                named.containsKey(row.topic + " " + key)
                        || !Objects.equals(value, DEFAULTS.get(key));
        assertEquals(value, entry.value(), what);
        assertEquals(
                isTopics
                        ? ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG
                        : OWN_DEFAULTS.contains(key)
                                ? ConfigEntry.ConfigSource.DEFAULT_CONFIG
                                : ConfigEntry.ConfigSource.STATIC_BROKER_CONFIG,
                entry.source(),
                what);
    }

    /** Those that the server's configuration does not give. */
    private static final Set<String> OWN_DEFAULTS =
            Set.of(
                    "cleanup.policy",
                    "firn.durability",
                    "firn.retain.until.read",
                    "firn.unread.limit.bytes",
                    "firn.unread.limit.ms");

    /** After the restart. */
    private static final Map<String, String> DEFAULTS =
            Map.ofEntries(
                    Map.entry("retention.ms", "100000"),
                    Map.entry("retention.bytes", "100001"),
                    Map.entry("segment.ms", "100002"),
                    Map.entry("delete.retention.ms", "100003"),
                    Map.entry("min.cleanable.dirty.ratio", "0.625"),
                    Map.entry("min.compaction.lag.ms", "100004"),
                    Map.entry("max.compaction.lag.ms", "100005"),
                    Map.entry("cleanup.policy", "delete"),
                    Map.entry("segment.bytes", "1048576"),
                    Map.entry("firn.durability", "durable"),
                    Map.entry("firn.retain.until.read", ""),
                    Map.entry("firn.unread.limit.bytes", "-1"),
                    Map.entry("firn.unread.limit.ms", "-1"));

    private static RetainUntilRead withLimitsOf(RetainUntilRead limits, RetainUntilRead readers) {
        RetainUntilRead limited = readers;
        if (limits.limitBytes().isPresent()) {
            limited = limited.withLimitBytes(limits.limitBytes().getAsLong());
        }
        return limits.limitAge().map(limited::withLimitAge).orElse(limited);
    }

    private static String msOr(long unlimited, Optional<Duration> limit) {
        return Long.toString(limit.map(Duration::toMillis).orElse(unlimited));
    }

    /** Written here once more, so that it does not depend on how the server does it. */
    private static Map<String, String> shown(TopicOptions options) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("retention.ms", msOr(-1, options.retentionAge()));
        all.put("retention.bytes", Long.toString(options.retentionBytes().orElse(-1)));
        all.put("segment.ms", msOr(Long.MAX_VALUE, options.rollAge()));
        all.put("delete.retention.ms", Long.toString(options.tombstoneRetention().toMillis()));
        all.put("min.cleanable.dirty.ratio", Double.toString(options.minDirtyRatio()));
        all.put("min.compaction.lag.ms", Long.toString(options.minCompactionLag().toMillis()));
        all.put("max.compaction.lag.ms", msOr(Long.MAX_VALUE, options.maxCompactionLag()));
        all.put(
                "cleanup.policy",
                switch (options.cleanup()) {
                    case DELETE -> "delete";
                    case COMPACT -> "compact";
                    case COMPACT_AND_DELETE -> "compact,delete";
                    case NONE -> "";
                });
        all.put("segment.bytes", Integer.toString(options.segmentBytes()));
        all.put(
                "firn.durability",
                options.durability() == Durability.DURABLE ? "durable" : "written");
        Set<String> readers = options.retainUntilRead().cursors();
        all.put(
                "firn.retain.until.read",
                readers.contains("*") ? "a%2Cb,%2A,%20c%252C" : String.join(",", readers));
        all.put(
                "firn.unread.limit.bytes",
                Long.toString(options.retainUntilRead().limitBytes().orElse(-1)));
        all.put("firn.unread.limit.ms", msOr(-1, options.retainUntilRead().limitAge()));
        return all;
    }
}
