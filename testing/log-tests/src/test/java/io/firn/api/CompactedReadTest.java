package io.firn.api;

import static io.firn.kafka.SameRecords.assertSame;
import static io.firn.kafka.SameRecords.describe;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.CursorReader.CursorMetrics;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PartitionReader.TimestampedOffset;
import io.firn.RecordHandler.Action;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.host.BatchReader;
import io.firn.host.BatchRun;
import io.firn.host.HostedPartition;
import io.firn.kafka.KafkaBatches;
import io.firn.read.FoundTimestamp;
import io.firn.sim.FirstRunOnly;
import io.firn.stream.TailerPublisher;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every way to read a log from which compaction has removed records. */
@FirstRunOnly
class CompactedReadTest {
    private static final long END = CompactedLog.RECORDS;

    @TempDir private Path directory;
    private List<List<StoredRecord>> left;
    private LogStore store;
    private Topic topic;
    private Partition partition;
    private List<StoredRecord> expected;

    @BeforeEach
    void open() throws IOException {
        left = CompactedLog.create(directory);
        store = Stores.at(directory).open();
        topic = store.openTopic(CompactedLog.TOPIC);
        partition = topic.partition(0);
        expected = left.get(0);
        assertEquals(END, partition.visibleOffset());
        assertTrue(expected.size() > 500 && expected.get(0).offset() >= 700);
        assertTrue(expected.get(expected.size() - 1).offset() < 2_600);
        assertEquals(List.of(), partition.damage());
    }

