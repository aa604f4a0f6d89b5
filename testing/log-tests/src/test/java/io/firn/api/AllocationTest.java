package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.firn.Appender;
import io.firn.Batch;
import io.firn.Claim;
import io.firn.Durability;
import io.firn.ExclusiveAppender;
import io.firn.LogRecord;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.TopicOptions;
import io.firn.Transaction;
import io.firn.host.HostedStore;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Append and poll allocate nothing: less than a byte per operation over very many. */
class AllocationTest {
    private static final int OPERATIONS = 100_000;
    private static final int WARM_UP = 20_000;

    @TempDir private Path directory;
    private final byte[] value = Stores.numbered(1, 64);
    private LogStore store;

    @FunctionalInterface
    private interface Operation {
        void run(int i);
    }

    @BeforeEach
    void open() {
        store = Stores.at(directory).open();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private Partition created(Durability durability) {
        TopicOptions options =
                TopicOptions.defaults()
                        .withSegmentBytes(8 << 20)
                        .withDurability(durability)
                        .withRetentionBytes(16 << 20); // not what is to be read
        return store.createTopic("t", options).partition(0);
    }

    private static void assertNoAllocation(Operation operation) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int i = 0; i < WARM_UP; i++) {
            operation.run(i);
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < OPERATIONS; i++) {
            operation.run(i);
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertTrue(
                allocated < OPERATIONS,
                () -> allocated / (double) OPERATIONS + " bytes per operation");
    }

    @ParameterizedTest
    @EnumSource
    void shouldAppendExclusivelyWithoutAllocation(Durability durability) {
        try (ExclusiveAppender appender = created(durability).openExclusiveAppender()) {
            appendInEveryWay(appender);
        }
    }

