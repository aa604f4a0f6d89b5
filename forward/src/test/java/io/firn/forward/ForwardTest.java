package io.firn.forward;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.BusyException;
import io.firn.Durability;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.RecordId;
import io.firn.RestoreOptions;
import io.firn.StoreFullException;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.Transaction;
import io.firn.file.FileTier;
import io.firn.forward.ForwardException.Reason;
import io.firn.forward.WatchedTarget.Call;
import io.firn.forward.cluster.Position;
import io.firn.forward.cluster.Target;
import io.firn.forward.cluster.TargetConfig;
import io.firn.forward.cluster.TargetFailure;
import io.firn.forward.cluster.TargetPartition;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** To a cluster in the test's process. */
class ForwardTest {
    private static final String TOPIC = "orders";
    private static final String TARGET = "plant7.orders";
    private static final String NAME = "plant7";
    private static final TargetPartition KEY = new TargetPartition(TARGET, 0);

    @TempDir Path directory;

    private InProcessCluster cluster;
    private LogStore store;
    private Topic topic;

    @BeforeEach
    void open() throws Exception {
        cluster = new InProcessCluster(directory.resolve("cluster"));
        cluster.create(TARGET, 1);
        store = openStore("here");
        topic = store.createTopic(TOPIC, TopicOptions.defaults().withSegmentBytes(65536));
    }

    @AfterEach
    void close() {
        store.close();
        cluster.close();
    }

    private LogStore openStore(String name) {
        return LogStore.at(directory.resolve(name))
                .tier(FileTier.at(directory.resolve(name).resolve("segments")))
                .open();
    }

    private Forward.Builder builder() {
        return Forward.from(store).to(cluster.properties()).name(NAME).topic(TOPIC, TARGET);
    }

    private Target.Factory target() {
        return Target.Factory.of(TargetConfig.of(cluster.properties(), NAME, 1 << 20));
    }

    private Forward watched(Consumer<Call> watcher) {
        return builder().open(WatchedTarget.of(target(), watcher)).start();
    }

    private void append(int from, int to) {
        append(topic, from, to);
    }

    private static void append(Topic topic, int from, int to) {
        try (Appender appender = topic.partition(0).openAppender()) {
            Batch batch = topic.newBatch();
            for (int i = from; i < to; i++) {
                batch.add(("value " + i).getBytes(UTF_8));
            }
            appender.append(batch);
        }
    }

