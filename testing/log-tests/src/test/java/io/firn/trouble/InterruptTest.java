package io.firn.trouble;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.host.HostedStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An interrupt disturbs no append, no poll and no opening, and stays to be seen (O9). */
class InterruptTest {
    private static final int RECORDS = 40; // with rolls

    @TempDir Path temporary;

    @AfterEach
    void forgetInterrupts() {
        Thread.interrupted();
    }

    @Test
    void shouldDoEverythingWhileInterrupted() {
        Disk disk = new Disk(temporary);
        Thread.currentThread().interrupt();
        try (LogStore store = disk.open()) {
            Partition partition = Disk.partition(store);
            Disk.append(partition, RECORDS);
            partition.force();
            store.openTopic(Disk.TOPIC).cursor("c").commit(0, 5);
            store.openTopic(Disk.TOPIC).cursor("c").force();
            assertEquals(2, partition.deleteRecordsBefore(2));
            assertEquals(7, partition.findTimestamp(7).offset());
            assertEquals(RECORDS - 2, Found.in(partition).records().size());
            HostedStore.of(store).newProducerId();
            store.createTopic("mortal", Disk.SMALL);
            store.deleteTopic("mortal");
            assertTrue(Thread.currentThread().isInterrupted());
        }
        assertTrue(Thread.interrupted());
        try (LogStore store = disk.open()) {
            assertEquals(RECORDS - 2, Found.in(Disk.partition(store)).records().size());
            assertEquals(List.of(), store.findings());
            assertEquals(0, store.metrics().backgroundErrors());
        }
    }

    @Test
    void shouldAppendAndReadUnderAHailOfInterrupts() throws Exception {
        Disk disk = new Disk(temporary);
        try (LogStore store = disk.open()) {
            Partition partition = Disk.partition(store);
            List<FutureTask<Long>> tasks = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                tasks.add(new FutureTask<>(() -> appendShared(partition)));
            }
            tasks.add(new FutureTask<>(() -> readAll(partition, 3 * RECORDS)));
            for (FutureTask<Long> task : tasks) {
                threads.add(new Thread(task));
            }
            threads.forEach(Thread::start);
            AtomicBoolean done = new AtomicBoolean();
            Thread hail =
                    new Thread(
                            () -> {
                                while (!done.get()) {
                                    threads.forEach(Thread::interrupt);
                                    LockSupport.parkNanos(100_000);
                                }
                            });
            hail.start();
            try {
                for (FutureTask<Long> task : tasks) {
                    long count = task.get(HANGS_AFTER_S, TimeUnit.SECONDS);
                    assertTrue(count >= RECORDS);
                }
            } finally {
                done.set(true);
                hail.join();
            }
            assertFalse(partition.metrics().isPoisoned());
            Disk.append(partition, 2);
            assertEquals(3 * RECORDS + 2, partition.durableOffset());
        }
    }

    private static long appendShared(Partition partition) {
        try (Appender appender = partition.openAppender()) {
            for (int i = 0; i < RECORDS; i++) {
                appender.append(Disk.value(i));
            }
        }
        return RECORDS;
    }

    private static long readAll(Partition partition, int count) {
        AtomicLong read = new AtomicLong();
        try (Tailer tailer = partition.openTailer()) {
            while (read.get() < count) {
                tailer.poll(
                        record -> {
                            assertEquals(read.getAndIncrement(), record.offset());
                            return Action.CONTINUE;
                        },
                        10);
            }
        }
        return read.get();
    }
}
