package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Backup;
import io.firn.Backup.Part;
import io.firn.BackupOptions;
import io.firn.Batch;
import io.firn.BusyException;
import io.firn.CleanupPolicy;
import io.firn.ClosedException;
import io.firn.Durability;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.LogStore.MoveControl;
import io.firn.LogStoreBuilder;
import io.firn.MediumException;
import io.firn.Producer;
import io.firn.RestoreOptions;
import io.firn.RetryableException;
import io.firn.StoreOpenException;
import io.firn.StoredRecord;
import io.firn.Survives;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.Transaction;
import io.firn.UnknownTopicException;
import io.firn.file.FileTier;
import io.firn.host.HostedStore;
import io.firn.tx.Coordinator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Backups beside the writer, and what is made of them. */
class BackupTest {
    @TempDir Path temporary;
    private Path source;
    private Path backup;
    private Path restored;

    @BeforeEach
    void places() {
        source = temporary.resolve("source");
        backup = temporary.resolve("backup");
        restored = temporary.resolve("restored");
    }

    private static LogStoreBuilder files(Path directory) {
        return Tiers.FILES.at(directory);
    }

    private static TopicOptions options() {
        return Stores.small().withMinimumClass(Survives.PROCESS_CRASH);
    }

    private static void append(Topic topic, int count) {
        try (Appender appender = topic.partition(0).openAppender()) {
            Stores.fill(appender, count, 1_000);
        }
    }

    private static void append(Topic topic, int partition, String value) {
        try (Appender appender = topic.partition(partition).openAppender()) {
            appender.append(Stores.bytes(value));
        }
    }

    private static List<StoredRecord> read(LogStore store, String topic) {
        try (Tailer tailer = store.openTopic(topic).openTailer()) {
            return Stores.readAll(tailer);
        }
    }

    private static List<String> texts(LogStore store, String topic) {
        return Stores.texts(read(store, topic));
    }