    private static List<String> expected(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> "value " + i).toList();
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long until = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < until, "still waiting");
            Thread.sleep(5);
        }
    }

    private static void awaitCaughtUp(Forward forward) throws InterruptedException {
        await(() -> forward.snapshot().isCaughtUp() || !forward.snapshot().isRunning());
        assertEquals(List.of(), forward.snapshot().failure().stream().toList());
    }

    private static ForwardException awaitFailure(Forward forward) throws InterruptedException {
        await(() -> !forward.snapshot().isRunning());
        return forward.snapshot().failure().orElseThrow();
    }

    private void forwardAll() throws InterruptedException {
        try (Forward forward = builder().start()) {
            awaitCaughtUp(forward);
        }
    }

    @Test
    void shouldSendKeysValuesHeadersAndTimestampsInOrder() throws Exception {
        Batch batch = topic.newBatch();
        batch.add("k".getBytes(UTF_8), "v".getBytes(UTF_8));
        batch.timestamp(123_456).header("h", "x".getBytes(UTF_8)).add("other".getBytes(UTF_8));
        try (Appender appender = topic.partition(0).openAppender()) {
            appender.append(batch);
        }
        append(0, 1000);
        forwardAll();
        List<ConsumerRecord<String, String>> records = cluster.records(TARGET, 0);
        assertEquals("k", records.get(0).key());
        assertEquals("v", records.get(0).value());
        assertEquals(123_456, records.get(1).timestamp());
        assertEquals("x", new String(records.get(1).headers().lastHeader("h").value(), UTF_8));
        assertEquals(expected(0, 1000), cluster.values(TARGET, 0).subList(2, 1002));
        assertEquals(1002, records.size());
    }

    @Test
    void shouldGoOnWhereItWasWhenItIsStartedAgain() throws Exception {
        append(0, 100);
        forwardAll();
        append(100, 200);
        forwardAll();
        assertEquals(expected(0, 200), cluster.values(TARGET, 0));
    }

    @Test
    void shouldSendNothingTwiceWhenItEndsBetweenTheCommitAndTheCursor() throws Exception {
        append(0, 100);
        AtomicBoolean hasSent = new AtomicBoolean();
        Forward forward =
                watched(
                        call -> {
                            hasSent.compareAndSet(false, call == Call.SEND);
                            if (call == Call.COMMITTED && hasSent.get()) {
                                throw new IllegalStateException("killed");
                            }
                        });
        assertEquals(Reason.ERROR, awaitFailure(forward).reason());
        forward.close();
        assertEquals(0, topic.cursor("~forward-plant7").offset(0));
        append(100, 200);
        forwardAll();
        assertEquals(expected(0, 200), cluster.values(TARGET, 0));
        assertEquals(200, topic.cursor("~forward-plant7").offset(0));
    }

    @Test
    void shouldMoveTheCursorOnlyAfterTheClusterHasCommitted() throws Exception {
        append(0, 100);
        List<Long> before = new ArrayList<>();
        Consumer<Call> watcher =
                call -> {
                    if (call == Call.COMMIT || call == Call.COMMITTED) {
                        before.add(topic.cursor("~forward-plant7").offset(0));
                    }
                };
        try (Forward forward = watched(watcher)) {
            awaitCaughtUp(forward);
        }
        assertEquals(List.of(-1L, -1L, 0L, 0L), before); // first the positions, then the records
        assertEquals(100, topic.cursor("~forward-plant7").offset(0));
    }

    @Test
    void shouldFenceAnEarlierProducerBeforeItReadsThePositions() throws Exception {
        append(0, 100);
        AtomicBoolean hasSent = new AtomicBoolean();
        AtomicBoolean mayCommit = new AtomicBoolean();
        AtomicReference<Throwable> outcome = new AtomicReference<>();
        Target.Factory stalled =
                WatchedTarget.of(
                        target(),
                        call -> {
                            hasSent.compareAndSet(false, call == Call.SEND);
                            if (call == Call.COMMIT && hasSent.get()) {
                                awaitUninterrupted(mayCommit);
                            }
                        });
        // The same log, read by another process that still lives.
        Thread earlier =
                new Thread(
                        () -> {
                            Sources sources = null;
                            Wakeup wakeup = new Wakeup();
                            ForwardPlan plan =
                                    new ForwardPlan(
                                            store,
                                            NAME,
                                            List.of(new Mapping(TOPIC, TARGET, null)),
                                            stalled,
                                            OnLostPosition.FAIL,
                                            OnFull.BACK_PRESSURE);
                            try (Target target = stalled.open(() -> false)) {
                                sources = new Sources(plan, wakeup);
                                Session session =
                                        new Session(
                                                plan, sources, target, Instance.ofThisProcess());
                                session.open(false);
                                sources.close(); // its reservation
                                sources = null;
                                hasSent.set(false);
                                sendOne(target);
                                target.commit();
                            } catch (RuntimeException e) {
                                outcome.set(e);
                            } finally {
                                if (sources != null) {
                                    sources.close();
                                }
                            }
                        });
        earlier.start();
        await(hasSent::get);
        Consumer<Call> watcher =
                call -> {
                    if (call == Call.STABLE_POSITIONS) {
                        mayCommit.set(true);
                        join(earlier);
                    }
                };
        try (Forward forward = watched(watcher)) {
            awaitCaughtUp(forward);
        } finally {
            mayCommit.set(true);
            earlier.join();
        }
        assertTrue(outcome.get() instanceof TargetFailure, () -> "found " + outcome.get());
        assertEquals(expected(0, 100), cluster.values(TARGET, 0));
    }

    private void sendOne(Target target) {
        target.begin();
        topic.partition(0)
                .openTailer()
                .forEach(
                        record ->
                                target.send(
                                        TARGET,
                                        io.firn.forward.cluster.OutgoingRecord.copyOf(record, 0),
                                        TOPIC),
                        1);
        target.sendPositions(Map.of(KEY, Position.of(1)));
    }

    private static void awaitUninterrupted(AtomicBoolean flag) {
        while (!flag.get()) {
            Thread.onSpinWait();
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldGoOnWhenItsProducerWasFencedByNoOtherInstance() throws Exception {
        append(0, 100);
        try (Forward forward = builder().start()) {
            awaitCaughtUp(forward);
            try (Target other = target().open(() -> false)) {
                other.initTransactions();
            }
            append(100, 200);
            awaitCaughtUp(forward);
            assertEquals(expected(0, 200), cluster.values(TARGET, 0));
        }
    }

    @Test
    void shouldStopWhenAnotherInstanceHasTakenOver() throws Exception {
        append(0, 100);
        try (Forward forward = builder().start()) {
            awaitCaughtUp(forward);
            try (Target other = target().open(() -> false)) {
                other.initTransactions();
                Position now = other.positions(List.of(KEY), true).get(KEY);
                other.begin();
                other.sendPositions(
                        Map.of(
                                KEY,
                                new Position(
                                        now.offset(),
                                        UUID.randomUUID(),
                                        "process 1 on other",
                                        now.source(),
                                        now.target(),
                                        now.last(),
                                        now.checksum())));
                other.commit();
                append(100, 200);
                ForwardException failure = awaitFailure(forward);
                assertEquals(Reason.FENCED, failure.reason());
                assertTrue(failure.getMessage().contains("process_1_on_other"), failure::toString);
                other.begin(); // it was not fenced
                other.sendPositions(Map.of(KEY, now));
                other.commit();
            }
        }
    }

    @Test
    void shouldRefuseASecondInstanceInTheProcess() {
        Forward forward = builder().start();
        assertThrows(BusyException.class, () -> builder().start());
        forward.close();
        builder().start().close();
    }

    @Test
    void shouldStopWhenThePositionIsLost() throws Exception {
        append(0, 100);
        forwardAll();
        cluster.deleteGroup("firn-forward-plant7");
        append(100, 200);
        try (Forward forward = builder().start()) {
            assertEquals(Reason.POSITION_LOST, awaitFailure(forward).reason());
        }
        assertEquals(expected(0, 100), cluster.values(TARGET, 0));
        try (Forward forward = builder().onLostPosition(OnLostPosition.FROM_CURSOR).start()) {
            awaitCaughtUp(forward);
        }
        assertEquals(expected(0, 200), cluster.values(TARGET, 0));
    }

    @Test
    void shouldStopWhenTheTopicWasCreatedAgain() throws Exception {
        append(0, 100);
        forwardAll();
        cluster.delete(TARGET);
        cluster.create(TARGET, 1);
        try (Forward forward = builder().start()) {
            Reason reason = awaitFailure(forward).reason();
            assertTrue(
                    reason == Reason.POSITION_LOST || reason == Reason.TARGET_REPLACED,
                    reason::toString);
        }
    }

    @Test
    void shouldStopWhenTheStoreWasReplaced() throws Exception {
        append(0, 100);
        forwardAll();
        store.close();
        store = openStore("other");
        topic = store.createTopic(TOPIC, TopicOptions.defaults());
        append(0, 200);
        topic.partition(0).deleteRecordsBefore(150); // there is no record left to compare
        try (Forward forward = builder().start()) {
            assertEquals(Reason.STORE_REPLACED, awaitFailure(forward).reason());
        }
        assertEquals(expected(0, 100), cluster.values(TARGET, 0));
    }

    @Test
    void shouldStopWhenTheStoreIsAnOlderCopy() throws Exception {
        append(0, 50);
        store.backupTo(directory.resolve("backup"));
        append(50, 100);
        forwardAll();
        store.close();
        LogStore.at(directory.resolve("restored"))
                .tier(FileTier.at(directory.resolve("restored").resolve("segments")))
                .restore(directory.resolve("backup"), RestoreOptions.all());
        store = openStore("restored");
        topic = store.openTopic(TOPIC);
        try (Forward forward = builder().start()) {
            ForwardException failure = awaitFailure(forward);
            assertEquals(Reason.STORE_REPLACED, failure.reason());
            assertTrue(failure.getMessage().contains("above the end"), failure::toString);
        }
        append(1000, 1100); // other records, up to and beyond the position
        try (Forward forward = builder().start()) {
            ForwardException failure = awaitFailure(forward);
            assertEquals(Reason.STORE_REPLACED, failure.reason());
            assertTrue(failure.getMessage().contains("another content"), failure::toString);
        }
    }

    @Test
    void shouldStopWhenRecordsWereDeletedBeforeTheyWereForwarded() throws Exception {
        append(0, 100);
        forwardAll();
        append(100, 200);
        topic.partition(0).deleteRecordsBefore(150);
        try (Forward forward = builder().start()) {
            assertEquals(Reason.RECORDS_DELETED, awaitFailure(forward).reason());
        }
        try (Forward forward = builder().onFull(OnFull.DROP_OLDEST).start()) {
            awaitCaughtUp(forward);
            assertEquals(50, forward.snapshot().partitions().get(0).dropped());
            assertEquals(50, forward.snapshot().partitions().get(0).forwardedRecords());
        }
        List<String> expected = new ArrayList<>(expected(0, 100));
        expected.addAll(expected(150, 200));
        assertEquals(expected, cluster.values(TARGET, 0));
    }

    @Test
    void shouldDropTheOldestSegmentWhileTheStoreIsFull() throws Exception {
        store.close();
        Path small = directory.resolve("small");
        store =
                LogStore.at(small)
                        .tier(FileTier.at(small.resolve("segments")).withCapacityBytes(5 * 65536))
                        .open();
        topic = store.createTopic(TOPIC, TopicOptions.defaults().withSegmentBytes(65536));
        cluster.stop();
        int sent = 0;
        Forward.Builder builder = builder().to(cluster.hastyProperties());
        try (Forward forward = builder.onFull(OnFull.DROP_OLDEST).start()) {
            try (Appender appender = topic.partition(0).openAppender()) {
                while (topic.partition(0).logStartOffset() == 0) {
                    sent += appendOne(appender, sent);
                }
            }
            long first = topic.partition(0).logStartOffset();
            cluster.startAgain();
            awaitCaughtUp(forward);
            assertEquals(expected((int) first, sent), cluster.values(TARGET, 0));
            assertEquals(first, forward.snapshot().partitions().get(0).dropped());
        }
    }

    /** Returns 0 if there was no room. */
    private static int appendOne(Appender appender, int number) {
        try {
            appender.append(("value " + number).getBytes(UTF_8));
            return 1;
        } catch (StoreFullException e) {
            Thread.yield();
            return 0;
        }
    }

    @Test
    void shouldNameTheRecordThatTheClusterRefuses() throws Exception {
        cluster.create("small", 1, Map.of("max.message.bytes", "1000"));
        append(0, 5);
        try (Appender appender = topic.partition(0).openAppender()) {
            appender.append(new byte[5000]);
        }
        try (Forward forward =
                Forward.from(store)
                        .to(cluster.properties())
                        .name("other")
                        .topic(TOPIC, "small")
                        .start()) {
            ForwardException failure = awaitFailure(forward);
            assertEquals(Reason.RECORD_REFUSED, failure.reason());
            assertTrue(failure.getMessage().contains("record 5 of orders-0"), failure::toString);
        }
    }

    @Test
    void shouldStopWhenTheClusterDoesNotHaveTheTopic() throws Exception {
        try (Forward forward =
                Forward.from(store)
                        .to(cluster.properties())
                        .name("other")
                        .topic(TOPIC, "missing")
                        .start()) {
            ForwardException failure = awaitFailure(forward);
            assertEquals(Reason.UNKNOWN_TOPIC, failure.reason());
            assertTrue(failure.getMessage().contains("missing"), failure::toString);
        }
    }

    @Test
    void shouldStopWhenTheTopicHasFewerPartitions() throws Exception {
        topic.addPartitions(2);
        try (Forward forward = builder().start()) {
            ForwardException failure = awaitFailure(forward);
            assertEquals(Reason.UNKNOWN_TOPIC, failure.reason());
            assertTrue(failure.getMessage().contains("has 1 partitions"), failure::toString);
        }
    }

    @Test
    void shouldSendOnlyCommittedRecords() throws Exception {
        try (Transaction aborted = store.beginTransaction()) {
            aborted.append(topic.partition(0), "aborted".getBytes(UTF_8));
            aborted.abort();
        }
        append(0, 10);
        try (Forward forward = builder().start();
                Transaction open = store.beginTransaction()) {
            awaitCaughtUp(forward);
            open.append(topic.partition(0), "value 10".getBytes(UTF_8));
            append(11, 20);
            assertEquals(expected(0, 10), cluster.values(TARGET, 0));
            open.commit();
            awaitCaughtUp(forward);
        }
        assertEquals(expected(0, 20), cluster.values(TARGET, 0));
    }

    @Test
    void shouldSendOnlyWhatIsDurable() throws Exception {
        cluster.create("written", 1);
        TopicOptions options =
                TopicOptions.defaults()
                        .withDurability(Durability.WRITTEN)
                        .withForce(1 << 30, Duration.ofHours(1));
        Topic written = store.createTopic("written", options);
        append(written, 0, 20);
        try (Forward forward = builder().topic("written").start();
                Appender appender = topic.partition(0).openAppender()) {
            long other = appender.append("value 0".getBytes(UTF_8)); // comes after those
            RecordId id = new RecordId(0, other);
            assertTrue(forward.awaitForwarded(TOPIC, id, Duration.ofMinutes(1)));
            assertEquals(List.of(), cluster.values("written", 0));
            written.partition(0).force();
            awaitCaughtUp(forward);
        }
        assertEquals(expected(0, 20), cluster.values("written", 0));
    }

    @Test
    void shouldWaitForAClusterThatCannotBeReached() throws Exception {
        append(0, 100);
        cluster.stop();
        try (Forward forward = builder().to(cluster.hastyProperties()).start()) {
            await(() -> forward.snapshot().lastError().isPresent());
            cluster.startAgain();
            awaitCaughtUp(forward);
            cluster.stop();
            append(100, 200);
            await(() -> forward.snapshot().lastError().isPresent());
            assertFalse(forward.snapshot().isConnected());
            cluster.startAgain();
            awaitCaughtUp(forward);
        }
        assertEquals(expected(0, 200), cluster.values(TARGET, 0));
    }

    @Test
    void shouldSayWhenARecordIsForwarded() throws Exception {
        try (Forward forward = builder().start();
                Appender appender = topic.partition(0).openAppender()) {
            long offset = appender.append("value 0".getBytes(UTF_8));
            assertTrue(
                    forward.awaitForwarded(TOPIC, new RecordId(0, offset), Duration.ofMinutes(1)));
            assertEquals(expected(0, 1), cluster.values(TARGET, 0));
            assertFalse(
                    forward.awaitForwarded(
                            TOPIC, new RecordId(0, offset + 1), Duration.ofMillis(1)));
        }
    }

    @Test
    void shouldGiveRecordsToThePartitionThatAFunctionChooses() throws Exception {
        cluster.create("two", 2);
        append(0, 100);
        try (Forward forward =
                Forward.from(store)
                        .to(cluster.properties())
                        .name("other")
                        .topic(TOPIC, "two", record -> (int) (record.offset() % 2))
                        .start()) {
            awaitCaughtUp(forward);
        }
        assertEquals("value 2", cluster.values("two", 0).get(1));
        assertEquals("value 3", cluster.values("two", 1).get(1));
        assertEquals(100, cluster.allValues("two", 2).size());
    }

    @Test
    void shouldLetRetentionWaitForItsCursor() {
        builder().start().close();
        assertTrue(topic.options().retainUntilRead().cursors().contains("~forward-plant7"));
    }

    @Test
    void shouldRefusePropertiesThatWouldLoseRecords() {
        for (String each : List.of("acks=1", "enable.idempotence=false", "transactional.id=x")) {
            Properties properties = cluster.properties();
            properties.setProperty(each.split("=")[0], each.split("=")[1]);
            assertThrows(InvalidOptionException.class, () -> builder().to(properties).open());
        }
    }
}
