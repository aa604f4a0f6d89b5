package io.firn.shadow;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static io.firn.shadow.Batches.batch;
import static io.firn.shadow.Batches.joined;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Durability;
import io.firn.IsolationLevel;
import io.firn.LogStore;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.host.AbortedTransaction;
import io.firn.host.HostedPartition;
import io.firn.host.LostMarkerException;
import io.firn.shadow.PartitionFollower.Need;
import io.firn.shadow.source.SourceError;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is asked of a source with leader epochs, and what comes of its answers. */
class PartitionFollowerTest {
    @TempDir Path directory;

    private final List<ShadowEvent> events = new ArrayList<>();
    private final FetchRate rate = new FetchRate(1);
    private long nowMs;
    private long lastStable = -1;
    private LogStore store;
    private Topic topic;
    private PartitionFollower follower;

    @BeforeEach
    void open() {
        store =
                LogStore.at(directory.resolve("store"))
                        .tier(FileTier.at(directory.resolve("segments")))
                        .open();
        topic =
                store.createTopic(
                        "orders",
                        TopicOptions.defaults()
                                .withDurability(Durability.WRITTEN)
                                .withReplicated(true));
        follower = follower(OnDivergence.STOP);
    }

    private PartitionFollower follower(OnDivergence onDivergence) {
        FollowContext context =
                new FollowContext(
                        store,
                        topic.options(),
                        onDivergence,
                        OnGap.FILL,
                        events::add,
                        rate,
                        () -> nowMs,
                        100,
                        1000);
        return new PartitionFollower(context, topic, new UUID(1, 2), 0);
    }

    @AfterEach
    void close() {
        follower.close();
        store.close();
    }

    private void asked(Need expected) {
        nowMs += 5000; // after any pause
        assertEquals(expected, follower.due(nowMs));
        follower.sent();
    }

    private void fetched(ByteBuffer records, long highWatermark) {
        asked(Need.FETCH);
        answer(records, highWatermark);
    }

    /** Until everything was appended: a block may have to be prepared. */
    private void answer(ByteBuffer records, long highWatermark) {
        follower.onFetched(records, false, highWatermark, lastStable, 0);
        while (follower.hasRest()) {
            LockSupport.parkNanos(1_000_000);
            follower.appendRest(nowMs);
        }
    }

    /** Twenty offsets, the second half of epoch 2; the leader of epoch 2 is broker 1. */
    private void copyTwoEpochs() {
        follower.onLeader(1, 2);
        fetched(joined(batch(0, 1), batch(10, 2)), 20);
        assertEquals(20, follower.status().nextOffset());
        assertEquals(FollowState.FOLLOWING, follower.status().state());
    }

    /** A broker reads its high watermark before it reads the batches. */
    @Test
    void shouldAskAtOnceAgainForABatchAboveTheHighWatermark() {
        copyTwoEpochs();
        fetched(batch(20, 2), 20);
        assertEquals(Need.FETCH, follower.due(nowMs));
        assertEquals(FollowState.FOLLOWING, follower.status().state());
        follower.sent();
        answer(batch(20, 2), 30);
        assertEquals(30, follower.status().nextOffset());
        fetched(batch(30, 2), 30);
        assertEquals(Need.FETCH, follower.due(nowMs));
    }

    @Test
    void shouldPauseWhenTheNextAnswerHasABatchAboveTheHighWatermarkToo() {
        copyTwoEpochs();
        fetched(batch(20, 2), 20);
        fetched(batch(20, 2), 20);
        assertEquals(Need.NOTHING, follower.due(nowMs));
        assertEquals(FollowState.RETRYING, follower.status().state());
        assertTrue(follower.status().lastError().contains("above the high watermark"));
        fetched(batch(20, 2), 20);
        assertEquals(Need.NOTHING, follower.due(nowMs));
        fetched(batch(20, 2), 30);
        assertEquals(FollowState.FOLLOWING, follower.status().state());
    }

