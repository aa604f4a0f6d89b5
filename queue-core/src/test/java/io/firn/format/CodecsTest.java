package io.firn.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Compression;
import io.firn.kafka.KafkaBatches;
import io.firn.kafka.RandomRecords;
import io.firn.kafka.SeededTest;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class CodecsTest {
    private static final int MAX_BYTES = 1 << 20;
    private static final int[] SIZES = {0, 1, 100, 32_767, 32_768, 65_536, 65_537, MAX_BYTES};

    @ParameterizedTest
    @EnumSource
    void shouldReadWhatItWrote(Compression codec) throws IOException {
        RandomRecords random = new RandomRecords(11);
        for (int size : SIZES) {
            byte[] bytes = random.bytes(size);

            assertArrayEquals(bytes, decompress(codec, compress(codec, bytes), MAX_BYTES));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldWriteWhatKafkaReads(Compression codec) throws IOException {
        RandomRecords random = new RandomRecords(12);
        for (int size : SIZES) {
            byte[] bytes = random.bytes(size);
            ByteBuffer compressed = ByteBuffer.wrap(compress(codec, bytes));
            try (InputStream in =
                    KafkaBatches.compression(codec)
                            .wrapForInput(
                                    compressed,
                                    RecordBatch.CURRENT_MAGIC_VALUE,
                                    BufferSupplier.NO_CACHING)) {
                assertArrayEquals(bytes, in.readAllBytes());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldReadWhatKafkaWrites(Compression codec) throws IOException {
        RandomRecords random = new RandomRecords(13);
        for (int size : SIZES) {
            byte[] bytes = random.bytes(size);

            assertArrayEquals(bytes, decompress(codec, kafka(codec, bytes), MAX_BYTES));
        }
    }

    @Test
    void shouldAppendToWhatIsThere() {
        Scratch target = new Scratch(1);
        target.ensure(3)[2] = 42;
        target.length(3);
        Codecs.compress(Compression.NONE, new byte[] {7, 8, 9, 10}, 1, 2, target);

        assertArrayEquals(
                new byte[] {0, 0, 42, 8, 9}, Arrays.copyOf(target.bytes(), target.length()));
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void shouldRefuseMoreBytesThanTheLimit(Compression codec) {
        byte[] bomb = compress(codec, new byte[64 << 20]);
        assertTrue(bomb.length < 4 << 20, codec + " needs " + bomb.length);
        ReadMemory memory = new ReadMemory(2 * MAX_BYTES, MAX_BYTES);

        String message =
                assertThrows(IOException.class, () -> decompress(codec, bomb, memory)).getMessage();
        assertTrue(message.contains("more than " + MAX_BYTES + " bytes"), message);
        assertTrue(memory.mostUsed() <= 2 * MAX_BYTES, "took " + memory.mostUsed());
    }

    @ParameterizedTest
    @EnumSource
    void shouldTakeAsManyBytesAsTheLimit(Compression codec) throws IOException {
        byte[] bytes = new byte[1_000];
        byte[] compressed = compress(codec, bytes);

        assertArrayEquals(bytes, decompress(codec, compressed, 1_000));
        assertThrows(IOException.class, () -> decompress(codec, compressed, 999));
    }

    /** A few bytes that announce gigabytes must not make us ask for them. */
    @Test
    void shouldNotBelieveASnappyBlockThatAnnouncesMoreThanTheLimit() {
        byte[] small = compress(Compression.SNAPPY, new byte[100]);
        // Behind header and block length: the length of what comes out, seven bits a byte.
        byte[] huge = {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 7};
        byte[] bomb = Arrays.copyOf(small, small.length + huge.length - 1);
        System.arraycopy(small, 21, bomb, 20 + huge.length, small.length - 21);
        System.arraycopy(huge, 0, bomb, 20, huge.length);
        ByteBuffer.wrap(bomb).putInt(16, bomb.length - 20);

        String message =
                assertThrows(
                                IOException.class,
                                () -> decompress(Compression.SNAPPY, bomb, MAX_BYTES))
                        .getMessage();
        assertTrue(message.contains("more than " + MAX_BYTES + " bytes"), message);

        byte[] bare = Arrays.copyOfRange(bomb, 20, bomb.length);
        assertThrows(IOException.class, () -> decompress(Compression.SNAPPY, bare, MAX_BYTES));
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void shouldNotTakeACutStreamForAWholeOne(Compression codec) throws IOException {
        byte[] bytes = new RandomRecords(14).bytes(100_000);
        byte[] compressed = compress(codec, bytes);
        int[] lengths = {1, 5, 15, 17, 100, compressed.length / 2, compressed.length - 5};
        for (int length : lengths) {
            byte[] cut = Arrays.copyOf(compressed, length);
            byte[] found;
            try {
                found = decompress(codec, cut, MAX_BYTES);
            } catch (IOException e) {
                continue;
            }
            // Snappy's frames have no end mark: whole blocks are all that can be asked of it.
            assertEquals(Compression.SNAPPY, codec);
            assertArrayEquals(Arrays.copyOf(bytes, found.length), found);
            assertTrue(found.length < bytes.length);
        }
    }

    /** Damage is an IOException, whatever the library throws; nothing else may come out. */
    @SeededTest
    void shouldTellDamageFromEverythingElse(long seed) {
        RandomRecords random = new RandomRecords(seed);
        Random numbers = random.random();
        for (Compression codec : Compression.values()) {
            int refused = 0;
            for (int round = 0; round < 500; round++) {
                byte[] compressed = kafka(codec, random.bytes(numbers.nextInt(3_000)));
                for (int i = numbers.nextInt(3); i >= 0; i--) {
                    // The headers matter most.
                    int bound = numbers.nextBoolean() ? 40 : compressed.length;
                    int at = numbers.nextInt(Math.min(bound, compressed.length) + 1);
                    if (at < compressed.length) {
                        compressed[at] ^= (byte) (1 << numbers.nextInt(8));
                    }
                }
                try {
                    decompress(codec, compressed, MAX_BYTES);
                } catch (IOException e) {
                    refused++;
                }
            }
            assertTrue(codec == Compression.NONE || refused > 0, codec + " refused nothing");
        }
    }

    private static byte[] compress(Compression codec, byte[] bytes) {
        Scratch target = new Scratch(16);
        Codecs.compress(codec, bytes, 0, bytes.length, target);
        return Arrays.copyOf(target.bytes(), target.length());
    }

    private static byte[] kafka(Compression codec, byte[] bytes) {
        ByteBufferOutputStream target = new ByteBufferOutputStream(bytes.length + 100);
        try (OutputStream out =
                KafkaBatches.compression(codec)
                        .wrapForOutput(target, RecordBatch.CURRENT_MAGIC_VALUE)) {
            out.write(bytes);
        } catch (IOException e) {
            throw new AssertionError("in memory", e);
        }
        ByteBuffer written = target.buffer().flip();
        byte[] compressed = new byte[written.remaining()];
        written.get(compressed);
        return compressed;
    }

    private static byte[] decompress(Compression codec, byte[] compressed, int maxBytes)
            throws IOException {
        return decompress(codec, compressed, new ReadMemory(2L * maxBytes, maxBytes));
    }

    private static byte[] decompress(Compression codec, byte[] compressed, ReadMemory memory)
            throws IOException {
        ReadBuffer buffer = new ReadBuffer(memory, () -> {});
        buffer.hold();
        ByteBuffer source = ByteBuffer.wrap(compressed);
        if (buffer.fill(codec, source, 0, compressed.length) == ReadMemory.Grant.TOO_LARGE) {
            throw new IOException("more than " + memory.largest() + " bytes");
        }
        byte[] bytes = new byte[buffer.length()];
        buffer.bytes().get(0, bytes);
        return bytes;
    }
}