    @AfterEach
    void close() {
        store.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 10_000})
    void shouldHandOutEveryRecordThatIsLeftOnceAndComeToTheEnd(int limit) {
        try (Tailer tailer = partition.openTailer()) {
            List<StoredRecord> found = new ArrayList<>();
            while (tailer.poll(into(found), limit) > 0) {
                assertTrue(found.size() <= expected.size());
            }
            assertSame(expected, found);
            assertEquals(END, tailer.offset());
        }
    }

    private static io.firn.RecordHandler into(List<StoredRecord> found) {
        return record -> {
            found.add(record.copy());
            return Action.CONTINUE;
        };
    }

    @Test
    void shouldGoOnWithTheNextRecordThatIsLeftAfterASeekToAnyOffset() {
        TreeMap<Long, StoredRecord> all = CompactedLog.byOffset(expected);
        try (Tailer tailer = partition.openTailer()) {
            for (long offset = 0; offset <= END; offset++) {
                tailer.seek(offset);
                List<StoredRecord> found = new ArrayList<>();
                int taken = tailer.poll(into(found), 1);
                Map.Entry<Long, StoredRecord> next = all.ceilingEntry(offset);
                assertEquals(next == null ? 0 : 1, taken, "at " + offset);
                if (next == null) {
                    assertEquals(END, tailer.offset());
                } else {
                    assertEquals(describe(next.getValue()), describe(found.get(0)));
                    assertBetween(next.getKey(), all.higherKey(next.getKey()), tailer.offset());
                }
            }
        }
    }

    /** It may be past a gap in the record's batch. */
    private static void assertBetween(long record, Long next, long offset) {
        assertTrue(record < offset && offset <= (next == null ? END : next), "at " + offset);
    }

    @Test
    void shouldHandOutARecordAgainBesideAGap() {
        TreeMap<Long, StoredRecord> all = CompactedLog.byOffset(expected);
        try (Tailer tailer = partition.openTailer()) {
            for (StoredRecord each : expected) {
                assertEquals(0, tailer.poll(record -> Action.RETRY, 10));
                assertEquals(1, tailer.poll(record -> Action.STOP, 10));
                assertBetween(each.offset(), all.higherKey(each.offset()), tailer.offset());
            }
        }
    }

    @Test
    void shouldReadSeveralPartitions() {
        try (Tailer tailer = topic.openTailer()) {
            List<List<StoredRecord>> found = List.of(new ArrayList<>(), new ArrayList<>());
            while (tailer.poll(
                            record -> {
                                found.get(record.partition()).add(record.copy());
                                return Action.CONTINUE;
                            },
                            50)
                    > 0) {
                continue;
            }
            for (int i = 0; i < CompactedLog.PARTITIONS; i++) {
                assertSame(left.get(i), found.get(i));
                assertEquals(END, tailer.offset(i));
            }
        }
    }

    @Test
    void shouldReadWhatIsAppendedAfterAFiller() {
        try (Tailer tailer = partition.openTailer();
                Appender appender = partition.openExclusiveAppender()) {
            tailer.seekToEnd();
            assertEquals(END, appender.append(new byte[] {1}));
            assertEquals(List.of(END), Stores.offsets(Stores.read(tailer, 1)));
        }
    }

    @Test
    void shouldReadBackwards() {
        try (Tailer tailer = partition.openTailer()) {
            for (long from : new long[] {END, 2_700, 2_000, 1_850, 900, 650, 0}) {
                tailer.seek(from);
                List<StoredRecord> before = new ArrayList<>();
                expected.stream().filter(each -> each.offset() < from).forEach(before::add);
                Collections.reverse(before);
                List<StoredRecord> found = new ArrayList<>();
                Iterator<StoredRecord> backwards = tailer.backwards();
                backwards.forEachRemaining(found::add);
                assertSame(before, found);
            }
        }
    }

    @Test
    void shouldIterateAndStream() {
        try (Tailer tailer = partition.openTailer()) {
            assertSame(expected, tailer.stream().toList());
            assertFalse(tailer.iterator().hasNext());
            assertEquals(END, tailer.offset());
        }
    }

    @Test
    void shouldLoopOverWhatIsLeft() {
        List<Long> found = new ArrayList<>();
        long last = expected.get(expected.size() - 1).offset();
        try (Tailer tailer = topic.openTailer(TailerOptions.at("loop"))) {
            tailer.run(
                    record -> {
                        found.add(record.offset());
                        return record.offset() == last ? Action.STOP : Action.CONTINUE;
                    });
        }
        assertEquals(Stores.offsets(expected), found);
        assertEquals(0, lag("loop").lagRecords());
    }

    @Test
    void shouldPublishWhatIsLeft() {
        List<Long> found = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch complete = new CountDownLatch(1);
        TailerPublisher.of(partition::openTailer)
                .withEndAtVisibleEnd()
                .subscribe(
                        new Flow.Subscriber<StoredRecord>() {
                            @Override
                            public void onSubscribe(Flow.Subscription subscription) {
                                subscription.request(Long.MAX_VALUE);
                            }

                            @Override
                            public void onNext(StoredRecord record) {
                                found.add(record.offset());
                            }

                            @Override
                            public void onError(Throwable error) {
                                throw new AssertionError(error);
                            }

                            @Override
                            public void onComplete() {
                                complete.countDown();
                            }
                        });
        Stores.await("the last record", () -> complete.getCount() == 0);
        assertEquals(Stores.offsets(expected), found);
    }

    @Test
    void shouldFindTimestamps() {
        List<Long> times = new ArrayList<>(expected.stream().map(StoredRecord::timestamp).toList());
        times.addAll(List.of(-1L, 0L, Long.MAX_VALUE));
        Random random = new Random(1);
        for (int i = 0; i < 200; i++) {
            long time = times.get(random.nextInt(times.size())) + random.nextInt(3) - 1;
            StoredRecord first =
                    expected.stream().filter(r -> r.timestamp() >= time).findFirst().orElse(null);
            TimestampedOffset found = partition.findTimestamp(time);
            if (first == null) {
                assertNull(found);
            } else {
                assertEquals(new FoundTimestamp(first.offset(), first.timestamp()), found);
            }
        }
        long latest = times.stream().filter(t -> t < Long.MAX_VALUE).max(Long::compare).get();
        StoredRecord last =
                expected.stream().filter(r -> r.timestamp() == latest).findFirst().orElseThrow();
        assertEquals(new FoundTimestamp(last.offset(), latest), partition.findLatestTimestamp());
    }

    @Test
    void shouldSeekToATimestamp() {
        StoredRecord some = expected.get(expected.size() / 2);
        try (Tailer tailer = partition.openTailer()) {
            tailer.seekToTimestamp(some.timestamp());
            assertEquals(1, tailer.poll(record -> Action.STOP, 1));
            assertTrue(tailer.offset() <= some.offset() + 1);
            tailer.seekToTimestamp(Long.MAX_VALUE);
            assertEquals(END, tailer.offset());
        }
    }

    @Test
    void shouldSayThatNothingIsLeftToReadWhereOnlyFillersFollowACursor() {
        try (Tailer tailer = topic.openTailer(TailerOptions.at("c").withPartitions(0))) {
            assertTrue(lag("c").lagRecords() > 0);
            assertSame(expected, Stores.readAll(tailer));
            tailer.commit();
            assertEquals(0, lag("c").lagRecords());
            assertEquals(0, lag("c").lagBytes());
            assertEquals(Optional.of(Duration.ofMillis(0)), lag("c").lagTime());
        }
        try (Tailer tailer = topic.openTailer(TailerOptions.at("c").withPartitions(0))) {
            assertEquals(List.of(), Stores.readAll(tailer));
        }
        try (Appender appender = partition.openExclusiveAppender()) {
            appender.append(new byte[10]);
        }
        assertEquals(1, lag("c").lagRecords());
        assertTrue(lag("c").lagBytes() > 0);
    }

    private CursorMetrics lag(String cursor) {
        return topic.cursorMetrics().stream()
                .filter(each -> each.cursor().equals(cursor) && each.partition() == 0)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void shouldReadRunsOfBatchesWithFillersInBetween() {
        BatchReader reader = HostedPartition.of(partition).openBatchReader();
        for (int maxBytes : new int[] {1, 3_000, 1 << 20}) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            long next = 0;
            while (next < END) {
                try (BatchRun run = reader.read(next, maxBytes, true)) {
                    assertEquals(next, run.baseOffset());
                    assertTrue(run.nextOffset() > next);
                    byte[] bytes = new byte[run.bytes().remaining()];
                    run.bytes().get(bytes);
                    all.writeBytes(bytes);
                    next = run.nextOffset();
                }
            }
            assertSame(expected, KafkaBatches.decode(0, ByteBuffer.wrap(all.toByteArray())));
        }
    }

    @Test
    void shouldReadBesideTheWriter() {
        try (LogReader follower = Stores.at(directory).openReadOnly();
                Tailer tailer = follower.openTopic(CompactedLog.TOPIC).partition(0).openTailer();
                Appender appender = partition.openExclusiveAppender()) {
            assertSame(expected, Stores.readAll(tailer));
            assertEquals(END, tailer.offset());
            appender.append(new byte[] {2});
            assertEquals(List.of(END), Stores.offsets(Stores.read(tailer, 1)));
        }
    }
}
