package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.TopicOptions;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.AlterConfigsOptions;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConfigEntry.ConfigSource;
import org.apache.kafka.clients.admin.ConfigEntry.ConfigSynonym;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients change of the configuration of the node, and of all nodes. */
class NodeConfigTest {
    private static final ConfigResource NODE = new ConfigResource(ConfigResource.Type.BROKER, "1");
    private static final ConfigResource ALL = new ConfigResource(ConfigResource.Type.BROKER, "");
    private static final ConfigResource LOGGERS =
            new ConfigResource(ConfigResource.Type.BROKER_LOGGER, "1");
    private static final String RETENTION = "log.retention.ms";

    @TempDir Path directory;
    private Running running;
    private Admin admin;

    @BeforeEach
    void start() throws Exception {
        running = new Running(directory, Map.of(RETENTION, "9000"));
        admin = running.admin();
    }

    @AfterEach
    void stop() {
        admin.close();
        running.close();
    }

    private static <T> T get(KafkaFuture<T> future) throws Exception {
        return future.get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
    }

    private static AlterConfigOp set(String key, String value) {
        return new AlterConfigOp(new ConfigEntry(key, value), OpType.SET);
    }

    private static AlterConfigOp delete(String key) {
        return new AlterConfigOp(new ConfigEntry(key, ""), OpType.DELETE);
    }

    private void alter(ConfigResource what, AlterConfigOp... changes) throws Exception {
        get(admin.incrementalAlterConfigs(Map.of(what, List.of(changes))).all());
    }

    private void assertRefused(Class<?> expected, ConfigResource what, AlterConfigOp... changes) {
        ExecutionException e = assertThrows(ExecutionException.class, () -> alter(what, changes));
        assertInstanceOf(expected, e.getCause());
    }

    private Collection<ConfigEntry> entries(ConfigResource what) throws Exception {
        return get(admin.describeConfigs(
                                List.of(what), new DescribeConfigsOptions().includeSynonyms(true))
                        .all())
                .get(what)
                .entries();
    }

    private ConfigEntry entry(ConfigResource what, String key) throws Exception {
        return entries(what).stream()
                .filter(each -> each.name().equals(key))
                .findFirst()
                .orElse(null);
    }

    private void assertValue(String value, ConfigSource source) throws Exception {
        ConfigEntry entry = entry(NODE, RETENTION);
        assertEquals(value, entry.value());
        assertEquals(source, entry.source());
        assertFalse(entry.isReadOnly());
    }

    @Test
    void shouldShowFromWhereEachValueOfTheNodeIs() throws Exception {
        assertValue("9000", ConfigSource.STATIC_BROKER_CONFIG);
        alter(ALL, set(RETENTION, "8000"));
        assertValue("8000", ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG);
        alter(NODE, set(RETENTION, "7000"));
        assertValue("7000", ConfigSource.DYNAMIC_BROKER_CONFIG);
        List<String> synonyms = new ArrayList<>();
        for (ConfigSynonym each : entry(NODE, RETENTION).synonyms()) {
            synonyms.add(each.value() + " " + each.source());
        }
        assertEquals(
                List.of(
                        "7000 DYNAMIC_BROKER_CONFIG",
                        "8000 DYNAMIC_DEFAULT_BROKER_CONFIG",
                        "9000 STATIC_BROKER_CONFIG"),
                synonyms);
        assertEquals("8000", entry(ALL, RETENTION).value());
        assertEquals(1, entries(ALL).size());
        alter(NODE, delete(RETENTION));
        assertValue("8000", ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG);
        alter(ALL, delete(RETENTION));
        assertValue("9000", ConfigSource.STATIC_BROKER_CONFIG);
        assertTrue(entry(NODE, "node.id").isReadOnly());
    }

