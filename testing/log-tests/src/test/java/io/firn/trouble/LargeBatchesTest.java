package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.Appender;
import io.firn.Compression;
import io.firn.Durability;
import io.firn.LogReader;
import io.firn.LogRecord;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.TopicReader;
import io.firn.file.FileTier;
import io.firn.format.BatchEncoder;
import io.firn.format.Scratch;
import io.firn.host.HostedAppender;
import io.firn.sim.FirstRunOnly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Small batches that decompress to almost the largest size, in a process with a small heap. */
@FirstRunOnly
class LargeBatchesTest {
    private static final int PARTITIONS = 64;
    private static final int TAILERS = 4;
    private static final int RECORDS = 3;
    private static final int VALUE_BYTES = 5 << 20;
    private static final int READ_MEMORY = 32 << 20;

    @TempDir private Path directory;

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void shouldReadManyPartitionsOfLargeBatchesWithAHeapForFew(Compression codec) throws Exception {
        BatchEncoder encoder = new BatchEncoder(() -> 1, codec, 16 << 20);
        byte[] value = new byte[VALUE_BYTES];
        for (int i = 0; i < RECORDS; i++) {
            encoder.add(value);
        }
        Scratch batch = encoder.finish();
        Files.write(directory.resolve("batch"), Arrays.copyOf(batch.bytes(), batch.length()));
        try (Jvm child = new Jvm(List.of("-Xmx128m"), Child.class, directory)) {
            List<String> said = child.end();
            assertEquals("read all", said.get(said.size() - 1), said.toString());
        }
    }

    /** Reads a record of each partition in turn. */
    static final class Child {
        public static void main(String[] args) throws IOException {
            Path directory = Path.of(args[0]);
            try (LogStore store = builder(directory).open()) {
                write(store, Files.readAllBytes(directory.resolve("batch")));
                readByOne(store.openTopic("t"));
            }
            try (LogReader store = builder(directory).openReadOnly()) {
                readByMany(store.openTopic("t"));
            }
            System.out.println("read all");
        }

        private static LogStoreBuilder builder(Path directory) {
            return LogStore.at(directory.resolve("store"))
                    .tier(FileTier.at(directory.resolve("tier")))
                    .readMemory(READ_MEMORY);
        }

        private static void write(LogStore store, byte[] batch) {
            TopicOptions options =
                    TopicOptions.defaults()
                            .withPartitions(PARTITIONS)
                            .withDurability(Durability.WRITTEN)
                            .withMaxRecordBytes(1 << 20)
                            .withSegmentBytes(4 << 20);
            Topic topic = store.createTopic("t", options);
            for (int i = 0; i < PARTITIONS; i++) {
                try (Appender appender = topic.partition(i).openExclusiveAppender()) {
                    HostedAppender.of(appender).appendBatch(ByteBuffer.wrap(batch));
                }
            }
        }

        private static void readByOne(Topic topic) {
            try (Tailer tailer = topic.openTailer()) {
                int read = 0;
                while (read < PARTITIONS * RECORDS) {
                    read += tailer.poll(Child::check, 1);
                }
            }
        }

        private static void readByMany(TopicReader topic) {
            List<Tailer> tailers = new ArrayList<>();
            for (int i = 0; i < TAILERS; i++) {
                tailers.add(topic.partition(i).openTailer());
            }
            for (int offset = 0; offset < RECORDS; offset++) {
                for (Tailer tailer : tailers) {
                    assertEquals(offset, tailer.offset());
                    assertEquals(1, tailer.poll(Child::check, 1));
                }
            }
            tailers.forEach(Tailer::close);
        }

        private static Action check(LogRecord record) {
            assertEquals(VALUE_BYTES, record.valueLength());
            return Action.CONTINUE;
        }
    }
}
