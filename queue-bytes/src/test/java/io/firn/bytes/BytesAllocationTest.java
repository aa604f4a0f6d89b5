package io.firn.bytes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.firn.Durability;
import io.firn.TopicOptions;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.function.IntConsumer;
import net.openhft.chronicle.bytes.BytesIn;
import net.openhft.chronicle.bytes.BytesMarshallable;
import net.openhft.chronicle.bytes.BytesOut;
import net.openhft.chronicle.bytes.ReadBytesMarshallable;
import net.openhft.chronicle.bytes.WriteBytesMarshallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Typed records leave no garbage: less than a byte per operation over very many. */
class BytesAllocationTest {
    private static final int OPERATIONS = 50_000;
    private static final int WARM_UP = 20_000;

    @TempDir private Path directory;

    interface Prices {
        void price(long id, double price, CharSequence symbol, Level level);

        void end(int day);
    }

    static final class Level implements BytesMarshallable {
        private int depth;

        @Override
        public void writeMarshallable(BytesOut<?> bytes) {
            bytes.writeStopBit(depth);
        }

        @Override
        public void readMarshallable(BytesIn<?> bytes) {
            depth = (int) bytes.readStopBit();
        }
    }

    private static void assertNoAllocation(IntConsumer operation) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int i = 0; i < WARM_UP; i++) {
            operation.accept(i);
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < OPERATIONS; i++) {
            operation.accept(i);
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertTrue(
                allocated < OPERATIONS,
                () -> allocated / (double) OPERATIONS + " bytes per operation");
    }

    @Test
    void shouldWriteAndReadWithoutAllocation() {
        TopicOptions options =
                TopicOptions.defaults()
                        .withDurability(Durability.WRITTEN)
                        .withSegmentBytes(8 << 20)
                        .withRetentionBytes(0);
        try (TestStore log = new TestStore(directory, options);
                BytesAppender appender = BytesAppender.of(log.partition.openExclusiveAppender());
                BytesTailer tailer = BytesTailer.of(log.partition.openTailer())) {
            StringBuilder symbol = new StringBuilder("grün");
            StringBuilder read = new StringBuilder();
            long[] sums = new long[2];
            WriteBytesMarshallable writer = b -> b.writeLong(sums[0]).writeUtf8(symbol);
            ReadBytesMarshallable reader =
                    b -> {
                        sums[1] += b.readLong();
                        b.readUtf8(read);
                    };
            byte[] key = new byte[4];
            assertNoAllocation(
                    i -> {
                        appender.write(writer);
                        appender.write(key, writer);
                        tailer.read(reader);
                        tailer.read(reader);
                    });
            assertEquals("grün", read.toString());

            Prices prices = appender.methodWriter(Prices.class);
            long[] seen = new long[1];
            MethodReader calls =
                    tailer.methodReader(
                            new Prices() {
                                @Override
                                public void price(
                                        long id, double price, CharSequence of, Level level) {
                                    seen[0] += id + (long) price + of.length() + level.depth;
                                }

                                @Override
                                public void end(int day) {
                                    seen[0] += day;
                                }
                            });
            Level level = new Level();
            level.depth = 300;
            assertNoAllocation(
                    i -> {
                        prices.price(i, 2.5, symbol, level);
                        prices.end(1);
                        calls.readOne();
                        calls.readOne();
                    });
            assertTrue(seen[0] > 300L * (OPERATIONS + WARM_UP));
        }
    }
}