    private Path anyFile(String start) throws IOException {
        try (var all = Files.walk(backup)) {
            return all.filter(Files::isRegularFile)
                    .filter(each -> each.getFileName().toString().startsWith(start))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @ParameterizedTest
    @EnumSource(Tiers.class)
    void shouldRestoreRecordsCursorsAndLogStarts(Tiers tiers) {
        List<StoredRecord> expected;
        try (LogStore store = tiers.at(source).open()) {
            Topic topic = store.createTopic("t", options());
            append(topic, 600);
            Topic written =
                    store.createTopic(
                            "w",
                            options()
                                    .withDurability(Durability.WRITTEN)
                                    .withForce(1 << 20, Duration.ofMinutes(5)));
            append(written, 0, "written only");
            topic.partition(0).deleteRecordsBefore(100);
            topic.cursor("c").commit(0, 444);
            expected = read(store, "t");
            Backup made = store.backupTo(backup);
            assertEquals(
                    List.of(new Part("t", 0, 100, 600), new Part("w", 0, 0, 1)),
                    made.parts().stream()
                            .sorted((a, b) -> a.topic().compareTo(b.topic()))
                            .toList());
            append(topic, 10); // after it
            topic.cursor("c").commit(0, 610);
        }
        tiers.at(restored).restore(backup, RestoreOptions.all());
        try (LogStore store = tiers.at(restored).open()) {
            assertEquals(expected, read(store, "t"));
            assertEquals(List.of("written only"), texts(store, "w"));
            Topic topic = store.openTopic("t");
            assertEquals(444, topic.cursor("c").offset(0));
            assertEquals(100, topic.partition(0).logStartOffset());
            append(topic, 0, "goes on");
            assertEquals(601, topic.partition(0).nextOffset());
            assertEquals(List.of(), store.findings());
        }
    }

    @Test
    void shouldRestoreWhatWasInTwoTiersToOne() {
        LogStoreBuilder two =
                files(source)
                        .tier(
                                FileTier.at(source.resolve("cold"))
                                        .withMedium(new ObservedMedium())
                                        .withDeclaredDurable());
        List<StoredRecord> expected;
        try (LogStore store = two.open()) {
            append(store.createTopic("t", options()), 600);
            Stores.await("a sealed segment", () -> isMovable(store));
            assertEquals(LogStore.MoveOutcome.MOVED, store.migrate("t", 0, 0, "tier-1"));
            expected = read(store, "t");
            store.backupTo(backup);
        }
        files(restored).restore(backup, RestoreOptions.all());
        try (LogStore store = files(restored).open()) {
            assertEquals(expected, read(store, "t"));
        }
    }

    private static boolean isMovable(LogStore store) {
        return store.snapshot().partitions().get(0).segments().get(0).isMovable();
    }

    @Test
    void shouldEndTransactionsAsAfterACrash() {
        try (LogStore store = files(source).open();
                Producer producer = store.openProducer("p", Duration.ofMinutes(10))) {
            Topic topic = store.createTopic("t", options().withPartitions(2));
            append(topic, 0, "plain");
            try (Transaction tx = store.beginTransaction()) {
                tx.append(topic.partition(0), null, Stores.bytes("both"));
                tx.append(topic.partition(1), null, Stores.bytes("both"));
                tx.commitCursor(topic.cursor("c"), 0, 1);
                tx.commit();
            }
            Transaction open = store.beginTransaction();
            open.append(topic.partition(0), null, Stores.bytes("open"));
            Transaction named = producer.beginTransaction();
            named.append(topic.partition(1), null, Stores.bytes("open, too"));
            store.backupTo(backup);
            open.commit();
            named.commit();
        }
        files(restored).restore(backup, RestoreOptions.all());
        try (LogStore store = files(restored).open();
                Producer producer = store.openProducer("p", Duration.ofMinutes(10))) {
            Topic topic = store.openTopic("t");
            assertEquals(List.of("plain", "both", "both"), texts(store, "t"));
            assertEquals(1, topic.cursor("c").offset(0));
            try (Transaction tx = producer.beginTransaction()) {
                tx.append(topic.partition(1), null, Stores.bytes("next"));
                tx.commitCursor(topic.cursor("c"), 0, 2);
                tx.commit();
            }
            assertEquals(List.of("plain", "both", "both", "next"), texts(store, "t"));
            assertEquals(2, topic.cursor("c").offset(0));
        }
    }

    @Test
    void shouldDecideNoTransactionWhileABackupLooks() throws Exception {
        try (LogStore store = files(source).open()) {
            Topic topic = store.createTopic("t", options().withPartitions(2));
            Transaction tx = store.beginTransaction();
            tx.append(topic.partition(0), null, Stores.bytes("both"));
            tx.append(topic.partition(1), null, Stores.bytes("both"));
            List<Stores.Task<Void>> commits = new ArrayList<>();
            Coordinator coordinator = (Coordinator) HostedStore.of(store).transactions();
            coordinator.whileStill(
                    () -> {
                        commits.add(
                                Stores.start(
                                        () -> {
                                            tx.commit();
                                            return null;
                                        }));
                        Thread thread = commits.get(0).thread();
                        Stores.await(
                                "a commit that waits or has ended",
                                () ->
                                        thread.getState() == Thread.State.WAITING
                                                || commits.get(0).isDone());
                        assertFalse(commits.get(0).isDone());
                    });
            commits.get(0).result();
            assertEquals(List.of("both", "both"), texts(store, "t"));
        }
    }

    @Test
    void shouldCopyOnlyWhatIsNew() {
        try (LogStore store = files(source).open()) {
            Topic topic = store.createTopic("t", options());
            append(topic, 600);
            Backup first = store.backupTo(backup, BackupOptions.defaults().withoutLinks());
            assertEquals(first.bytes().total(), first.bytes().copied());
            append(topic, 20);
            Backup second = store.backupTo(backup, BackupOptions.defaults().withoutLinks());
            assertTrue(second.bytes().total() > first.bytes().total());
            assertTrue(
                    second.bytes().copied() <= 2 * Stores.SEGMENT_BYTES, second.bytes().toString());
            assertEquals(second.parts(), Backup.verify(backup).parts());
            assertEquals(second.bytes().total(), Backup.verify(backup).bytes().total());
        }
        files(restored).restore(backup, RestoreOptions.all());
        try (LogStore store = files(restored).open()) {
            assertEquals(620, read(store, "t").size());
        }
    }

    @Test
    void shouldLinkSealedSegmentsAndKeepThemWhenTheStoreDeletesThem() {
        List<StoredRecord> expected;
        try (LogStore store = files(source).open()) {
            Topic topic = store.createTopic("t", options());
            append(topic, 600);
            Stores.await("finished segments", () -> isMovable(store));
            Backup made = store.backupTo(backup);
            assertTrue(made.bytes().linked() > 0, made.bytes().toString());
            expected = read(store, "t");
            topic.partition(0).deleteRecordsBefore(600);
            store.deleteTopic("t");
        }
        assertEquals(600, Backup.verify(backup).parts().get(0).endOffset());
        files(restored).restore(backup, RestoreOptions.all());
        try (LogStore store = files(restored).open()) {
            assertEquals(expected, read(store, "t"));
        }
    }

    @Test
    void shouldContinueABackupThatWasCancelledAndKeepTheOneBefore() {
        try (LogStore store = files(source).open()) {
            Topic topic = store.createTopic("t", options());
            append(topic, 100);
            BackupOptions copies = BackupOptions.defaults().withoutLinks();
            Backup first = store.backupTo(backup, copies);
            append(topic, 600);
            AtomicInteger pieces = new AtomicInteger();
            MoveControl cancels =
                    (done, total, next) -> pieces.incrementAndGet() > 4 ? MoveControl.CANCEL : 0;
            RetryableException cancelled =
                    assertThrows(
                            RetryableException.class,
                            () -> store.backupTo(backup, copies.withControl(cancels)));
            assertTrue(cancelled.getMessage().contains("goes on"), cancelled.getMessage());
            assertEquals(first.parts(), Backup.verify(backup).parts());
            Backup whole = store.backupTo(backup, copies);
            assertEquals(700, whole.parts().get(0).endOffset());
            long left = whole.bytes().total() - first.bytes().total();
            assertTrue(whole.bytes().copied() < left, whole.bytes().toString());
            assertEquals(whole.parts(), Backup.verify(backup).parts());
        }
    }

    @Test
    void shouldShowHowFarARestoreAndAVerificationAreAndCancelThem() {
        Backup made;
        try (LogStore store = files(source).open()) {
            append(store.createTopic("t", options()), 300);
            made = store.backupTo(backup);
        }
        AtomicLong left = new AtomicLong();
        MoveControl observes =
                (done, total, next) -> {
                    left.set(total - done - next);
                    return total == made.bytes().total() ? 0 : MoveControl.CANCEL;
                };
        left.set(1);
        Backup.verify(backup, observes);
        assertEquals(0, left.getAndSet(1));
        files(restored).restore(backup, RestoreOptions.all(), observes);
        assertEquals(0, left.get());

        MoveControl cancels = (done, total, next) -> done > 0 ? MoveControl.CANCEL : 0;
        assertThrows(RetryableException.class, () -> Backup.verify(backup, cancels));
        LogStoreBuilder to = files(temporary.resolve("cancelled"));
        RestoreOptions all = RestoreOptions.all();
        assertThrows(RetryableException.class, () -> to.restore(backup, all, cancels));
        assertThrows(StoreOpenException.class, to::open);
    }

    @Test
    void shouldTellAnUnfinishedBackup() {
        try (LogStore store = files(source).open()) {
            append(store.createTopic("t", options()), 100);
            MoveControl cancels = (done, total, next) -> MoveControl.CANCEL;
            assertThrows(
                    RetryableException.class,
                    () -> store.backupTo(backup, BackupOptions.defaults().withControl(cancels)));
        }
        MediumException told = assertThrows(MediumException.class, () -> Backup.verify(backup));
        assertTrue(told.getMessage().contains("no complete backup"), told.getMessage());
        LogStoreBuilder to = files(restored);
        assertThrows(MediumException.class, () -> to.restore(backup, RestoreOptions.all()));
    }

    @Test
    void shouldTellADamagedBackup() throws IOException {
        try (LogStore store = files(source).open()) {
            append(store.createTopic("t", options()), 100);
            store.backupTo(backup, BackupOptions.defaults().withoutLinks());
        }
        for (String start : List.of("00000", "state-", "backup")) {
            Path file = anyFile(start);
            byte[] whole = Files.readAllBytes(file);
            byte[] flipped = whole.clone();
            flipped[flipped.length / 2] ^= 4;
            Files.write(file, flipped);
            assertDamaged(file);
            Files.write(file, Arrays.copyOf(whole, whole.length - 1));
            assertDamaged(file);
            Files.write(file, whole);
            Backup.verify(backup);
        }
    }

    private void assertDamaged(Path file) throws IOException {
        MediumException told = assertThrows(MediumException.class, () -> Backup.verify(backup));
        assertTrue(told.getMessage().contains(file.getFileName().toString()), told.getMessage());
        Path somewhere = Files.createTempDirectory(temporary, "r");
        LogStoreBuilder to = files(somewhere);
        assertThrows(MediumException.class, () -> to.restore(backup, RestoreOptions.all()));
        assertFalse(Files.exists(somewhere.resolve("store/store")));
        if (Files.exists(somewhere.resolve("store/topics"))) {
            // What is left of it is not taken for a store.
            assertThrows(StoreOpenException.class, files(somewhere)::open);
        }
    }

    @Test
    void shouldRefuseADestinationInTheStoreOrWithOtherFiles() throws IOException {
        try (LogStore store = files(source).open()) {
            Path inside = source.resolve("store/backup");
            assertThrows(InvalidOptionException.class, () -> store.backupTo(inside));
            Path inTier = Stores.tierOf(source).resolve("backup");
            assertThrows(InvalidOptionException.class, () -> store.backupTo(inTier));
            assertThrows(InvalidOptionException.class, () -> store.backupTo(temporary));
            Files.createDirectories(backup);
            Files.writeString(backup.resolve("notes"), "mine");
            assertThrows(InvalidOptionException.class, () -> store.backupTo(backup));
            assertEquals("mine", Files.readString(backup.resolve("notes")));
        }
        Path other = temporary.resolve("other");
        try (LogStore store = files(source).open();
                LogStore second = files(other).open()) {
            store.backupTo(temporary.resolve("one"));
            Path one = temporary.resolve("one");
            InvalidOptionException told =
                    assertThrows(InvalidOptionException.class, () -> second.backupTo(one));
            assertTrue(told.getMessage().contains("another directory"), told.getMessage());
        }
    }

    @Test
    void shouldRefuseASecondBackupMeanwhileAndEndWithTheStore() throws Exception {
        CountDownLatch isAtWork = new CountDownLatch(1);
        LogStore store = files(source).open();
        append(store.createTopic("t", options()), 600);
        MoveControl slow =
                (done, total, next) -> {
                    isAtWork.countDown();
                    return 1_000_000_000_000L;
                };
        Stores.Task<Backup> task =
                Stores.start(
                        () -> store.backupTo(backup, BackupOptions.defaults().withControl(slow)));
        isAtWork.await();
        assertThrows(BusyException.class, () -> store.backupTo(temporary.resolve("b")));
        store.close();
        assertThrows(ClosedException.class, task::result);
        assertThrows(ClosedException.class, () -> store.backupTo(backup));
    }

    @Test
    void shouldRestoreThePrefixBelowAnOffset() {
        try (LogStore store = files(source).open()) {
            Topic topic = store.createTopic("t", options().withPartitions(2));
            try (Appender appender = topic.partition(0).openAppender()) {
                Batch batch = appender.newBatch();
                for (int i = 0; i < 300; i++) {
                    batch.clear();
                    appender.append(
                            batch.add(Stores.numbered(i, 500)).add(Stores.numbered(i, 500)));
                }
            }
            append(topic, 1, "other");
            topic.cursor("c").commit(0, 600);
            try (Transaction tx = store.beginTransaction()) {
                tx.append(topic.partition(1), null, Stores.bytes("in a transaction"));
                tx.commitCursor(topic.cursor("c"), 1, 1);
                tx.commit();
            }
            store.backupTo(backup);
        }
        // Inside the batch of offsets 320 and 321.
        RestoreOptions until = RestoreOptions.all().until("t", 0, 321);
        Backup made = files(restored).restore(backup, until);
        assertEquals(320, made.parts().get(0).endOffset());
        try (LogStore store = files(restored).open()) {
            Topic topic = store.openTopic("t");
            assertEquals(320, topic.partition(0).nextOffset());
            assertEquals(320, topic.cursor("c").offset(0));
            assertEquals(1, topic.cursor("c").offset(1));
            assertEquals(322, read(store, "t").size());
            try (Transaction tx = store.beginTransaction()) {
                tx.commitCursor(topic.cursor("c"), 1, 2);
                tx.append(topic.partition(1), null, Stores.bytes("next"));
                tx.commit();
            }
            assertEquals(2, topic.cursor("c").offset(1));
        }
        try (LogStore store = files(restored).open()) {
            assertEquals(2, store.openTopic("t").cursor("c").offset(1));
        }
    }

    @Test
    void shouldRestoreThePrefixUpToATime() {
        ManualClock clock = new ManualClock();
        Instant until;
        try (LogStore store = files(source).clock(clock).open()) {
            Topic topic = store.createTopic("t", options());
            append(topic, 200);
            until = Instant.ofEpochMilli(clock.time());
            clock.advance(1);
            append(topic, 200);
            store.backupTo(backup);
        }
        Backup made = files(restored).restore(backup, RestoreOptions.all().until(until));
        assertEquals(List.of(new Part("t", 0, 0, 200)), made.parts());
        try (LogStore store = files(restored).open()) {
            assertEquals(200, read(store, "t").size());
        }
    }

    @Test
    void shouldRestoreChosenTopicsOnly() {
        try (LogStore store = files(source).open()) {
            append(store.createTopic("a", options()), 0, "1");
            append(store.createTopic("b", options()), 0, "2");
            store.backupTo(backup);
        }
        LogStoreBuilder to = files(restored);
        assertThrows(
                UnknownTopicException.class,
                () -> to.restore(backup, RestoreOptions.all().withTopics(List.of("c"))));
        to.restore(backup, RestoreOptions.all().withTopics(List.of("b")));
        LogStoreBuilder again = files(restored);
        assertThrows(
                InvalidOptionException.class, () -> again.restore(backup, RestoreOptions.all()));
        try (LogStore store = files(restored).open()) {
            assertEquals(List.of("b"), store.topicNames());
            assertEquals(List.of("2"), texts(store, "b"));
        }
    }

    @Test
    void shouldRestoreWhatAServerKeepsInTheStore() throws IOException {
        Path users = source.resolve("store/server/security/users");
        try (LogStore store = files(source).open()) {
            Files.createDirectories(users.getParent());
            Files.writeString(users, "alice");
            store.backupTo(backup);
        }
        files(restored).restore(backup, RestoreOptions.all());
        assertEquals("alice", Files.readString(restored.resolve("store/server/security/users")));
    }

    /** What was the latest record of its key at that time must not be removed by a later one. */
    @Test
    void shouldNotCompactBeforeItHasCopied() {
        try (LogStore store = files(source).open()) {
            Topic topic =
                    store.createTopic(
                            "k", options().withCleanup(CleanupPolicy.COMPACT).withMinDirtyRatio(1));
            appendKeyed(topic, "before");
            AtomicInteger asked = new AtomicInteger();
            MoveControl compacts =
                    (done, total, next) -> {
                        if (asked.getAndIncrement() == 0) {
                            // Another thread, as it is for the store's own.
                            compactMeanwhile(store, topic);
                        }
                        return 0;
                    };
            store.backupTo(backup, BackupOptions.defaults().withoutLinks().withControl(compacts));
            // What was due is made up for.
            Stores.await(
                    "a compaction",
                    () -> topic.partition(0).metrics().compaction().orElseThrow().savedBytes() > 0);
        }
        files(restored).restore(backup, RestoreOptions.all());
        try (LogStore store = files(restored).open()) {
            List<StoredRecord> all = read(store, "k");
            assertTrue(
                    all.stream().anyMatch(each -> Stores.text(each.value()).startsWith("before")));
        }
    }

    private static void appendKeyed(Topic topic, String value) {
        try (Appender appender = topic.partition(0).openAppender()) {
            for (int i = 0; i < 300; i++) {
                appender.append(Stores.bytes("key"), Stores.bytes(value + "-".repeat(800)));
            }
        }
    }

    private static void compactMeanwhile(LogStore store, Topic topic) {
        try {
            Stores.start(
                            () -> {
                                appendKeyed(topic, "after");
                                Stores.await("seals", () -> isMovable(store));
                                return store.compact("k", 0);
                            })
                    .result();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldBackUpAStoreWithoutThreads() {
        LogStoreBuilder invoked = files(source).invokerMode();
        try (LogStore store = invoked.open()) {
            append(store.createTopic("t", options()), 0, "1");
            store.backupTo(backup);
        }
        files(restored).restore(backup, RestoreOptions.all());
        try (LogStore store = files(restored).open()) {
            assertEquals(List.of("1"), texts(store, "t"));
        }
    }
}