    @Test
    void shouldAskNothingWithoutALeader() {
        assertEquals(Need.NOTHING, follower.due(nowMs));
        follower.onLeader(1, 2);
        assertEquals(Need.FETCH, follower.due(nowMs));
        follower.onLeader(-1, 2);
        assertEquals(Need.NOTHING, follower.due(nowMs));
        assertEquals(FollowState.WAITING, follower.status().state());
    }

    @Test
    void shouldShowTheEpochOfTheLastBatchInEachFetch() {
        copyTwoEpochs();
        assertEquals(20, follower.fetchOffset());
        assertEquals(2, follower.lastFetchedEpoch());
        assertEquals(2, follower.leaderEpoch());
    }

    @Test
    void shouldAskALeaderOfANewEpochWhereTheLastEpochEnds() {
        copyTwoEpochs();
        follower.onLeader(3, 4);
        asked(Need.EPOCH_END);
        assertEquals(2, follower.askedEpoch());
        follower.onEpochEnd(2, 25);
        fetched(batch(20, 4), 30);
        assertEquals(30, follower.status().nextOffset());
        assertEquals(List.of(), events);
    }

    @Test
    void shouldAskAgainAfterItWasOpenedAgain() {
        copyTwoEpochs();
        follower.close();
        follower = follower(OnDivergence.STOP);
        follower.onLeader(1, 2);
        asked(Need.EPOCH_END);
    }

    @Test
    void shouldNotCompareWithASourceWithoutEpochs() {
        copyTwoEpochs();
        follower.onLeader(1, -1);
        asked(Need.FETCH);
        assertEquals(-1, follower.lastFetchedEpoch());
    }

    @Test
    void shouldStopWhenTheLastEpochEndsEarlierThere() {
        copyTwoEpochs();
        follower.onLeader(3, 4);
        asked(Need.EPOCH_END);
        follower.onEpochEnd(2, 15);
        assertStopped(15);
    }

    private void assertStopped(long from) {
        assertEquals(FollowState.DIVERGED, follower.status().state());
        assertEquals(1, events.size());
        assertEquals(ShadowEvent.Kind.DIVERGED, events.get(0).kind());
        assertEquals(from, events.get(0).fromOffset());
        assertEquals(20, events.get(0).toOffset());
        assertEquals(20, follower.status().nextOffset());
        follower.onLeader(1, 9);
        assertEquals(Need.NOTHING, follower.due(nowMs));
    }

    @Test
    void shouldStopWhenTheLeaderDoesNotKnowTheLastEpoch() {
        copyTwoEpochs();
        follower.onLeader(3, 4);
        asked(Need.EPOCH_END);
        follower.onEpochEnd(1, 10);
        assertStopped(10);
    }

    @Test
    void shouldStopWhenALeaderHasOtherRecordsOfAnOlderEpochBeyondTheEnd() {
        copyTwoEpochs();
        follower.onLeader(3, 4);
        asked(Need.EPOCH_END);
        follower.onEpochEnd(1, 40);
        asked(Need.PROBE);
        assertEquals(10, follower.fetchOffset());
        assertEquals(-1, follower.lastFetchedEpoch());
        answer(batch(10, 1), 40);
        assertStopped(10);
    }

    @Test
    void shouldGoOnWhenTheLastEpochWasCompactedAtTheLeader() {
        copyTwoEpochs();
        follower.onLeader(3, 4);
        asked(Need.EPOCH_END);
        follower.onEpochEnd(1, 40);
        asked(Need.PROBE);
        answer(batch(30, 4), 40);
        asked(Need.FETCH);
        assertEquals(20, follower.fetchOffset());
        assertEquals(1, follower.lastFetchedEpoch(), "the one that the leader knows");
        answer(batch(30, 4), 40);
        assertEquals(40, follower.status().nextOffset());
        assertEquals(4, follower.lastFetchedEpoch());
        assertEquals(List.of(), events);
    }

