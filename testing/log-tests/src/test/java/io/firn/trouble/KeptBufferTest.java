package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Claim;
import io.firn.ExclusiveAppender;
import io.firn.LogRecord;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a user keeps although it is valid in a handler only must not end the JVM: in a JVM of its
 * own, which reads it after retention has taken the segment away.
 */
class KeptBufferTest {
    private static final int RECORDS = 30;

    @TempDir private Path directory;

    @Test
    void shouldOutliveBuffersThatWereKeptWhenTheirSegmentIsDeleted() throws Exception {
        end(Segments.DELETED);
    }

    @Test
    void shouldOutliveBuffersThatWereKeptWhenTheirSegmentIsIdle() throws Exception {
        end(Segments.IDLE);
    }

    private void end(Segments what) throws Exception {
        try (Jvm child = new Jvm(Child.class, directory, what)) {
            List<String> lines = child.end();
            assertTrue(lines.contains("kept, and alive"), lines::toString);
        }
    }

    private enum Segments {
        DELETED,
        IDLE
    }

    /** Keeps what it must not keep. */
    static final class Child {
        private static final List<ByteBuffer> KEPT = new ArrayList<>();
        private static final List<LogRecord> KEPT_RECORDS = new ArrayList<>();

        private Child() {}

        public static void main(String[] args) throws Exception {
            Path directory = Path.of(args[0]);
            AtomicLong clock = new AtomicLong(1_700_000_000_000L);
            LogStore store =
                    LogStore.at(directory.resolve("store"))
                            .tier(FileTier.at(directory.resolve("tier")))
                            .clock(clock::get)
                            .invokerMode()
                            .open();
            TopicOptions options =
                    TopicOptions.defaults().withSegmentBytes(64 << 10).withMaxRecordBytes(32_000);
            Partition partition = store.createTopic("t", options).partition(0);
            fill(store, partition);
            read(partition);
            if (args[1].equals(Segments.DELETED.name())) {
                partition.deleteRecordsBefore(partition.durableOffset());
            }
            for (int i = 0; i < 5; i++) {
                clock.addAndGet(60_000);
                work(store);
            }
            touch();
            boolean safe = Runtime.version().feature() >= 22;
            long left = store.metrics().tiers().get(0).uncollectedBytes();
            if (safe != (left == 0)) {
                throw new AssertionError(left + " bytes are left to the collector");
            }
            forget(store, safe);
            read(partition);
            store.close();
            touch();
            System.out.println("kept, and alive");
        }

        private static void work(LogStore store) {
            while (store.doWork() > 0) {
                continue;
            }
        }

        private static void fill(LogStore store, Partition partition) {
            byte[] value = new byte[20_000];
            try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
                for (int i = 0; i < RECORDS; i++) {
                    appender.append(value);
                    work(store);
                }
                Claim claim = appender.tryClaim(100);
                KEPT.add(claim.buffer());
                KEPT.add(claim.buffer().slice());
                claim.commit();
            }
            work(store);
        }

        private static void read(Partition partition) {
            try (Tailer tailer = partition.openTailer()) {
                for (int i = 0; i < RECORDS; i++) {
                    tailer.poll(
                            record -> {
                                KEPT.add(record.value());
                                KEPT.add(record.value().slice());
                                KEPT.add(record.value().duplicate());
                                KEPT_RECORDS.add(record);
                                return Action.CONTINUE;
                            },
                            1);
                }
            }
        }

        private static void touch() {
            int sum = 0;
            for (ByteBuffer kept : KEPT) {
                try {
                    for (int i = 0; i < kept.limit(); i++) {
                        sum += kept.get(i);
                    }
                } catch (IllegalStateException e) {
                    sum++; // unmapped, on Java 22 and later
                }
            }
            for (LogRecord record : KEPT_RECORDS) {
                try {
                    sum += record.copy().value().length;
                    throw new AssertionError("a record that was kept could be read");
                } catch (IllegalStateException e) {
                    sum++;
                }
            }
            System.out.println("touched " + sum);
        }

        /** What nobody holds any more is unmapped in the end. */
        private static void forget(LogStore store, boolean safe) throws InterruptedException {
            KEPT.clear();
            KEPT_RECORDS.clear();
            while (!safe && store.metrics().tiers().get(0).uncollectedBytes() > 0) {
                System.gc();
                Thread.sleep(10);
            }
        }
    }
}
