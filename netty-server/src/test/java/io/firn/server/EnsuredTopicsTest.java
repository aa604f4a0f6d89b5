package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.CleanupPolicy;
import io.firn.RetainUntilRead;
import io.firn.TopicOptions;
import io.firn.sim.FirstRunOnly;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application that ensures its topic at each start, and a client that changes the topic. */
@FirstRunOnly
class EnsuredTopicsTest {
    private static final TopicOptions UNSET = TopicOptions.defaults();

    /** What a client sets, what the topic then has, and what the application sets. */
    private record Setting(
            String key,
            String value,
            String option,
            String has,
            UnaryOperator<TopicOptions> application) {}

    private static final List<Setting> SETTINGS =
            List.of(
                    new Setting(
                            "retention.ms",
                            "5000",
                            "retentionAge",
                            "PT5S",
                            o -> o.withRetentionAge(Duration.ofMillis(1))),
                    new Setting(
                            "retention.bytes",
                            "6000",
                            "retentionBytes",
                            "6000",
                            o -> o.withoutRetentionBytes()),
                    new Setting(
                            "segment.ms",
                            "7000",
                            "rollAge",
                            "PT7S",
                            o -> o.withRollAge(Duration.ofMillis(1_000))),
                    new Setting(
                            "cleanup.policy",
                            "compact",
                            "cleanup",
                            "COMPACT",
                            o -> o.withCleanup(CleanupPolicy.DELETE)),
                    new Setting(
                            "min.compaction.lag.ms",
                            "8000",
                            "minCompactionLag",
                            "PT8S",
                            o -> o.withMinCompactionLag(Duration.ZERO)),
                    new Setting(
                            "max.compaction.lag.ms",
                            "900000",
                            "maxCompactionLag",
                            "PT15M",
                            o -> o.withMaxCompactionLag(Duration.ofMillis(1))),
                    new Setting(
                            "min.cleanable.dirty.ratio",
                            "0.75",
                            "minDirtyRatio",
                            "0.75",
                            o -> o.withMinDirtyRatio(0.5)),
                    new Setting(
                            "delete.retention.ms",
                            "11000",
                            "tombstoneRetention",
                            "PT11S",
                            o -> o.withTombstoneRetention(Duration.ofDays(1))),
                    new Setting(
                            "firn.retain.until.read",
                            "billing",
                            "retainUntilRead",
                            RetainUntilRead.by("billing").toString(),
                            o -> o.withRetainUntilRead(RetainUntilRead.none())));

    @TempDir Path directory;

    private static ConfigResource topic(Setting setting) {
        return new ConfigResource(ConfigResource.Type.TOPIC, setting.option);
    }

    private static void clientSetsAll(Running running) throws Exception {
        Map<ConfigResource, java.util.Collection<AlterConfigOp>> changes = new LinkedHashMap<>();
        for (Setting each : SETTINGS) {
            ConfigEntry entry = new ConfigEntry(each.key, each.value);
            changes.put(topic(each), List.of(new AlterConfigOp(entry, OpType.SET)));
        }
        try (Admin admin = running.admin()) {
            admin.incrementalAlterConfigs(changes)
                    .all()
                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
        }
    }

    private static Map<ConfigResource, Config> described(Running running) throws Exception {
        try (Admin admin = running.admin()) {
            return admin.describeConfigs(SETTINGS.stream().map(EnsuredTopicsTest::topic).toList())
                    .all()
                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
        }
    }

    private static List<TopicOptions.Change> ensure(
            Running running, Setting topic, TopicOptions options) {
        List<TopicOptions.Change> changes = new ArrayList<>();
        running.store().ensureTopic(topic.option, options, changes::add);
        return changes;
    }

    @Test
    void shouldKeepWhatAClientSetsUnlessTheApplicationSetsItToo() throws Exception {
        try (Running running = new Running(directory)) {
            SETTINGS.forEach(each -> ensure(running, each, UNSET));
            clientSetsAll(running);
            for (Setting each : SETTINGS) {
                assertEquals(List.of(), ensure(running, each, UNSET), each.key);
                String has =
                        running.store().openTopic(each.option).options().toMap().get(each.option);
                assertEquals(each.has, has, each.key);
            }
            Map<ConfigResource, Config> clients = described(running);
            for (Setting each : SETTINGS) {
                assertEquals(each.value, clients.get(topic(each)).get(each.key).value(), each.key);
                TopicOptions set = each.application.apply(UNSET);
                List<TopicOptions.Change> changes = ensure(running, each, set);
                assertEquals(1, changes.size(), changes.toString());
                assertEquals(each.option, changes.get(0).option());
                assertEquals(each.has, changes.get(0).before());
                assertEquals(set.toMap().get(each.option), changes.get(0).after());
            }
            Map<ConfigResource, Config> applications = described(running);
            for (Setting each : SETTINGS) {
                String shown = applications.get(topic(each)).get(each.key).value();
                assertEquals(false, each.value.equals(shown), each.key + "=" + shown);
            }
        }
    }

    @Test
    void shouldKeepThePartitionsThatAClientAdds() throws Exception {
        try (Running running = new Running(directory)) {
            running.store().ensureTopic("t", UNSET.withPartitions(2));
            try (Admin admin = running.admin()) {
                admin.createPartitions(Map.of("t", NewPartitions.increaseTo(5)))
                        .all()
                        .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            }
            assertEquals(5, running.store().ensureTopic("t", UNSET).partitionCount());
            assertEquals(
                    5, running.store().ensureTopic("t", UNSET.withPartitions(2)).partitionCount());
            assertEquals(
                    6, running.store().ensureTopic("t", UNSET.withPartitions(6)).partitionCount());
        }
    }
}