    @Test
    void shouldRemoveWhatTheLeaderDoesNotHaveAndCompareAgainIfAskedTo() {
        follower.close();
        follower = follower(OnDivergence.TRUNCATE);
        copyTwoEpochs();
        follower.onLeader(3, 4);
        asked(Need.EPOCH_END);
        follower.onEpochEnd(2, 10);
        assertTruncated(10);
        asked(Need.EPOCH_END);
        assertEquals(1, follower.askedEpoch());
        follower.onEpochEnd(1, 10);
        fetched(batch(10, 4), 20);
        assertEquals(20, follower.status().nextOffset());
        assertEquals(1, events.size());
    }

    private void assertTruncated(long from) {
        assertEquals(1, events.size());
        assertEquals(ShadowEvent.Kind.TRUNCATED, events.get(0).kind());
        assertEquals(from, events.get(0).fromOffset());
        assertEquals(20, events.get(0).toOffset());
        assertEquals(from, follower.status().nextOffset());
    }

    @Test
    void shouldRemoveEverythingIfTheLeaderHasNothingOfIt() {
        follower.close();
        follower = follower(OnDivergence.TRUNCATE);
        copyTwoEpochs();
        follower.onLeader(3, 4);
        asked(Need.EPOCH_END);
        follower.onEpochEnd(2, 0);
        assertTruncated(0);
        fetched(batch(0, 4), 10);
        assertEquals(10, follower.status().nextOffset());
    }

    @Test
    void shouldCompareWhenAFetchDiverges() {
        copyTwoEpochs();
        asked(Need.FETCH);
        follower.onFetched(ByteBuffer.allocate(0), true, -1, -1, -1);
        asked(Need.EPOCH_END);
        follower.onEpochEnd(2, 15);
        assertStopped(15);
    }

    @Test
    void shouldIgnoreWhatALeaderBeforeHasAnswered() {
        copyTwoEpochs();
        asked(Need.FETCH);
        follower.onLeader(3, 4);
        assertEquals(Need.NOTHING, follower.due(nowMs), "one request at a time");
        answer(batch(20, 2), 30);
        assertEquals(20, follower.status().nextOffset());
        asked(Need.EPOCH_END);
    }

    @Test
    void shouldAppendTheWholeBatchesOfAnAnswer() {
        follower.onLeader(1, 2);
        ByteBuffer cut = joined(batch(0, 1), batch(10, 1));
        fetched(cut.limit(cut.limit() - 1), 20);
        assertEquals(10, follower.status().nextOffset());
        assertEquals(10, follower.status().lagRecords());
        fetched(batch(10, 1), 20);
        assertEquals(0, follower.status().lagRecords());
    }

    @Test
    void shouldFetchAgainWhatWasDamagedOnItsWay() {
        follower.onLeader(1, 2);
        ByteBuffer damaged = joined(batch(0, 1), batch(10, 1));
        int last = damaged.limit() - 1;
        damaged.put(last, (byte) ~damaged.get(last));
        fetched(damaged, 20);
        assertEquals(FollowState.RETRYING, follower.status().state());
        assertEquals(10, follower.status().nextOffset());
        assertEquals(10, follower.fetchOffset());
        fetched(batch(10, 1), 20);
        assertEquals(FollowState.FOLLOWING, follower.status().state());
    }

    @Test
    void shouldTakeNothingOfAnAnswerThatContradictsItself() {
        follower.onLeader(1, 2);
        fetched(batch(0, 1), 10);
        fetched(joined(batch(10, 1), batch(30, 2), batch(20, 2)), 40);
        assertEquals(10, follower.status().nextOffset());
        assertEquals(FollowState.RETRYING, follower.status().state());
        String error = follower.status().lastError();
        assertTrue(error.contains("20 comes after one that ends at offset 40"), error);
        assertEquals(Need.NOTHING, follower.due(nowMs), "a pause");
        fetched(joined(batch(10, 1), batch(20, 2), batch(30, 2)), 40);
        assertEquals(40, follower.status().nextOffset());
        assertEquals(FollowState.FOLLOWING, follower.status().state());
    }

