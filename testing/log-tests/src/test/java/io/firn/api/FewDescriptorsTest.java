package io.firn.api;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.medium.FileErrors.OutOfDescriptorsException;
import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.FilterFileMedium.FilterMediumFile;
import io.firn.medium.MediumFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that may open few more files than its partitions need. */
class FewDescriptorsTest {
    private static final int PARTITIONS = 8;
    private static final int RECORDS = 20;
    private static final int RECORD_BYTES = 50_000;

    /** One for each active segment, those that the tier keeps, and too few to reserve ahead. */
    private static final int DESCRIPTORS = PARTITIONS + 3 + 2;

    @TempDir Path directory;
    private final Limited medium = new Limited();

    /** A file system that has only so many descriptors. */
    private static final class Limited extends FilterFileMedium {
        private final AtomicInteger free = new AtomicInteger(DESCRIPTORS);

        Limited() {
            super(FileMedium.real());
        }

        private void take(Path path) throws IOException {
            if (free.getAndUpdate(n -> Math.max(0, n - 1)) == 0) {
                throw new OutOfDescriptorsException(path, new IOException("Too many open files"));
            }
        }

        @Override
        public MediumFile create(Path file) throws IOException {
            take(file);
            return super.create(file);
        }

        @Override
        public MediumFile open(Path file, boolean writable) throws IOException {
            if (!exists(file)) {
                return super.open(file, writable); // fails
            }
            take(file);
            return super.open(file, writable);
        }

        @Override
        public void forceDirectory(Path path) throws IOException {
            take(path);
            try {
                super.forceDirectory(path);
            } finally {
                free.incrementAndGet();
            }
        }

        @Override
        protected MediumFile wrap(Path path, MediumFile file) {
            return new FilterMediumFile(file) {
                private final AtomicBoolean isHeld = new AtomicBoolean(true);

                @Override
                public void close() throws IOException {
                    super.close();
                    free.addAndGet(isHeld.getAndSet(false) ? 1 : 0);
                }
            };
        }
    }

    private LogStore open() {
        return LogStore.at(directory.resolve("store"))
                .tier(FileTier.at(directory.resolve("tier")).withMedium(medium))
                .open();
    }

    private static byte[] record(int partition, int number) {
        byte[] record = new byte[RECORD_BYTES];
        record[0] = (byte) partition;
        record[1] = (byte) number;
        return record;
    }

    private static void append(Topic topic) {
        List<Appender> appenders = new ArrayList<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            appenders.add(topic.partition(partition).openExclusiveAppender());
        }
        for (int number = 0; number < RECORDS; number++) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                assertEquals(number, appenders.get(partition).append(record(partition, number)));
            }
        }
        appenders.forEach(Appender::close);
    }

    private static void check(Topic topic) {
        for (int each = 0; each < PARTITIONS; each++) {
            int partition = each;
            try (Tailer tailer = topic.partition(partition).openTailer()) {
                AtomicInteger read = new AtomicInteger();
                while (read.get() < RECORDS) {
                    tailer.poll(
                            record -> {
                                ByteBuffer expected =
                                        ByteBuffer.wrap(record(partition, read.getAndIncrement()));
                                assertEquals(expected, record.value());
                                return Action.CONTINUE;
                            },
                            RECORDS);
                }
            }
            assertEquals(RECORDS, topic.partition(partition).nextOffset());
        }
    }

    @Test
    void shouldSealAndAppendOnWhenNewSegmentsTookTheLastDescriptors() throws Exception {
        TopicOptions small =
                TopicOptions.defaults().withSegmentBytes(256 << 10).withMaxRecordBytes(100_000);
        try (LogStore store = open()) {
            Topic topic = store.createTopic("orders", small.withPartitions(PARTITIONS));
            try {
                CompletableFuture.runAsync(() -> append(topic))
                        .get(HANGS_AFTER_S, TimeUnit.SECONDS);
            } finally {
                medium.free.addAndGet(1_000);
            }
            check(topic);
        }
        try (LogStore store = open()) {
            check(store.openTopic("orders"));
        }
    }
}
