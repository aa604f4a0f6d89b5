package io.firn.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.CleanupPolicy;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import io.firn.sim.FirstRunOnly;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConfigEntry.ConfigSource;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who chose the options of a topic: an application, a client or the server's defaults. */
@FirstRunOnly
class TopicChoicesTest {
    private static final String TOPIC = "orders";
    private static final ConfigResource RESOURCE =
            new ConfigResource(ConfigResource.Type.TOPIC, TOPIC);
    private static final long WEEK_MS = 604_800_000;

    @TempDir Path directory;
    private Running running;

    @BeforeEach
    void start() throws Exception {
        running = new Running(directory);
    }

    @AfterEach
    void stop() {
        running.close();
    }

    private TopicOptions options() {
        return running.store().openTopic(TOPIC).options();
    }

    private void change(TopicOptions changed) {
        running.store().openTopic(TOPIC).changeOptions(changed);
    }

    /** Of keys and values; a key with an empty value is deleted. */
    private void alter(String... changes) throws Exception {
        List<AlterConfigOp> all = new ArrayList<>();
        for (int i = 0; i < changes.length; i += 2) {
            OpType type = changes[i + 1].isEmpty() ? OpType.DELETE : OpType.SET;
            all.add(new AlterConfigOp(new ConfigEntry(changes[i], changes[i + 1]), type));
        }
        try (Admin admin = running.admin()) {
            admin.incrementalAlterConfigs(Map.of(RESOURCE, all))
                    .all()
                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
        }
    }