    @Test
    void shouldNotGoOnWithAnEpochThatIsLowerThanTheLastOne() {
        copyTwoEpochs();
        fetched(batch(20, 1), 30);
        assertEquals(20, follower.status().nextOffset());
        assertEquals(FollowState.RETRYING, follower.status().state());
        String error = follower.status().lastError();
        assertTrue(error.contains("leader epoch 1"), error);
    }

    @Test
    void shouldNotRemoveRecordsForAProbeThatCannotBe() {
        follower.close();
        follower = follower(OnDivergence.TRUNCATE);
        copyTwoEpochs();
        follower.onLeader(3, 4);
        asked(Need.EPOCH_END);
        follower.onEpochEnd(1, 40);
        asked(Need.PROBE);
        answer(batch(10, 5), 40);
        assertEquals(20, follower.status().nextOffset());
        assertEquals(FollowState.RETRYING, follower.status().state());
        asked(Need.PROBE);
    }

    @Test
    void shouldFetchAgainWhatEndsAboveTheHighWatermark() {
        follower.onLeader(1, 2);
        fetched(joined(batch(0, 1), batch(10, 1)), 10);
        assertEquals(10, follower.status().nextOffset());
        assertEquals(FollowState.FOLLOWING, follower.status().state());
        fetched(batch(10, 1), 19);
        assertEquals(10, follower.status().nextOffset());
        assertEquals(FollowState.FOLLOWING, follower.status().state());
        fetched(batch(10, 1), 20);
        assertEquals(20, follower.status().nextOffset());
    }

    @Test
    void shouldPassOverAnEmptyBatchThatReachesBeyondTheEnd() {
        follower.onLeader(1, 2);
        fetched(batch(0, 1), 10);
        ByteBuffer empty = batch(5, 1).limit(61);
        empty.putInt(8, 61 - 12).putInt(23, 24).putInt(57, 0);
        fetched(joined(empty, batch(30, 1)), 40);
        assertEquals(40, follower.status().nextOffset());
        assertEquals(FollowState.FOLLOWING, follower.status().state());
    }

    @Test
    void shouldSayWhichRecordsWereDeletedBeforeTheyWereCopied() {
        copyTwoEpochs();
        asked(Need.FETCH);
        follower.onFailed(SourceError.OUT_OF_RANGE, "out of range");
        asked(Need.EARLIEST);
        follower.onOffset(true, 50);
        assertEquals(1, events.size());
        assertEquals(ShadowEvent.Kind.GAP, events.get(0).kind());
        assertEquals(50, follower.fetchOffset());
        assertEquals(-1, follower.lastFetchedEpoch(), "the batch before is not known");
        fetched(batch(50, 2), 60);
        assertEquals(60, follower.status().nextOffset());
    }

    @Test
    void shouldCompareWhenTheSourceEndsBeforeTheCopy() {
        copyTwoEpochs();
        asked(Need.FETCH);
        follower.onFailed(SourceError.OUT_OF_RANGE, "out of range");
        asked(Need.EARLIEST);
        follower.onOffset(true, 0);
        asked(Need.LATEST);
        follower.onOffset(false, 15);
        asked(Need.EPOCH_END);
    }

    @Test
    void shouldStopWhenASourceWithoutEpochsEndsBeforeTheCopy() {
        copyTwoEpochs();
        follower.onLeader(1, -1);
        asked(Need.FETCH);
        follower.onFailed(SourceError.OUT_OF_RANGE, "out of range");
        asked(Need.EARLIEST);
        follower.onOffset(true, 0);
        asked(Need.LATEST);
        follower.onOffset(false, 15);
        assertStopped(15);
    }

    /** Ten offsets, then a transaction without an end, as of the source. */
    private void copyOpenTransaction() {
        follower.onLeader(1, 2);
        lastStable = 10;
        fetched(joined(batch(0, 1), open(10)), 20);
        assertEquals(10, topic.partition(0).visibleOffset(IsolationLevel.READ_COMMITTED));
    }

