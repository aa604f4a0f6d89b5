package io.firn.golden;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.BatchTooLargeException;
import io.firn.Compression;
import io.firn.DamagedRangeException;
import io.firn.Durability;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.format.BatchFormat;
import io.firn.format.Codecs;
import io.firn.format.Scratch;
import io.firn.format.Varint;
import io.firn.host.HostedAppender;
import io.firn.host.InvalidBatchException;
import io.firn.kafka.KafkaBatches;
import io.firn.kafka.SeededTest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * Compressed batches are stored as they come, so what is in them is found out when they are read.
 * Whatever it is, no wrong offset is handed out, the loss is named, and what follows is read.
 */
class HostileBatchTest {
    private static final TopicOptions OPTIONS =
            TopicOptions.defaults()
                    .withDurability(Durability.WRITTEN)
                    .withSegmentBytes(1 << 20)
                    .withMaxRecordBytes(1_000);

    @TempDir private Path directory;
    private FileStore files;
    private Partition partition;
    private Appender appender;

    @BeforeEach
    void open() {
        files = new FileStore(directory);
        partition = files.store().createTopic("hostile", OPTIONS).partition(0);
        appender = partition.openExclusiveAppender();
    }

    @AfterEach
    void close() {
        files.close();
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void shouldNameTheLossOfABatchWithNoiseInIt(Compression codec) {
        byte[] noise = new byte[200];
        new Random(1).nextBytes(noise);

        assertLost(batch(codec, 5, noise), 5, codec + " stream is damaged");
        if (codec != Compression.ZSTD) { // whose library takes no bytes for no frames
            assertLost(batch(codec, 5, new byte[0]), 5, codec + " stream is damaged");
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void shouldNameTheLossOfABatchWithMalformedRecords(Compression codec) {
        assertLost(batch(codec, 3, compressed(codec, new byte[50])), 3, "malformed record");
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void shouldHandOutNoOffsetThatIsNotTheBatchs(Compression codec) {
        int[][] lies = {
            {3, 0, 0}, {-1, 0, 0}, {Integer.MAX_VALUE, 0, 0}, {Integer.MIN_VALUE, 0, 0}
        };
        for (int[] deltas : lies) {
            assertLost(batch(codec, 3, compressed(codec, records(deltas))), 3, "malformed record");
        }
    }

    @Test
    void shouldHandOutAscendingOffsetsOnly() {
        byte[] records = records(2, 0, 1, 2, 4, 3);
        HostedAppender.of(appender)
                .appendBatch(batch(Compression.GZIP, 5, compressed(Compression.GZIP, records)));
        appender.append(new byte[] {7});
        List<Long> offsets = new ArrayList<>();
        try (Tailer tailer = partition.openTailer()) {
            drain(tailer, offsets);
        }

        assertEquals(List.of(2L, 4L, 5L), offsets);
    }

    @Test
    void shouldRefuseToDecompressABomb() {
        byte[] bomb = compressed(Compression.GZIP, new byte[(128 << 20) + 1]);
        assertTrue(bomb.length < 200_000, "a bomb of " + bomb.length + " bytes");

        HostedAppender.of(appender).appendBatch(batch(Compression.GZIP, 2, bomb));
        appender.append(new byte[] {1});
        List<Long> offsets = new ArrayList<>();
        try (Tailer tailer = partition.openTailer()) {
            BatchTooLargeException e =
                    assertThrows(BatchTooLargeException.class, () -> drain(tailer, offsets));
            tailer.seek(e.toOffset());
            drain(tailer, offsets);
        }
        assertEquals(List.of(2L), offsets);
        assertEquals(List.of(), partition.damage());
    }

    /** Each record takes an offset: such batches would use up a segment each. */
    @Test
    void shouldRefuseABatchWithMoreOffsetsThanItsBytesCanHold() {
        appender.append(new byte[] {1});
        byte[] one = compressed(Compression.GZIP, records(Integer.MAX_VALUE - 1));
        ByteBuffer lies = batch(Compression.GZIP, Integer.MAX_VALUE, one);

        assertThrows(
                InvalidBatchException.class, () -> HostedAppender.of(appender).appendBatch(lies));

        assertEquals(1, partition.nextOffset());
        appender.append(new byte[] {2});
        List<Long> offsets = new ArrayList<>();
        try (Tailer tailer = partition.openTailer()) {
            drain(tailer, offsets);
            assertEquals(List.of(0L, 1L), offsets);
        }
    }

    @Test
    void shouldRefuseToDecompressAHugeSnappyBlockToCountItsRecords() throws IOException {
        byte[] block = org.xerial.snappy.Snappy.compress(new byte[9 << 20]);
        ByteBuffer dense = batch(Compression.SNAPPY, 100_000, block);

        InvalidBatchException e =
                assertThrows(
                        InvalidBatchException.class,
                        () -> HostedAppender.of(appender).appendBatch(dense));

        assertTrue(e.getMessage().contains("a block of it takes"), e.getMessage());
    }

    /** Clients on librdkafka send all records in one block, without the header of Java's. */
    @Test
    void shouldDecompressALargeSnappyBlockWithoutAHeader() throws IOException {
        byte[] bytes = new byte[3 << 20];
        new Random(1).nextBytes(bytes);
        byte[] block = org.xerial.snappy.Snappy.compress(bytes);
        try (InputStream in =
                Codecs.openSmall(Compression.SNAPPY, ByteBuffer.wrap(block), 4 << 20)) {
            assertArrayEquals(bytes, in.readAllBytes());
        }
    }

    @SeededTest
    void shouldContinueReadingAfterAnyBatch(long seed) {
        Random random = new Random(seed);
        List<Long> whole = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            Compression codec = Compression.values()[1 + random.nextInt(4)];
            int[] deltas = random.ints(random.nextInt(6), -2, 8).toArray();
            byte[] payload = compressed(codec, records(deltas));
            for (int flips = random.nextInt(3); flips > 0; flips--) {
                payload[random.nextInt(payload.length)] ^= (byte) (1 << random.nextInt(8));
            }
            HostedAppender.of(appender).appendBatch(batch(codec, 1 + random.nextInt(6), payload));
            whole.add(appender.append(new byte[] {1}));
        }
        List<Long> offsets = new ArrayList<>();
        try (Tailer tailer = partition.openTailer()) {
            while (tailer.offset() < partition.nextOffset()) {
                try {
                    drain(tailer, offsets);
                } catch (DamagedRangeException e) {
                    assertTrue(e.toOffset() > tailer.offset(), e.getMessage());
                    assertTrue(e.fromOffset() <= tailer.offset(), e.getMessage());
                    tailer.seek(e.toOffset());
                }
            }
        }
        assertEquals(offsets.stream().distinct().sorted().toList(), offsets, "not ascending");
        assertTrue(offsets.containsAll(whole), "whole records are missing");
    }

    private void assertLost(ByteBuffer batch, int count, String why) {
        long before = appender.append(new byte[] {1});
        long lost = HostedAppender.of(appender).appendBatch(batch);
        long after = appender.append(new byte[] {2});
        assertEquals(before + 1, lost);
        assertEquals(lost + count, after);

        List<Long> offsets = new ArrayList<>();
        try (Tailer tailer = partition.openTailer()) {
            tailer.seek(before);
            DamagedRangeException e =
                    assertThrows(DamagedRangeException.class, () -> drain(tailer, offsets));
            assertEquals(List.of(before), offsets);
            assertEquals(lost, e.fromOffset());
            assertEquals(after, e.toOffset());
            assertTrue(e.getMessage().contains(why), e.getMessage());
            tailer.seek(e.toOffset());
            drain(tailer, offsets);
        }
        assertEquals(List.of(before, after), offsets);
    }

    private static void drain(Tailer tailer, List<Long> offsets) {
        int taken;
        do {
            taken =
                    tailer.poll(
                            record -> {
                                offsets.add(record.offset());
                                return Action.CONTINUE;
                            },
                            10);
        } while (taken > 0);
    }

    /** Records without anything, with these offsets. */
    private static byte[] records(int... offsetDeltas) {
        byte[] bytes = new byte[offsetDeltas.length * 20];
        int at = 0;
        for (int delta : offsetDeltas) {
            at = Varint.put(bytes, at, 5 + Varint.size(delta));
            at += 2; // attributes, timestamp
            at = Varint.put(bytes, at, delta);
            at = Varint.put(bytes, at, -1); // key
            at = Varint.put(bytes, at, -1); // value
            at++; // headers
        }
        return Arrays.copyOf(bytes, at);
    }

    private static byte[] compressed(Compression codec, byte[] records) {
        Scratch target = new Scratch(100);
        Codecs.compress(codec, records, 0, records.length, target);
        return Arrays.copyOf(target.bytes(), target.length());
    }

    /** A batch that says it has so many records, compressed into these bytes. */
    private static ByteBuffer batch(Compression codec, int count, byte[] payload) {
        ByteBuffer batch = ByteBuffer.allocate(BatchFormat.HEADER_LENGTH + payload.length);
        ByteBuffer header = KafkaBatches.of(Compression.NONE).encode(null, null);
        batch.put(header.limit(BatchFormat.HEADER_LENGTH)).put(payload).flip();
        batch.putInt(BatchFormat.LENGTH, batch.limit() - BatchFormat.LENGTH_OVERHEAD);
        batch.putShort(BatchFormat.ATTRIBUTES, (short) codec.id());
        batch.putInt(BatchFormat.COUNT, count).putInt(BatchFormat.LAST_OFFSET_DELTA, count - 1);
        CRC32C crc = new CRC32C();
        crc.update(batch.duplicate().position(BatchFormat.ATTRIBUTES));
        return batch.putInt(BatchFormat.CRC, (int) crc.getValue());
    }
}
