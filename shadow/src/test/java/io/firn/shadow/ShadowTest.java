package io.firn.shadow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.ClosedException;
import io.firn.InvalidOptionException;
import io.firn.IsolationLevel;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.host.ReplicatedTopicException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a source without leader epochs, see {@link InProcessSource}. */
class ShadowTest {
    @TempDir Path directory;

    private final List<ShadowEvent> events = new CopyOnWriteArrayList<>();
    private InProcessSource source;
    private LogStore store;

    @BeforeEach
    void open() throws IOException {
        source = new InProcessSource(directory.resolve("source"));
        store = openStore();
    }

    private LogStore openStore() {
        return LogStore.at(directory.resolve("store"))
                .tier(FileTier.at(directory.resolve("segments")))
                .open();
    }

    @AfterEach
    void close() {
        store.close();
        source.close();
    }

    private Shadow.Builder shadow(String... topics) {
        return Shadow.of(store, source.properties()).topics(topics).listener(events::add);
    }

    /** Until the copy has all that the source has. */
    private void awaitCopy(Shadow shadow, String topic) throws InterruptedException {
        Shadows.await(
                () -> {
                    if (!store.hasTopic(topic)) {
                        return false;
                    }
                    Topic copy = store.openTopic(topic);
                    Topic original = source.store().openTopic(topic);
                    if (copy.partitionCount() != original.partitionCount()) {
                        return false;
                    }
                    for (int i = 0; i < copy.partitionCount(); i++) {
                        if (copy.partition(i).nextOffset() != original.partition(i).nextOffset()) {
                            return false;
                        }
                    }
                    return true;
                },
                shadow);
    }

    private static PartitionStatus only(Shadow shadow) {
        List<PartitionStatus> partitions = shadow.snapshot().partitions();
        assertEquals(1, partitions.size());
        return partitions.get(0);
    }

    private static void awaitState(Shadow shadow, FollowState state) throws InterruptedException {
        Shadows.await(
                () -> shadow.snapshot().partitions().stream().anyMatch(p -> p.state() == state),
                shadow);
    }

    private List<ShadowEvent.Kind> kinds() {
        return events.stream().map(ShadowEvent::kind).toList();
    }

    private void assertSameBatches(String topic, long from) throws IOException {
        Topic copy = store.openTopic(topic);
        Topic original = source.store().openTopic(topic);
        for (int i = 0; i < original.partitionCount(); i++) {
            assertArrayEquals(
                    Batches.of(original.partition(i), from),
                    Batches.of(copy.partition(i), from),
                    "partition " + i);
        }
    }