    @Test
    void shouldKeepWhatClientsHaveSetForTheNode() throws Exception {
        alter(NODE, set(RETENTION, "7000"), set("message.max.bytes", "200000"));
        alter(ALL, set("log.retention.bytes", "1000000"));
        Path file = directory.resolve("store/server/security/config");
        assertEquals(
                "rwx------",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())));
        running.restart();
        assertValue("7000", ConfigSource.DYNAMIC_BROKER_CONFIG);
        assertEquals("200000", entry(NODE, "message.max.bytes").value());
        assertEquals("1000000", entry(NODE, "log.retention.bytes").value());
        running.createTopic("orders", 1, Map.of());
        TopicOptions options = running.store().openTopic("orders").options();
        assertEquals(Optional.of(Duration.ofMillis(7_000)), options.retentionAge());
        assertEquals(OptionalLong.of(1_000_000), options.retentionBytes());
    }

    @Test
    void shouldGiveNewTopicsAndThoseOfClientsTheDefaultThatAClientSets() throws Exception {
        running.store().createTopic("application", TopicOptions.defaults());
        running.createTopic("before", 1, Map.of());
        running.createTopic("own", 1, Map.of("retention.ms", "5000"));
        alter(NODE, set(RETENTION, "7000"));
        running.createTopic("after", 1, Map.of());
        assertRetention(7_000, "before", ConfigSource.DYNAMIC_BROKER_CONFIG);
        assertRetention(7_000, "after", ConfigSource.DYNAMIC_BROKER_CONFIG);
        assertRetention(5_000, "own", ConfigSource.DYNAMIC_TOPIC_CONFIG);
        assertEquals(
                Optional.empty(),
                running.store().openTopic("application").options().retentionAge());
        alter(NODE, delete(RETENTION));
        assertRetention(9_000, "before", ConfigSource.STATIC_BROKER_CONFIG);
    }

    private void assertRetention(long ms, String topic, ConfigSource source) throws Exception {
        ConfigEntry entry =
                entry(new ConfigResource(ConfigResource.Type.TOPIC, topic), "retention.ms");
        assertEquals(Long.toString(ms), entry.value());
        assertEquals(source, entry.source());
        assertEquals(
                Optional.of(Duration.ofMillis(ms)),
                running.store().openTopic(topic).options().retentionAge());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "log.retention.ms=x",
                "log.retention.ms=-2",
                "log.retention.hours=4",
                "node.id=4",
                "log.dirs=/x",
                "num.partitions=4",
                "firn.durability=written",
                "super.users=User:me",
                "no.such.key=1"
            })
    void shouldRefuseWhatCannotBeChangedWhileTheServerRuns(String change) throws Exception {
        String[] words = change.split("=");
        for (ConfigResource each : List.of(NODE, ALL)) {
            assertRefused(
                    InvalidRequestException.class,
                    each,
                    set("log.retention.bytes", "5"),
                    set(words[0], words[1]));
        }
        assertEquals("-1", entry(NODE, "log.retention.bytes").value());
        assertEquals(List.of(), List.copyOf(entries(ALL)));
    }

    @Test
    void shouldChangeListsAndOnlyCheckWhatIsToBeCheckedOnly() throws Exception {
        alter(
                NODE,
                new AlterConfigOp(new ConfigEntry("log.cleanup.policy", "compact"), OpType.APPEND));
        assertEquals("delete,compact", entry(NODE, "log.cleanup.policy").value());
        alter(
                NODE,
                new AlterConfigOp(
                        new ConfigEntry("log.cleanup.policy", "delete"), OpType.SUBTRACT));
        assertEquals("compact", entry(NODE, "log.cleanup.policy").value());
        assertRefused(
                InvalidConfigurationException.class,
                NODE,
                new AlterConfigOp(new ConfigEntry(RETENTION, "1"), OpType.APPEND));
        get(
                admin.incrementalAlterConfigs(
                                Map.of(NODE, List.of(set(RETENTION, "1"))),
                                new AlterConfigsOptions().validateOnly(true))
                        .all());
        assertValue("9000", ConfigSource.STATIC_BROKER_CONFIG);
    }

    @Test
    void shouldStartWithoutAValueThatAnotherVersionHadAccepted() throws Exception {
        Path file = directory.resolve("store/server/security/config");
        alter(NODE, set(RETENTION, "7000"));
        running.stop();
        SmallFile.write(
                FileMedium.real(),
                file,
                "node-config",
                1,
                Map.of("node.no.such.key", "1", "node." + RETENTION, "7000", "all.node.id", "5"));
        running.start(0);
        admin.close();
        admin = running.admin();
        assertValue("7000", ConfigSource.DYNAMIC_BROKER_CONFIG);
        assertEquals("1", entry(NODE, "node.id").value());
        assertEquals(ConfigSource.DEFAULT_CONFIG, entry(NODE, "node.id").source());
        alter(NODE, set("log.retention.bytes", "5"));
        assertEquals("5", entry(NODE, "log.retention.bytes").value());
        alter(NODE, delete("no.such.key"));
        alter(ALL, delete("node.id"));
        assertEquals(List.of(), List.copyOf(entries(ALL)));
    }

    @Test
    void shouldKeepAllOfManyChangesThatAreMadeAtOnce() throws Exception {
        List<String> keys =
                List.of(
                        "log.retention.bytes",
                        "log.cleaner.delete.retention.ms",
                        "log.cleaner.max.compaction.lag.ms",
                        "message.max.bytes");
        List<KafkaFuture<Void>> changes = new ArrayList<>();
        List<Admin> admins = new ArrayList<>();
        try {
            for (String key : keys) {
                Admin each = running.admin();
                admins.add(each);
                changes.add(
                        each.incrementalAlterConfigs(Map.of(NODE, List.of(set(key, "123456"))))
                                .all());
            }
            for (KafkaFuture<Void> each : changes) {
                get(each);
            }
        } finally {
            admins.forEach(Admin::close);
        }
        for (String key : keys) {
            assertEquals("123456", entry(NODE, key).value(), key);
        }
    }

    @Test
    void shouldRefuseANumberWithVeryManyZeros() {
        assertRefused(InvalidRequestException.class, NODE, set(RETENTION, "0".repeat(1_001) + "7"));
    }

    // ---- loggers

    @Test
    void shouldChangeTheLevelsOfFirnsLoggers() throws Exception {
        var logger = java.util.logging.Logger.getLogger("io.firn.server");
        var before = logger.getLevel();
        try {
            assertEquals(
                    ConfigSource.DYNAMIC_BROKER_LOGGER_CONFIG,
                    entry(LOGGERS, "io.firn.server").source());
            alter(LOGGERS, set("io.firn.server", "ERROR"));
            assertEquals(java.util.logging.Level.SEVERE, logger.getLevel());
            assertEquals("ERROR", entry(LOGGERS, "io.firn.server").value());
            alter(LOGGERS, delete("io.firn.server"));
            assertEquals(null, logger.getLevel());
            assertEquals(
                    entry(LOGGERS, "io.firn").value(), entry(LOGGERS, "io.firn.server").value());
        } finally {
            logger.setLevel(before);
        }
    }

    @Test
    void shouldRefuseLevelsThatWouldHaveNoEffectAndLoggersOfOthers() throws Exception {
        assertRefused(InvalidConfigurationException.class, LOGGERS, set("io.firn", "LOUD"));
        assertRefused(InvalidConfigurationException.class, LOGGERS, set("com.example", "INFO"));
        assertRefused(InvalidConfigurationException.class, LOGGERS, set("io.firnly", "INFO"));
        var root = java.util.logging.Logger.getLogger("");
        var handlers = root.getHandlers();
        for (var each : handlers) {
            root.removeHandler(each);
        }
        try {
            assertRefused(InvalidConfigurationException.class, LOGGERS, set("io.firn", "TRACE"));
        } finally {
            for (var each : handlers) {
                root.addHandler(each);
            }
        }
    }

    @Test
    void shouldKeepTheLevelOfTheAuditLog() throws Exception {
        var audit = java.util.logging.Logger.getLogger("io.firn.audit");
        var ours = java.util.logging.Logger.getLogger("io.firn");
        var before = ours.getLevel();
        var auditBefore = audit.getLevel();
        try {
            assertTrue(entry(LOGGERS, "io.firn.audit").isReadOnly());
            assertRefused(InvalidRequestException.class, LOGGERS, set("io.firn.audit", "OFF"));
            boolean logged = audit.isLoggable(java.util.logging.Level.INFO);
            alter(LOGGERS, set("io.firn", "OFF"));
            assertEquals(java.util.logging.Level.OFF, ours.getLevel());
            assertEquals(logged, audit.isLoggable(java.util.logging.Level.INFO));
        } finally {
            ours.setLevel(before);
            audit.setLevel(auditBefore);
        }
    }
}
