package io.firn.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Compression;
import io.firn.format.ReadMemory.Grant;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class ReadMemoryTest {
    private static final int LIMIT = 32 << 20;
    private static final int LARGE = 9 << 20;

    private final ReadMemory memory = new ReadMemory(LIMIT, 128 << 20, 1);
    private final AtomicInteger taken = new AtomicInteger();

    private static ByteBuffer compressed(Compression codec, byte[] bytes) {
        Scratch target = new Scratch(100);
        Codecs.compress(codec, bytes, 0, bytes.length, target);
        ByteBuffer source = ByteBuffer.allocateDirect(target.length() + 7);
        return source.put(3, target.bytes(), 0, target.length()).limit(target.length() + 3);
    }

    private ReadBuffer buffer() {
        return new ReadBuffer(memory, taken::incrementAndGet);
    }

    private static Grant fill(ReadBuffer buffer, Compression codec, ByteBuffer source)
            throws IOException {
        return buffer.fill(codec, source, 3, source.limit() - 3);
    }

    private static byte[] content(ReadBuffer buffer) {
        byte[] bytes = new byte[buffer.length()];
        buffer.bytes().get(0, bytes);
        return bytes;
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void shouldDecompressBatchesOfEverySizeInOneBuffer(Compression codec) throws IOException {
        ReadBuffer buffer = buffer();
        buffer.hold();
        int[] lengths = {0, 1, 5_000, 100, LARGE, 1 << 20, (1 << 20) + 1, 16 << 20, 3, 200_000};
        for (int length : lengths) {
            byte[] bytes = length % 2 == 0 ? new byte[length] : random(length);
            assertEquals(Grant.GRANTED, fill(buffer, codec, compressed(codec, bytes)));
            assertTrue(Arrays.equals(bytes, content(buffer)), codec + " of " + length);
            assertTrue(memory.used() >= length, memory.used() + " of " + length);
        }
        buffer.clear();
        assertEquals(0, memory.used());
        assertTrue(memory.mostUsed() <= LIMIT);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void shouldRefuseWhatIsLargerThanHalfOfTheLimit(Compression codec) throws IOException {
        ReadBuffer buffer = buffer();
        buffer.hold();
        ByteBuffer source = compressed(codec, new byte[LIMIT / 2 + 1]);

        assertEquals(Grant.TOO_LARGE, fill(buffer, codec, source));

        assertEquals(-1, buffer.length());
        buffer.clear();
        assertEquals(0, memory.used());
        assertTrue(memory.mostUsed() <= LIMIT);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void shouldGiveBackWhatWasTakenForABatchThatIsDamaged(Compression codec) throws IOException {
        ByteBuffer source = compressed(codec, random(LARGE));
        for (int end = source.limit() - 1; end > 1000; end /= 3) {
            source.limit(end);
            ReadBuffer buffer = buffer();
            buffer.hold();
            try {
                fill(buffer, codec, source);
            } catch (IOException e) {
                assertTrue(e.getMessage().startsWith(codec + " stream is damaged"), e.toString());
            }
            buffer.clear();
            assertEquals(0, memory.used());
        }
    }

    @Test
    void shouldTakeFromTheBufferThatWasReadLeastRecently() throws IOException {
        ByteBuffer source = compressed(Compression.ZSTD, new byte[LARGE]);
        List<ReadBuffer> buffers = List.of(buffer(), buffer(), buffer(), buffer());
        for (ReadBuffer each : buffers.subList(0, 3)) {
            each.hold();
            assertEquals(Grant.GRANTED, fill(each, Compression.ZSTD, source));
            each.letGo();
        }
        buffers.get(0).hold();
        buffers.get(0).letGo();
        int before = taken.get();
        buffers.get(3).hold();
        assertEquals(Grant.GRANTED, fill(buffers.get(3), Compression.ZSTD, source));

        List<Integer> lengths = new ArrayList<>();
        buffers.forEach(each -> lengths.add(each.length()));
        assertEquals(LARGE, lengths.get(3));
        assertEquals(-1, lengths.get(1), "the one that was read least recently: " + lengths);
        assertTrue(taken.get() > before);
        assertTrue(memory.mostUsed() <= LIMIT);
    }

    @Test
    void shouldTakeNothingThatIsHeld() throws IOException {
        ByteBuffer source = compressed(Compression.GZIP, new byte[LARGE]);
        List<ReadBuffer> held = List.of(buffer(), buffer(), buffer());
        for (ReadBuffer each : held) {
            each.hold();
            assertEquals(Grant.GRANTED, fill(each, Compression.GZIP, source));
        }
        ReadBuffer other = buffer();
        other.hold();
        assertEquals(Grant.BUSY, fill(other, Compression.GZIP, source));

        held.forEach(each -> assertEquals(LARGE, each.length()));
        held.get(1).letGo();
        assertEquals(Grant.GRANTED, fill(other, Compression.GZIP, source));
        assertEquals(-1, held.get(1).length());
    }

    @Test
    void shouldGiveBackWhatIsClosedAtOnceOrWhenItIsLetGo() throws IOException {
        ByteBuffer source = compressed(Compression.LZ4, new byte[1000]);
        ReadBuffer free = buffer();
        ReadBuffer held = buffer();
        for (ReadBuffer each : List.of(free, held)) {
            each.hold();
            fill(each, Compression.LZ4, source);
        }
        free.letGo();
        long both = memory.used();

        free.close();
        held.close();

        assertEquals(both / 2, memory.used());
        assertEquals(1000, held.length());
        held.letGo();
        assertEquals(0, memory.used());
    }

    @Test
    void shouldEndAWaitThatTakesTooLong() throws Exception {
        ReadBuffer held = buffer();
        held.hold();
        assertEquals(Grant.GRANTED, memory.take(LIMIT, null));
        ReadBuffer other = buffer();
        other.hold();
        ByteBuffer source = compressed(Compression.ZSTD, new byte[1000]);

        assertEquals(Grant.BUSY, fill(other, Compression.ZSTD, source));

        memory.give(LIMIT);
        assertEquals(Grant.GRANTED, fill(other, Compression.ZSTD, source));
        assertEquals(1000, other.length());
    }

    @Test
    void shouldStayWithinTheLimitWithManyThreads() throws Exception {
        List<Thread> threads = new ArrayList<>();
        ReadMemory shared = new ReadMemory(LIMIT, LIMIT);
        AtomicInteger good = new AtomicInteger();
        ByteBuffer[] sources = new ByteBuffer[5];
        for (Compression codec : Compression.values()) {
            if (codec != Compression.NONE) {
                sources[codec.ordinal()] = compressed(codec, new byte[LARGE + codec.ordinal()]);
            }
        }
        for (int i = 0; i < 8; i++) {
            Compression codec = Compression.values()[1 + i % 4];
            Thread thread =
                    new Thread(
                            () -> {
                                ReadBuffer own = new ReadBuffer(shared, () -> {});
                                for (int round = 0; round < 5; round++) {
                                    own.hold();
                                    try {
                                        Grant grant = fill(own, codec, sources[codec.ordinal()]);
                                        if (grant == Grant.GRANTED
                                                && own.length() == LARGE + codec.ordinal()) {
                                            good.incrementAndGet();
                                        }
                                    } catch (IOException e) {
                                        throw new IllegalStateException(e);
                                    }
                                    own.letGo();
                                }
                                own.close();
                            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(40, good.get());
        assertEquals(0, shared.used());
        assertTrue(shared.mostUsed() <= LIMIT);
    }
}