    private Config described() throws Exception {
        try (Admin admin = running.admin()) {
            return admin.describeConfigs(List.of(RESOURCE))
                    .all()
                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS)
                    .get(RESOURCE);
        }
    }

    private Path file() {
        String id = running.store().openTopic(TOPIC).id().toString();
        return directory.resolve("store/server/topics").resolve(id);
    }

    /** While the server is down. */
    private void write(int version, Map<String, String> text) throws Exception {
        Path file = file();
        running.stop();
        SmallFile.write(FileMedium.real(), file, "topic-config", version, text);
        running.start(0);
    }

    @Test
    void shouldLeaveAnOptionToTheApplicationThatTakesItBack() throws Exception {
        running.store()
                .createTopic(
                        TOPIC, TopicOptions.defaults().withRetentionAge(Duration.ofMillis(100)));
        alter("retention.ms", "5000", "max.message.bytes", "4000", "segment.ms", "6000");
        change(options().withoutRetentionAge());

        for (int i = 0; i < 2; i++) {
            assertEquals("-1", described().get("retention.ms").value());
            assertEquals("4000", described().get("max.message.bytes").value());
            running.restart();
        }
        alter("retention.ms", "", "segment.ms", "", "max.message.bytes", "");
        assertEquals(Optional.empty(), options().retentionAge());
        assertEquals(Optional.empty(), options().rollAge());
        assertEquals("1048588", described().get("max.message.bytes").value());
    }

    @Test
    void shouldNotGiveTheServersDefaultsToWhatAnApplicationChangedInAClientsTopic()
            throws Exception {
        running.createTopic(TOPIC, 1, Map.of());
        assertEquals(Optional.of(Duration.ofMillis(WEEK_MS)), options().retentionAge());
        change(options().withoutRetentionAge());
        alter("retention.bytes", "7000");

        running.restart(Map.of("log.retention.ms", "100000", "log.roll.ms", "100001"));

        assertEquals(Optional.empty(), options().retentionAge());
        assertEquals(
                Optional.of(Duration.ofMillis(100_001)),
                options().rollAge(),
                "follows the default");
        alter("retention.ms", "8000");
        alter("retention.ms", "", "retention.bytes", "");
        assertEquals(Optional.empty(), options().retentionAge(), "the application's");
        assertEquals(OptionalLong.empty(), options().retentionBytes(), "the default");
    }

    @Test
    void shouldLeaveToAnApplicationWhatItSetBackToTheDefaultInAClientsTopic() throws Exception {
        running.createTopic(TOPIC, 1, Map.of("retention.ms", "5000"));
        change(options().withRetentionAge(Duration.ofMillis(WEEK_MS)));
        running.restart(Map.of("log.retention.ms", "100000"));
        assertEquals(Optional.of(Duration.ofMillis(WEEK_MS)), options().retentionAge());
    }

    @Test
    void shouldGiveTheNewDefaultWhenAKeyOfAClientsTopicIsDeletedAfterARestart() throws Exception {
        running.createTopic(TOPIC, 1, Map.of("retention.ms", "5000"));
        running.restart(Map.of("log.retention.ms", "100000"));
        assertEquals(Optional.of(Duration.ofMillis(5_000)), options().retentionAge());
        alter("retention.ms", "");
        assertEquals(Optional.of(Duration.ofMillis(100_000)), options().retentionAge());
        running.restart(Map.of("log.retention.ms", "200000"));
        assertEquals(Optional.of(Duration.ofMillis(200_000)), options().retentionAge());
        assertEquals(ConfigSource.STATIC_BROKER_CONFIG, described().get("retention.ms").source());
    }

    @Test
    void shouldLeaveThePolicyOfAClientsTopicWhenTheDefaultChanges() throws Exception {
        running.createTopic(TOPIC, 1, Map.of());
        running.restart(Map.of("log.cleanup.policy", "compact"));
        assertEquals(CleanupPolicy.DELETE, options().cleanup());
        assertEquals("delete", described().get("cleanup.policy").value());
        assertEquals(ConfigSource.DYNAMIC_TOPIC_CONFIG, described().get("cleanup.policy").source());
    }

    @Test
    void shouldStartWithDefaultsThatDoNotFitWhatAClientSet() throws Exception {
        running.createTopic(TOPIC, 1, Map.of("max.compaction.lag.ms", "5000"));
        running.restart(
                Map.of("log.cleaner.min.compaction.lag.ms", "6000", "log.retention.ms", "7000"));
        assertEquals(Optional.of(Duration.ofMillis(5_000)), options().maxCompactionLag());
        assertEquals(Duration.ofMillis(0), options().minCompactionLag());
        assertEquals(Optional.of(Duration.ofMillis(7_000)), options().retentionAge());
        assertEquals("0", described().get("min.compaction.lag.ms").value());
    }

    /** An application's topic, over whose options that version wrote the defaults. */
    @Test
    void shouldLoseNothingMoreOfAnApplicationsTopicThatAnEarlierVersionChanged() throws Exception {
        running.store()
                .createTopic(
                        TOPIC,
                        TopicOptions.defaults()
                                .withRetentionAge(Duration.ofMillis(WEEK_MS))
                                .withRollAge(Duration.ofMillis(WEEK_MS)));
        TopicOptions before = options();
        write(1, Map.of("max.message.bytes", "4000"));
        running.restart(Map.of("log.retention.ms", "100000", "log.roll.ms", "100001"));
        assertEquals(before, options());
        alter("max.message.bytes", "");
        alter("segment.ms", "5000");
        assertEquals(before.withRollAge(Duration.ofMillis(5_000)), options());
        alter("segment.ms", "");
        assertEquals(before, options());
        assertEquals(ConfigSource.DYNAMIC_TOPIC_CONFIG, described().get("retention.ms").source());
    }

    @Test
    void shouldKeepWhatHoldsWhenAKeyIsDeletedThatAnEarlierVersionStored() throws Exception {
        running.store()
                .createTopic(
                        TOPIC,
                        TopicOptions.defaults()
                                .withCleanup(CleanupPolicy.COMPACT)
                                .withMinDirtyRatio(0.25)
                                .withRollAge(Duration.ofMillis(7_000)));
        write(
                1,
                Map.of(
                        "cleanup.policy", "compact",
                        "min.cleanable.dirty.ratio", "0.25",
                        "segment.ms", "7000",
                        "retention.ms", "5000", // the log did not get it
                        "retention.bytes", "6000"));
        TopicOptions expected =
                options()
                        .withRetentionAge(Duration.ofMillis(5_000))
                        .withRetentionBytes(6_000)
                        .withRollAge(Duration.ofMillis(7_000));
        assertEquals(
                Optional.of(Duration.ofMillis(5_000)),
                options().retentionAge(),
                "without effect while it is compacted");
        assertEquals(expected, options());
        alter("cleanup.policy", "", "segment.ms", "", "retention.ms", "");
        assertEquals(expected, options());
        alter("cleanup.policy", "delete");
        assertEquals(expected.withCleanup(CleanupPolicy.DELETE), options());
    }

    /** That version gave such a topic unlimited retention. */
    @Test
    void shouldKeepTheEmptyPolicyThatAnEarlierVersionStored() throws Exception {
        running.store().createTopic(TOPIC, TopicOptions.defaults());
        write(1, Map.of("cleanup.policy", ""));
        assertEquals(CleanupPolicy.NONE, options().cleanup());
        assertEquals("", described().get("cleanup.policy").value());
    }

    /** What a crash between the files leaves, before and after the options were changed. */
    @Test
    void shouldCompleteOrForgetAChangeThatACrashInterrupted() throws Exception {
        for (boolean done : new boolean[] {false, true}) {
            Topic topic =
                    running.store()
                            .createTopic(
                                    TOPIC,
                                    TopicOptions.defaults()
                                            .withRetentionAge(Duration.ofMillis(90_000_000)));
            alter("retention.ms", "5000", "max.message.bytes", "4000");
            Map<String, String> text =
                    new TreeMap<>(SmallFile.read(FileMedium.real(), file(), "topic-config", 2));
            assertEquals("90000000", text.get("application.retention.ms"));
            Map<String, String> next = new TreeMap<>(text);
            next.put("retention.ms", "6000");
            next.put("max.message.bytes", "3000");
            next.forEach((key, value) -> text.put("next." + key, value));
            text.put("to.retention.ms", "6000");
            if (done) {
                topic.changeOptions(topic.options().withRetentionAge(Duration.ofMillis(6_000)));
            }

            write(2, text);

            assertEquals(
                    Optional.of(Duration.ofMillis(done ? 6_000 : 5_000)), options().retentionAge());
            assertEquals(done ? "3000" : "4000", described().get("max.message.bytes").value());
            alter("retention.ms", "");
            assertEquals(Optional.of(Duration.ofMillis(90_000_000)), options().retentionAge());
            running.store().deleteTopic(TOPIC);
        }
    }

    /** Two at once, each with a key of its own. */
    @Test
    void shouldKeepAllOfManyChangesThatClientsMakeAtOnce() throws Exception {
        running.store().createTopic(TOPIC, TopicOptions.defaults());
        Map<String, String> values =
                Map.of(
                        "retention.ms", "5000",
                        "retention.bytes", "6000",
                        "segment.ms", "7000",
                        "max.message.bytes", "8000",
                        "delete.retention.ms", "9000",
                        "message.timestamp.after.max.ms", "10000");
        List<Admin> admins = new ArrayList<>();
        try {
            List<KafkaFuture<Void>> changes = new ArrayList<>();
            for (Map.Entry<String, String> each : values.entrySet()) {
                Admin admin = running.admin();
                admins.add(admin);
                AlterConfigOp change =
                        new AlterConfigOp(
                                new ConfigEntry(each.getKey(), each.getValue()), OpType.SET);
                changes.add(admin.incrementalAlterConfigs(Map.of(RESOURCE, List.of(change))).all());
            }
            for (KafkaFuture<Void> each : changes) {
                each.get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            }
        } finally {
            admins.forEach(Admin::close);
        }
        Config described = described();
        values.forEach((key, value) -> assertEquals(value, described.get(key).value(), key));
    }

    /** The file no longer speaks of it, so that the same value may be the application's. */
    @Test
    void shouldNotTakeAnApplicationsValueForAChangeThatACrashHadPrevented() throws Exception {
        running.store()
                .createTopic(
                        TOPIC,
                        TopicOptions.defaults().withRetentionAge(Duration.ofMillis(90_000_000)));
        write(
                2,
                Map.of(
                        "next.retention.ms", "6000",
                        "next.application.retention.ms", "90000000",
                        "to.retention.ms", "6000"));
        change(options().withRetentionAge(Duration.ofMillis(6_000)));
        running.restart();
        alter("retention.ms", "");
        assertEquals(Optional.of(Duration.ofMillis(6_000)), options().retentionAge());
    }

    /** The application has taken the policy back since, for a topic that is not compacted. */
    @Test
    void shouldStartWithAPolicyOfAnEarlierVersionThatDoesNotFitTheTopic() throws Exception {
        running.store().createTopic(TOPIC, TopicOptions.defaults().withReplicated(true));
        TopicOptions before = options();
        write(1, Map.of("cleanup.policy", "compact", "max.message.bytes", "4000"));
        assertEquals(before, options());
        assertEquals("4000", described().get("max.message.bytes").value());
    }

    @Test
    void shouldSayThatTheSizeOfSegmentsDoesNotChange() throws Exception {
        running.store().createTopic(TOPIC, TopicOptions.defaults());
        try (Logged log = new Logged("io.firn.server")) {
            alter("segment.bytes", "2097152");
            assertTrue(log.has("segment.bytes=2097152, which a client has set, has no effect"));
        }
        assertEquals("67108864", described().get("segment.bytes").value());
    }

    @Test
    void shouldStartAnApplicationAfterAnyChangeByAClient() throws Exception {
        TopicOptions wanted =
                TopicOptions.defaults().withRetentionAge(Duration.ofDays(1)).withPartitions(2);
        running.store().createTopic(TOPIC, wanted);
        alter(
                "retention.ms", "5000",
                "retention.bytes", "6000",
                "segment.ms", "7000",
                "segment.bytes", "2097152",
                "cleanup.policy", "compact",
                "max.compaction.lag.ms", "8000",
                "min.cleanable.dirty.ratio", "0.1",
                "delete.retention.ms", "9000",
                "firn.retain.until.read", "*",
                "firn.unread.limit.bytes", "10000",
                "firn.unread.limit.ms", "11000");
        try (Admin admin = running.admin()) {
            admin.createPartitions(
                            Map.of(
                                    TOPIC,
                                    org.apache.kafka.clients.admin.NewPartitions.increaseTo(3)))
                    .all()
                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
        }
        running.restart();
        Topic topic = running.store().ensureTopic(TOPIC, wanted);
        assertEquals(3, topic.partitionCount());
        assertEquals(OptionalLong.of(6_000), topic.options().retentionBytes());
        assertEquals(
                Optional.of(Duration.ofMillis(86_400_000)),
                topic.options().retentionAge(),
                "the application sets it");
        assertEquals("86400000", described().get("retention.ms").value());
    }
}