    private static ByteBuffer open(long baseOffset) {
        SimpleRecord record = new SimpleRecord(1, null, new byte[10]);
        return MemoryRecords.withTransactionalRecords(
                        baseOffset, Compression.NONE, 7, (short) 3, 0, 1, records(record))
                .buffer();
    }

    private static SimpleRecord[] records(SimpleRecord record) {
        SimpleRecord[] records = new SimpleRecord[10];
        Arrays.fill(records, record);
        return records;
    }

    private static ByteBuffer marker(long offset) {
        return MemoryRecords.withEndTransactionMarker(
                        offset,
                        1,
                        2,
                        7,
                        (short) 3,
                        new EndTransactionMarker(ControlRecordType.COMMIT, 1))
                .buffer();
    }

    private long committed() {
        return topic.partition(0).visibleOffset(IsolationLevel.READ_COMMITTED);
    }

    @Test
    void shouldSayThatTheMarkerOfATransactionWasCompactedAway() {
        copyOpenTransaction();
        lastStable = 40;
        fetched(batch(25, 2), 40);
        assertEquals(List.of(), events, "it may be the next batch");
        fetched(ByteBuffer.allocate(0), 35);
        assertEquals(1, events.size());
        assertEquals(ShadowEvent.Kind.LOST_MARKER, events.get(0).kind());
        assertEquals(10, events.get(0).fromOffset());
        assertEquals(FollowState.STOPPED, follower.status().state());
        assertEquals(35, follower.status().nextOffset());
        assertTrue(follower.status().lastError().contains("offset 10"));
        assertEquals(10, committed());
    }

    @Test
    void shouldTellReadersThatWaitForAMarkerThatWasCompactedAway() throws Exception {
        copyOpenTransaction();
        try (Tailer tailer = topic.openTailer();
                Tailer uncommitted =
                        topic.openTailer(
                                TailerOptions.defaults()
                                        .withIsolation(IsolationLevel.READ_UNCOMMITTED))) {
            assertEquals(10, tailer.forEach(record -> {}, 100));
            FutureTask<Integer> waits =
                    new FutureTask<>(() -> tailer.forEach(record -> {}, 1, Duration.ofDays(1)));
            Thread thread = new Thread(waits);
            thread.start();
            lastStable = 35;
            fetched(batch(25, 2), 35);
            fetched(ByteBuffer.allocate(0), 35);
            ExecutionException told =
                    assertThrows(
                            ExecutionException.class,
                            () -> waits.get(HANGS_AFTER_S, TimeUnit.SECONDS));
            assertEquals(10, assertInstanceOf(LostMarkerException.class, told.getCause()).offset());
            assertThrows(LostMarkerException.class, () -> tailer.forEach(record -> {}, 1));
            assertEquals(30, uncommitted.forEach(record -> {}, 100));
            follower.close();
            follower = follower(OnDivergence.TRUNCATE);
            follower.onLeader(1, 2);
            asked(Need.EPOCH_END);
            follower.onEpochEnd(2, 35);
            fetched(ByteBuffer.allocate(0), 35);
            fetched(ByteBuffer.allocate(0), 35);
            fetched(ByteBuffer.allocate(0), 35);
            assertEquals(10, follower.status().nextOffset());
            assertEquals(0, tailer.forEach(record -> {}, 1), "it is truncated");
        }
    }

    @Test
    void shouldCopyAgainFromATransactionWhoseMarkerWasCompactedAwayIfAskedTo() {
        follower.close();
        follower = follower(OnDivergence.TRUNCATE);
        copyOpenTransaction();
        lastStable = 35;
        fetched(batch(25, 2), 35);
        fetched(ByteBuffer.allocate(0), 35);
        assertEquals(1, events.size());
        assertEquals(ShadowEvent.Kind.TRUNCATED, events.get(0).kind());
        assertEquals(10, events.get(0).fromOffset());
        assertEquals(35, events.get(0).toOffset());
        asked(Need.EPOCH_END);
        follower.onEpochEnd(1, 20);
        fetched(batch(25, 2), 35);
        assertEquals(35, follower.status().nextOffset());
        assertEquals(35, committed());
        assertEquals(1, events.size());
    }

