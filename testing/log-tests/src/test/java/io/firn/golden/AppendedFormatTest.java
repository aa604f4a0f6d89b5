package io.firn.golden;

import static io.firn.kafka.SameRecords.assertSame;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Batch;
import io.firn.Claim;
import io.firn.Compression;
import io.firn.ExclusiveAppender;
import io.firn.Partition;
import io.firn.StoredRecord;
import io.firn.Topic;
import io.firn.host.HostedAppender;
import io.firn.host.HostedStore;
import io.firn.kafka.KafkaBatches;
import io.firn.kafka.RandomRecords;
import io.firn.kafka.SeededTest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.io.TempDir;

/** Whatever is appended, in whatever way: tailers and Kafka's own code read the same from it. */
class AppendedFormatTest {
    @TempDir private Path directory;

    @SeededTest
    void shouldBeTheSameForTailersAndForKafka(long seed) throws IOException {
        RandomRecords random = new RandomRecords(seed);
        try (FileStore files = new FileStore(directory)) {
            Compression some = Compression.ofId(1 + (int) Math.floorMod(seed, 4L));
            for (Compression codec : List.of(Compression.NONE, some)) {
                String name = codec.name();
                files.store().createTopic(name, FileStore.options().withCompression(codec));
                List<StoredRecord> expected = new ArrayList<>();
                for (int life = 0; life < 3; life++) {
                    Partition partition = files.topic(name).partition(0);
                    try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
                        new Appends(files, partition, appender, random, expected).run(20);
                    }
                    files.reopen();
                }
                assertSame(expected, FileStore.readAll(files.topic(name).partition(0)));

                files.sealAll(files.topic(name));
                assertSame(expected, FileStore.readAll(files.topic(name).partition(0)));
                assertSame(expected, readByKafka(files, files.topic(name)));
            }
        }
    }

    private static List<StoredRecord> readByKafka(FileStore files, Topic topic) throws IOException {
        List<StoredRecord> records = new ArrayList<>();
        List<Path> sealed = files.sealedFiles(topic, 0);
        assertTrue(sealed.size() > 1, "only " + sealed);
        for (Path file : sealed) {
            ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
            assertEquals(String.format("%020d.log", records.size()), file.getFileName().toString());
            records.addAll(KafkaBatches.decode(0, bytes));
        }
        return records;
    }

    /** All the ways to append, one after another at random. */
    private static final class Appends {
        private final FileStore files;
        private final Partition partition;
        private final ExclusiveAppender appender;
        private final RandomRecords random;
        private final Random numbers;
        private final List<StoredRecord> expected;
        private final Batch batch;
        private final long producerId;
        private int sequence;

        Appends(
                FileStore files,
                Partition partition,
                ExclusiveAppender appender,
                RandomRecords random,
                List<StoredRecord> expected) {
            this.files = files;
            this.partition = partition;
            this.appender = appender;
            this.random = random;
            this.numbers = random.random();
            this.expected = expected;
            this.batch = appender.newBatch();
            this.producerId = HostedStore.of(files.store()).newProducerId();
        }

        void run(int count) {
            // Enough for a second segment, all lives together.
            expect(new StoredRecord(0, 0, files.nowMs(), null, new byte[30_000], List.of()));
            appender.append(new byte[30_000]);
            for (int i = 0; i < count; i++) {
                files.pass(Duration.ofMillis(numbers.nextInt(5_000)));
                long before = partition.nextOffset();
                long offset = numbers.nextInt(3) > 0 ? value() : records();
                assertEquals(before, offset);
                assertEquals(expected.size(), partition.nextOffset());
                assertEquals(expected.size(), partition.durableOffset());
            }
        }

        private long value() {
            byte[] value = random.bytes(numbers.nextInt(1 << numbers.nextInt(15)));
            byte[] wider = new byte[value.length + 9];
            System.arraycopy(value, 0, wider, 4, value.length);
            expect(new StoredRecord(0, 0, files.nowMs(), null, value, List.of()));
            ByteBuffer direct = ByteBuffer.allocateDirect(wider.length).put(0, wider);
            return switch (numbers.nextInt(7)) {
                case 0 -> appender.append(value);
                case 1 -> appender.append(new UnsafeBuffer(wider), 4, value.length);
                case 2 -> appender.append(ByteBuffer.wrap(wider, 4, value.length));
                case 3 -> appender.append(direct.slice(4, value.length).asReadOnlyBuffer());
                case 4 -> appender.append(new UnsafeBuffer(wider), 4, value.length);
                case 5 -> appender.append(new UnsafeBuffer(direct), 4, value.length);
                default -> claimed(value);
            };
        }

        private long claimed(byte[] value) {
            if (numbers.nextBoolean()) {
                Claim given = claim(4 + numbers.nextInt(2_000));
                given.buffer().putInt(given.buffer().position(), 0x42424242);
                given.abort();
            }
            Claim claim = claim(value.length);
            assertEquals(value.length, claim.buffer().remaining());
            claim.buffer().put(value);
            return claim.commit();
        }

        private Claim claim(int length) {
            Claim claim;
            do {
                claim = appender.tryClaim(length);
                files.store().doWork();
            } while (claim == null);
            return claim;
        }

        private long records() {
            List<StoredRecord> records =
                    random.next(0, 0, 1 + numbers.nextInt(10), 1 << numbers.nextInt(12));
            records.forEach(this::expect);
            boolean idempotent = numbers.nextInt(3) == 0;
            long offset =
                    numbers.nextBoolean()
                            ? embed(records, idempotent)
                            : foreign(records, idempotent);
            sequence += idempotent ? records.size() : 0;
            return offset;
        }

        private long embed(List<StoredRecord> records, boolean idempotent) {
            batch.clear();
            for (StoredRecord record : records) {
                batch.key(record.key()).value(record.value()).timestamp(record.timestamp());
                record.headers().forEach(h -> batch.header(h.key(), h.value()));
                batch.add();
            }
            if (idempotent) {
                batch.producer(producerId, 0, sequence);
            }
            long offset = appender.append(batch);
            if (idempotent && numbers.nextBoolean()) {
                assertEquals(offset, appender.append(batch), "a duplicate");
            }
            return offset;
        }

        private long foreign(List<StoredRecord> records, boolean idempotent) {
            KafkaBatches maker =
                    KafkaBatches.of(
                            Compression.values()[numbers.nextInt(Compression.values().length)]);
            if (idempotent) {
                maker = maker.producer(producerId, 0, sequence);
            }
            ByteBuffer made = maker.encode(records);
            int size = made.remaining();
            ByteBuffer direct = ByteBuffer.allocateDirect(size + 7);
            direct.position(7).put(made.duplicate()).position(7);
            ByteBuffer foreign =
                    switch (numbers.nextInt(4)) {
                        case 0 -> made;
                        case 1 -> made.asReadOnlyBuffer();
                        case 2 -> direct;
                        default -> direct.slice().asReadOnlyBuffer();
                    };
            long offset = HostedAppender.of(appender).appendBatch(foreign);
            assertEquals(size, foreign.remaining(), "the buffer stays as it is");
            if (idempotent && numbers.nextBoolean()) {
                assertEquals(
                        offset, HostedAppender.of(appender).appendBatch(foreign), "a duplicate");
            }
            return offset;
        }

        private void expect(StoredRecord record) {
            expected.add(
                    new StoredRecord(
                            0,
                            expected.size(),
                            record.timestamp(),
                            record.key(),
                            record.value(),
                            record.headers()));
        }
    }
}