    private static List<String> values(Topic topic, IsolationLevel isolation) {
        List<String> values = new ArrayList<>();
        try (Tailer tailer = topic.openTailer(TailerOptions.defaults().withIsolation(isolation))) {
            while (tailer.forEach(
                            record ->
                                    values.add(
                                            record.offset()
                                                    + "="
                                                    + StandardCharsets.UTF_8.decode(
                                                            record.value())),
                            10_000)
                    > 0) {
                continue;
            }
        }
        return values;
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void shouldCopyBatchesByteForByteAtTheSameOffsets(String codec) throws Exception {
        source.create("orders", 3, Map.of());
        for (int i = 0; i < 3; i++) {
            source.produce("orders", i, 0, 500, Map.of("compression.type", codec));
        }
        try (Shadow shadow = shadow("orders").start()) {
            awaitCopy(shadow, "orders");
            source.produce("orders", 1, 500, 700, Map.of("compression.type", codec));
            awaitCopy(shadow, "orders");
        }
        assertSameBatches("orders", 0);
        assertEquals(List.of(), events);
    }

    @Test
    void shouldContinueWhereItWasAfterTheStoreWasOpenedAgain() throws Exception {
        source.create("orders", 1, Map.of());
        source.produce("orders", 0, 0, 300, Map.of());
        try (Shadow shadow = shadow("orders").start()) {
            awaitCopy(shadow, "orders");
        }
        store.close();
        store = openStore();
        source.produce("orders", 0, 300, 600, Map.of());
        try (Shadow shadow = shadow("orders").start()) {
            awaitCopy(shadow, "orders");
        }
        assertSameBatches("orders", 0);
        assertEquals(List.of(), events);
    }

    @Test
    void shouldShowCommittedRecordsOfTransactionsAsTheSourceDoes() throws Exception {
        source.create("orders", 1, Map.of());
        try (KafkaProducer<String, String> producer =
                source.producer(Map.of("transactional.id", "t"))) {
            producer.initTransactions();
            for (int i = 0; i < 20; i++) {
                producer.beginTransaction();
                var unused =
                        producer.send(
                                new ProducerRecord<>("orders", 0, "k", "in transaction " + i));
                if (i % 3 == 0) {
                    producer.flush();
                    producer.abortTransaction();
                } else {
                    producer.commitTransaction();
                }
            }
        }
        try (Shadow shadow = shadow("orders").start()) {
            awaitCopy(shadow, "orders");
        }
        assertSameBatches("orders", 0);
        for (IsolationLevel isolation : IsolationLevel.values()) {
            List<String> expected = values(source.store().openTopic("orders"), isolation);
            assertEquals(isolation == IsolationLevel.READ_COMMITTED ? 13 : 20, expected.size());
            assertEquals(expected, values(store.openTopic("orders"), isolation));
        }
    }

    @Test
    void shouldFollowNewPartitionsAndTopicsThatAPatternMatches() throws Exception {
        source.create("market.eu", 1, Map.of());
        source.create("other", 1, Map.of());
        try (Shadow shadow =
                Shadow.of(store, source.properties())
                        .pattern(Pattern.compile("market\\..*"))
                        .start()) {
            source.produce("market.eu", 0, 0, 10, Map.of());
            awaitCopy(shadow, "market.eu");
            source.create("market.us", 2, Map.of());
            try (Admin admin = source.admin()) {
                admin.createPartitions(Map.of("market.eu", NewPartitions.increaseTo(3)))
                        .all()
                        .get();
            }
            source.produce("market.eu", 2, 0, 10, Map.of());
            source.produce("market.us", 1, 0, 10, Map.of());
            awaitCopy(shadow, "market.eu");
            awaitCopy(shadow, "market.us");
        }
        assertFalse(store.hasTopic("other"));
        assertSameBatches("market.eu", 0);
    }

    @Test
    void shouldWaitForATopicThatTheSourceDoesNotHaveYet() throws Exception {
        try (Shadow shadow = shadow("later").start()) {
            Shadows.await(() -> shadow.snapshot().clusterId() != null, shadow);
            assertEquals(List.of("later"), shadow.snapshot().missingTopics());
            source.create("later", 1, Map.of());
            source.produce("later", 0, 0, 10, Map.of());
            awaitCopy(shadow, "later");
            assertEquals(List.of(), shadow.snapshot().missingTopics());
        }
    }

    @Test
    void shouldGoOnWhenTheSourceComesBack() throws Exception {
        source.create("orders", 1, Map.of());
        source.produce("orders", 0, 0, 10, Map.of());
        try (Shadow shadow = shadow("orders").start()) {
            awaitCopy(shadow, "orders");
            int port = source.stop();
            Shadows.await(() -> only(shadow).lastError() != null, shadow);
            assertFalse(shadow.snapshot().isCaughtUp());
            source.startAgain(port);
            source.produce("orders", 0, 10, 20, Map.of());
            awaitCopy(shadow, "orders");
            Shadows.await(() -> shadow.snapshot().isCaughtUp(), shadow);
            assertEquals(0, only(shadow).lagRecords());
            assertEquals(Optional.of(Duration.ZERO), only(shadow).lagTime());
        }
        assertSameBatches("orders", 0);
    }

    private void deleteRecords(String topic, long before) throws Exception {
        try (Admin admin = source.admin()) {
            admin.deleteRecords(
                            Map.of(
                                    new TopicPartition(topic, 0),
                                    RecordsToDelete.beforeOffset(before)))
                    .all()
                    .get();
        }
    }

    @Test
    void shouldBeginAtTheLogStartOfTheSource() throws Exception {
        source.create("orders", 1, Map.of());
        source.produce("orders", 0, 0, 100, Map.of("batch.size", "0"));
        deleteRecords("orders", 40);
        try (Shadow shadow = shadow("orders").start()) {
            awaitCopy(shadow, "orders");
        }
        assertEquals(40, store.openTopic("orders").partition(0).logStartOffset());
        assertSameBatches("orders", 40);
        assertEquals(List.of(), events);
    }

    @Test
    void shouldHaveTheOffsetsOfATopicWithoutRecords() throws Exception {
        source.create("orders", 1, Map.of());
        source.produce("orders", 0, 0, 100, Map.of());
        deleteRecords("orders", 100);
        try (Shadow shadow = shadow("orders").start()) {
            awaitCopy(shadow, "orders");
            source.produce("orders", 0, 100, 110, Map.of());
            awaitCopy(shadow, "orders");
        }
        assertEquals(10, values(store.openTopic("orders"), IsolationLevel.READ_COMMITTED).size());
    }

    private void fallBehindRetention() throws Exception {
        source.create("orders", 1, Map.of());
        source.produce("orders", 0, 0, 50, Map.of("batch.size", "0"));
        try (Shadow shadow = shadow("orders").start()) {
            awaitCopy(shadow, "orders");
        }
        source.produce("orders", 0, 50, 100, Map.of("batch.size", "0"));
        deleteRecords("orders", 80);
    }

    @Test
    void shouldSayWhichRecordsRetentionTookAndContinueBehindThem() throws Exception {
        fallBehindRetention();
        try (Shadow shadow = shadow("orders").start()) {
            awaitCopy(shadow, "orders");
        }
        assertEquals(List.of(ShadowEvent.Kind.GAP), kinds());
        assertEquals(50, events.get(0).fromOffset());
        assertEquals(80, events.get(0).toOffset());
        List<String> values = values(store.openTopic("orders"), IsolationLevel.READ_COMMITTED);
        assertEquals(70, values.size());
        assertEquals("49=value 49", values.get(49));
        assertEquals("80=value 80", values.get(50));
    }

    @Test
    void shouldStopAtAGapIfAskedTo() throws Exception {
        fallBehindRetention();
        try (Shadow shadow = shadow("orders").onGap(OnGap.STOP).start()) {
            awaitState(shadow, FollowState.STOPPED);
        }
        assertEquals(List.of(ShadowEvent.Kind.GAP), kinds());
        assertEquals(50, store.openTopic("orders").partition(0).nextOffset());
    }

    private UUID createAgain() throws Exception {
        source.create("orders", 2, Map.of());
        source.produce("orders", 0, 0, 50, Map.of());
        try (Shadow shadow = shadow("orders").start()) {
            awaitCopy(shadow, "orders");
        }
        source.delete("orders");
        source.create("orders", 1, Map.of());
        source.produce("orders", 0, 1000, 1100, Map.of());
        return store.openTopic("orders").id();
    }

    @Test
    void shouldStopWhenTheTopicWasCreatedAgain() throws Exception {
        createAgain();
        List<String> before = values(store.openTopic("orders"), IsolationLevel.READ_COMMITTED);
        try (Shadow shadow = shadow("orders").start()) {
            awaitState(shadow, FollowState.DIVERGED);
        }
        assertEquals(List.of(ShadowEvent.Kind.RECREATED), kinds());
        assertEquals(before, values(store.openTopic("orders"), IsolationLevel.READ_COMMITTED));
    }

    @Test
    void shouldCopyATopicThatWasCreatedAgainFromItsStartIfAskedTo() throws Exception {
        UUID before = createAgain();
        try (Shadow shadow = shadow("orders").onDivergence(OnDivergence.TRUNCATE).start()) {
            Shadows.await(() -> !events.isEmpty(), shadow);
            awaitCopy(shadow, "orders");
        }
        assertEquals(List.of(ShadowEvent.Kind.RECREATED), kinds());
        assertNotEquals(before, store.openTopic("orders").id());
        assertSameBatches("orders", 0);
    }

    @Test
    void shouldNoticeThatTheTopicIsCreatedAgainWhileItRuns() throws Exception {
        source.create("orders", 1, Map.of());
        source.produce("orders", 0, 0, 50, Map.of());
        try (Shadow shadow = shadow("orders").start()) {
            awaitCopy(shadow, "orders");
            source.delete("orders");
            source.create("orders", 1, Map.of());
            source.produce("orders", 0, 0, 70, Map.of());
            awaitState(shadow, FollowState.DIVERGED);
        }
        assertEquals(50, store.openTopic("orders").partition(0).nextOffset());
    }

    @Test
    void shouldRefuseAnotherCluster() throws Exception {
        source.create("orders", 1, Map.of());
        source.produce("orders", 0, 0, 50, Map.of());
        try (Shadow shadow = shadow("orders").start()) {
            awaitCopy(shadow, "orders");
        }
        try (InProcessSource other = new InProcessSource(directory.resolve("other"))) {
            other.create("orders", 1, Map.of());
            other.produce("orders", 0, 0, 90, Map.of());
            try (Shadow shadow =
                    Shadow.of(store, other.properties())
                            .topics("orders")
                            .listener(events::add)
                            .onDivergence(OnDivergence.TRUNCATE)
                            .start()) {
                awaitState(shadow, FollowState.STOPPED);
            }
        }
        assertEquals(List.of(ShadowEvent.Kind.OTHER_CLUSTER), kinds());
        assertEquals(50, store.openTopic("orders").partition(0).nextOffset());
    }

    @Test
    void shouldRefuseATopicThatIsNoCopy() throws Exception {
        store.createTopic("orders", TopicOptions.defaults());
        source.create("orders", 1, Map.of());
        source.create("prices", 1, Map.of());
        source.produce("prices", 0, 0, 10, Map.of());
        try (Shadow shadow = shadow("orders", "prices").start()) {
            awaitState(shadow, FollowState.STOPPED);
            awaitCopy(shadow, "prices");
        }
        assertEquals(List.of(ShadowEvent.Kind.STOPPED), kinds());
    }

    private Path note() {
        return directory
                .resolve("store")
                .resolve("shadow")
                .resolve(store.openTopic("orders").id().toString());
    }

    /** It was killed after the topic was created, before the note was written. */
    @Test
    void shouldTakeAnEmptyCopyWithoutANoteForItsOwn() throws Exception {
        store.createTopic("orders", TopicOptions.defaults().withReplicated(true));
        source.create("orders", 1, Map.of());
        source.produce("orders", 0, 0, 10, Map.of());
        try (Shadow shadow = shadow("orders").start()) {
            awaitCopy(shadow, "orders");
        }
        assertTrue(Files.exists(note()));
        assertEquals(List.of(), events);
    }

    @Test
    void shouldRefuseACopyWithRecordsWhoseNoteIsMissing() throws Exception {
        source.create("orders", 1, Map.of());
        source.produce("orders", 0, 0, 10, Map.of());
        try (Shadow shadow = shadow("orders").start()) {
            awaitCopy(shadow, "orders");
        }
        Files.delete(note());
        source.produce("orders", 0, 10, 20, Map.of());
        try (Shadow shadow = shadow("orders").start()) {
            awaitState(shadow, FollowState.STOPPED);
        }
        assertEquals(List.of(ShadowEvent.Kind.STOPPED), kinds());
        assertEquals(10, store.openTopic("orders").partition(0).nextOffset());
    }

    @Test
    void shouldRefuseAppendsOfOthers() throws Exception {
        source.create("orders", 1, Map.of());
        try (Shadow shadow = shadow("orders").start()) {
            awaitCopy(shadow, "orders");
            Partition copy = store.openTopic("orders").partition(0);
            assertThrows(ReplicatedTopicException.class, copy::openAppender);
        }
    }

    @Test
    void shouldStopTheOtherPartitionsForNothing() throws Exception {
        source.create("orders", 1, Map.of());
        source.create("prices", 1, Map.of());
        source.produce("orders", 0, 0, 10, Map.of());
        try (Shadow shadow = shadow("orders", "prices").start()) {
            awaitCopy(shadow, "orders");
            store.deleteTopic("orders");
            source.produce("orders", 0, 10, 20, Map.of());
            awaitState(shadow, FollowState.STOPPED);
            source.produce("prices", 0, 0, 10, Map.of());
            awaitCopy(shadow, "prices");
        }
    }

    @Test
    void shouldStartAndStopAgain() throws Exception {
        source.create("orders", 1, Map.of());
        source.produce("orders", 0, 0, 10, Map.of());
        try (Shadow shadow = shadow("orders").open()) {
            assertFalse(shadow.snapshot().isRunning());
            shadow.start();
            awaitCopy(shadow, "orders");
            shadow.stop();
            assertFalse(shadow.snapshot().isRunning());
            source.produce("orders", 0, 10, 20, Map.of());
            shadow.start();
            awaitCopy(shadow, "orders");
        }
    }

    @Test
    void shouldEndWhenTheStoreIsClosed() throws Exception {
        source.create("orders", 1, Map.of());
        source.produce("orders", 0, 0, 10, Map.of());
        try (Shadow shadow = shadow("orders").start()) {
            awaitCopy(shadow, "orders");
            store.close();
            source.produce("orders", 0, 10, 20, Map.of());
            Shadows.await(() -> !shadow.snapshot().isRunning(), shadow);
        }
    }

    @Test
    void shouldEndWhenTheStoreIsClosedAlsoWhileNoBrokerCanBeReached() throws Exception {
        Properties nowhere = new Properties();
        nowhere.put("bootstrap.servers", "127.0.0.1:1");
        try (Shadow shadow = Shadow.of(store, nowhere).topics("t").start()) {
            store.close();
            Shadows.await(() -> !shadow.snapshot().isRunning(), shadow);
            assertThrows(ClosedException.class, shadow::start);
        }
    }

    @Test
    void shouldSayWhatIsWrongWithItsConfiguration() {
        Properties wrong = source.properties();
        wrong.setProperty("fetch.max.wait.ms", "soon");
        String message =
                assertThrows(InvalidOptionException.class, () -> Shadow.of(store, wrong))
                        .getMessage();
        assertTrue(message.contains("fetch.max.wait.ms"), message);
        Shadow.Builder none = Shadow.of(store, source.properties());
        assertThrows(InvalidOptionException.class, none::open);
        assertThrows(InvalidOptionException.class, () -> none.bytesPerSecond(0));
    }

    @Test
    void shouldSayThatNoBrokerCanBeReached() throws Exception {
        Properties nowhere = source.properties();
        nowhere.setProperty("bootstrap.servers", "no-such-host.invalid:9092");
        try (Shadow shadow = Shadow.of(store, nowhere).topics("orders").start()) {
            Shadows.await(() -> shadow.snapshot().sourceError() != null, shadow);
        }
    }
}