    @Test
    void shouldWaitForAMarkerThatIsStillToCome() {
        copyOpenTransaction();
        lastStable = 41;
        fetched(batch(25, 2), 41);
        fetched(batch(35, 2), 46);
        assertEquals(10, committed());
        fetched(marker(45), 46);
        fetched(ByteBuffer.allocate(0), 46);
        assertEquals(46, committed());
        assertEquals(List.of(), events);
    }

    @Test
    void shouldWaitWhileATransactionIsOpenAtTheSource() {
        copyOpenTransaction();
        for (int i = 2; i < 10; i++) {
            fetched(batch(i * 10L, 2), i * 10L + 10);
        }
        assertEquals(List.of(), events);
        assertEquals(10, committed());
    }

    @Test
    void shouldNotTakeWhatALeaderBeforeSaidOfTransactions() {
        copyOpenTransaction();
        lastStable = 20;
        fetched(ByteBuffer.allocate(0), 20);
        follower.onLeader(3, 4);
        asked(Need.EPOCH_END);
        follower.onEpochEnd(1, 20);
        lastStable = 10;
        fetched(ByteBuffer.allocate(0), 20);
        fetched(ByteBuffer.allocate(0), 20);
        assertEquals(List.of(), events);
    }

    @Test
    void shouldEndTransactionsWhereTheSourceHasDeletedRecords() {
        copyOpenTransaction();
        asked(Need.FETCH);
        follower.onFailed(SourceError.OUT_OF_RANGE, "out of range");
        asked(Need.EARLIEST);
        follower.onOffset(true, 50);
        lastStable = -1;
        fetched(batch(40, 2), 60);
        assertEquals(50, follower.status().nextOffset(), "a log start inside a batch");
        assertEquals(50, committed());
        List<AbortedTransaction> aborted =
                HostedPartition.of(topic.partition(0)).abortedTransactions(0, 50);
        assertEquals(1, aborted.size());
        assertEquals(10, aborted.get(0).firstOffset());
    }

    @Test
    void shouldLeaveTransactionsOpenWhereNothingIsMissing() {
        copyOpenTransaction();
        asked(Need.FETCH);
        follower.onFailed(SourceError.OUT_OF_RANGE, "out of range");
        asked(Need.EARLIEST);
        follower.onOffset(true, 25);
        lastStable = -1;
        fetched(batch(20, 2), 30);
        assertEquals(30, follower.status().nextOffset());
        assertEquals(10, committed(), "its marker may still come");
    }

    @Test
    void shouldWaitBeforeItRepeatsARequest() {
        follower.onLeader(1, 2);
        asked(Need.FETCH);
        follower.onFailed(SourceError.NOT_LEADER, "another one leads");
        assertEquals(Need.NOTHING, follower.due(nowMs));
        assertTrue(follower.takeNeedsMetadata());
        assertEquals("another one leads", follower.status().lastError());
        asked(Need.FETCH);
    }

    @Test
    void shouldCountWhatWasFetched() {
        assertEquals(0, rate.waitMs(System.nanoTime()));
        copyTwoEpochs();
        assertTrue(rate.waitMs(System.nanoTime()) > 0, "at one byte in a second");
    }

    @Test
    void shouldSayForHowLongItIsBehind() {
        copyTwoEpochs();
        assertEquals(Optional.of(Duration.ZERO), follower.status().lagTime());
        long caughtUpMs = nowMs;
        fetched(batch(20, 2), 40);
        assertEquals(10, follower.status().lagRecords());
        assertEquals(
                Optional.of(Duration.ofMillis(nowMs - caughtUpMs)), follower.status().lagTime());
    }
}
