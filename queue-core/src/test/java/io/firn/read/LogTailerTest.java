package io.firn.read;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.IsolationLevel;
import io.firn.RecordHandler.Action;
import io.firn.log.InMemory;
import io.firn.log.LogSegment;
import io.firn.log.SegmentedLog;
import io.firn.log.TopicTailers;
import io.firn.spi.Block;
import io.firn.spi.MemoryTier;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** A tailer over several partitions. */
class LogTailerTest {
    private static final long EPOCH = 7;

    /** A log with a record that is not visible yet. */
    private static SegmentedLog withHiddenRecord() throws IOException {
        MemoryTier tier = InMemory.tier();
        SegmentedLog log = InMemory.log(tier);
        Block block = InMemory.block(tier, EPOCH);
        int end = InMemory.put(block.memory(), 0, 0, EPOCH, 1);
        block.seal(block.mark().sealed(EPOCH, 0, end, 1, 0));
        log.addSegment(new LogSegment(block, 0, end, 1));
        return log;
    }

    private static void publish(SegmentedLog log) {
        log.publishNext(1, 0);
        log.publishDurable(1);
    }

    /**
     * A thread that publishes may not know a tailer that was just opened. The tailer visits all
     * partitions until every thread knows it, also when its opening took long.
     */
    @Test
    void shouldMissNothingOfAThreadThatDoesNotKnowItYet() throws Exception {
        for (boolean isKnown = false; !isKnown; ) {
            isKnown = openLateAndPublishUnnoticed();
        }
    }

    /** Returns false when this thread was held up, so that nothing can be said. */
    private static boolean openLateAndPublishUnnoticed() throws Exception {
        SegmentedLog first = InMemory.log(InMemory.tier());
        SegmentedLog second = withHiddenRecord(); // of another topic: it never knows the tailer
        TopicTailers tailers = first.topic().tailers();
        Thread opener = Thread.currentThread();
        CountDownLatch held = new CountDownLatch(1);
        AtomicLong knownFromNs = new AtomicLong();
        Thread holder =
                new Thread(
                        () -> {
                            synchronized (tailers) {
                                held.countDown();
                                while (opener.getState() != Thread.State.BLOCKED) {
                                    LockSupport.parkNanos(100_000);
                                }
                                long until = System.nanoTime() + 2 * TopicTailers.KNOWN_AFTER_NS;
                                while (System.nanoTime() - until < 0) {
                                    LockSupport.parkNanos(1_000_000);
                                }
                                knownFromNs.set(System.nanoTime());
                            }
                        });
        holder.start();
        held.await();
        try (LogTailer tailer =
                new LogTailer(
                        List.of(first, second), cursor -> {}, IsolationLevel.READ_COMMITTED)) {
            assertEquals(0, tailer.poll(record -> Action.CONTINUE, 10));
            long since = System.nanoTime() - knownFromNs.get();
            publish(second);
            int found = tailer.poll(record -> Action.CONTINUE, 10);
            if (since >= TopicTailers.KNOWN_AFTER_NS) {
                return false;
            }
            assertEquals(1, found);
            return true;
        } finally {
            holder.join();
        }
    }
}