    /** What a roll needs was prepared by the background; not counting the very first ones. */
    @ParameterizedTest
    @EnumSource
    void shouldRollWithHardlyAnyAllocation(Durability durability) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Partition partition = created(durability);
        byte[] large = Stores.numbered(1, 16_000);
        try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
            List<Long> much = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
                boolean counts = partition.metrics().rolls() > 10;
                long before = threads.getCurrentThreadAllocatedBytes();
                appender.append(large);
                long allocated = threads.getCurrentThreadAllocatedBytes() - before;
                if (counts && allocated >= 2_000) {
                    much.add(allocated);
                }
            }
            assertTrue(partition.metrics().rolls() > 20);
            // A single one is not a roll's: there, the JVM had something to load.
            assertTrue(much.size() <= 1, much + " bytes");
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldAppendInCompanyWithoutAllocation(Durability durability) {
        try (Appender appender = created(durability).openAppender()) {
            appendInEveryWay(appender);
        }
    }

    private void appendInEveryWay(Appender appender) {
        long[] durable = new long[1];
        appender.onDurable((partition, offset) -> durable[0] = offset);
        ByteBuffer heap = ByteBuffer.wrap(value);
        ByteBuffer direct = ByteBuffer.allocateDirect(value.length).put(value).flip();
        DirectBuffer buffer = new UnsafeBuffer(value);
        DirectBuffer offHeap = new UnsafeBuffer(direct);
        assertNoAllocation(
                i -> {
                    switch (i % 5) {
                        case 0 -> appender.append(value);
                        case 1 -> appender.append(heap);
                        case 2 -> appender.append(buffer, 0, value.length);
                        case 3 -> appender.append(direct);
                        default -> appender.tryAppend(buffer, 0, value.length);
                    }
                });
        assertNoAllocation(i -> appender.append(offHeap, 0, value.length));
        byte[][] values = {
            Stores.numbered(1, 30), Stores.numbered(1, 300), Stores.numbered(1, 3000)
        };
        assertNoAllocation(i -> appender.append(values[i % 3]));
        assertNoAllocation(i -> appender.append(value, values[i % 3]));
        assertNoAllocation(i -> appender.append(i % 2 == 0 ? value : null, null));
        appender.onDurable(null);
    }

    @ParameterizedTest
    @EnumSource
    void shouldAppendBatchesWithoutAllocation(Durability durability) {
        try (Appender appender = created(durability).openAppender()) {
            Batch batch = appender.newBatch();
            long producer = HostedStore.of(store).newProducerId();
            int[] sequence = new int[1];
            assertNoAllocation(
                    i -> {
                        batch.clear();
                        for (int n = 0; n < 4; n++) {
                            batch.key(value, 0, 8)
                                    .value(value)
                                    .header("trace", value)
                                    .timestamp(i)
                                    .add();
                        }
                        appender.append(batch.producer(producer, 0, sequence[0]));
                        sequence[0] += 4;
                    });
        }
    }

    /** Most of what it would allocate otherwise is a batch for each record. */
    @Test
    void shouldAllocateLittleForATransactionOfOneRecord() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Partition partition = created(Durability.WRITTEN);
        byte[] key = {1};
        long before = 0;
        int transactions = WARM_UP / 4;
        for (int i = 0; i < 2 * transactions; i++) {
            before = i == transactions ? threads.getCurrentThreadAllocatedBytes() : before;
            try (Transaction tx = store.beginTransaction()) {
                tx.append(partition, key, value);
                tx.commit();
            }
        }
        long each = (threads.getCurrentThreadAllocatedBytes() - before) / transactions;
        assertTrue(each < 2_000, each + " bytes");
    }

    @ParameterizedTest
    @EnumSource
    void shouldClaimWithoutAllocation(Durability durability) {
        try (ExclusiveAppender appender = created(durability).openExclusiveAppender()) {
            assertNoAllocation(
                    i -> {
                        Claim claim = appender.tryClaim(value.length);
                        if (claim != null) {
                            claim.buffer().put(value);
                            claim.directBuffer().putLong(0, i);
                            if (i % 10 == 0) {
                                claim.abort();
                            } else if (i % 2 == 0) {
                                claim.commit();
                            } else {
                                claim.commitWithoutWaiting();
                            }
                        }
                    });
        }
    }

    /** A store's agents go round a thousand times per second, whether or not there is work. */
    @Test
    void shouldGoRoundWithoutAllocationWhileThereIsNothingToDo() {
        try (LogStore idle = Stores.at(directory.resolve("idle")).invokerMode().open()) {
            for (int t = 0; t < 3; t++) {
                Partition partition =
                        idle.createTopic("t" + t, TopicOptions.defaults()).partition(0);
                try (Appender appender = partition.openExclusiveAppender()) {
                    appender.append(value);
                }
            }
            assertNoAllocation(i -> idle.doWork());
        }
    }

    @Test
    void shouldPollWithoutAllocation() {
        Partition partition = created(Durability.WRITTEN);
        try (Appender appender = partition.openExclusiveAppender();
                Tailer tailer = partition.openTailer()) {
            Batch batch = appender.newBatch();
            for (int i = 0; i < 3; i++) {
                batch.key(value).value(value).header("h", value).add();
            }
            byte[] copy = new byte[value.length];
            long[] sums = new long[2];
            RecordHandler handler =
                    record -> {
                        sums[0] += record.offset() + record.timestamp() + record.key().get();
                        ByteBuffer view = record.value();
                        sums[1] += view.getLong(view.position());
                        record.getValue(copy, 0);
                        sums[1] += record.directValue().getLong(0) + record.directKey().getInt(1);
                        record.headers().next();
                        return Action.CONTINUE;
                    };
            Consumer<LogRecord> consumer = record -> sums[0] += record.offset();
            long[] taken = new long[1];
            assertNoAllocation(
                    i -> {
                        appender.append(batch);
                        taken[0] += tailer.forEach(consumer, 1);
                        taken[0] += tailer.poll(handler, 1);
                        taken[0] += tailer.poll(handler, 10, Duration.ZERO);
                    });
            assertEquals(3L * (OPERATIONS + WARM_UP), taken[0]);
            assertNotNull(handler);
        }
    }

    @Test
    void shouldPollAtACursorWithoutAllocation() {
        Partition partition = created(Durability.WRITTEN);
        TailerOptions options = TailerOptions.at("c").withCommitEvery(10, Duration.ofMillis(50));
        try (Appender appender = partition.openExclusiveAppender();
                Tailer tailer = partition.topic().openTailer(options)) {
            long[] sum = new long[1];
            RecordHandler handler =
                    record -> {
                        sum[0] += record.offset();
                        return Action.CONTINUE;
                    };
            Consumer<LogRecord> consumer = record -> sum[0] += record.offset();
            long[] taken = new long[1];
            assertNoAllocation(
                    i -> {
                        appender.append(value);
                        appender.append(value);
                        taken[0] += tailer.forEach(consumer, 1);
                        taken[0] += tailer.poll(handler, 10);
                        taken[0] += tailer.poll(handler, 10, Duration.ZERO);
                    });
            assertEquals(2L * (OPERATIONS + WARM_UP), taken[0]);
        }
    }
}
