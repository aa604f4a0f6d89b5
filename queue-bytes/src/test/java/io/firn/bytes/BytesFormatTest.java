package io.firn.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.nio.BufferOverflowException;
import java.nio.BufferUnderflowException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import net.openhft.chronicle.bytes.Bytes;
import org.junit.jupiter.api.Test;

/** Chronicle's own bytes on the heap are the model. */
class BytesFormatTest {
    private final Random random = new Random(5);
    private final GrowingBytes ours = new GrowingBytes();
    private final Bytes<?> model = Bytes.allocateElasticOnHeap(64);

    private void both(Consumer<Bytes<?>> action) {
        action.accept(ours);
        action.accept(model);
        assertArrayEquals(written(model), written(ours));
    }

    private static byte[] written(Bytes<?> bytes) {
        byte[] all = new byte[(int) bytes.writePosition()];
        bytes.read(0, all, 0, all.length);
        return all;
    }

    private void same(Function<Bytes<?>, Object> read) {
        assertEquals(read.apply(model), read.apply(ours));
        assertEquals(model.readPosition(), ours.readPosition());
        assertEquals(model.readRemaining(), ours.readRemaining());
    }

    @Test
    void shouldEncodeNumbersAsChronicleDoes() {
        for (int i = 0; i < 200; i++) {
            long value = random.nextLong() >> random.nextInt(64);
            both(b -> b.writeLong(value).writeInt((int) value).writeShort((short) value));
            both(b -> b.writeByte((byte) value).writeDouble(value / 7.0).writeFloat(value / 7f));
            both(b -> b.writeStopBit(value).writeStopBit((char) value).writeChar((char) value));
            both(b -> b.writeUnsignedByte((int) (value & 0xff)));
            both(b -> b.writeUnsignedShort((int) (value & 0xffff)));
            both(b -> b.writeUnsignedInt(value & 0xffff_ffffL).writeInt24((int) value >> 8));
            both(b -> b.writeBoolean((value & 1) == 0));
            same(b -> List.of(b.readLong(), b.readInt(), b.readShort(), b.readByte()));
            same(b -> List.of(b.readDouble(), b.readFloat()));
            same(b -> List.of(b.readStopBit(), b.readStopBitChar(), b.readChar()));
            same(b -> List.of(b.readUnsignedByte(), b.readUnsignedShort(), b.readUnsignedInt()));
            same(b -> List.of(b.readInt24(), b.readBoolean()));
        }
        for (long value : new long[] {0, -1, 1, 127, 128, -128, Long.MAX_VALUE, Long.MIN_VALUE}) {
            both(b -> b.writeStopBit(value));
            same(Bytes::readStopBit);
        }
    }

    @Test
    void shouldEncodeTextAsChronicleDoes() {
        String long300 = "x".repeat(300);
        for (String text :
                new String[] {"", "plain", "grün", "漢字", "😀", "\u0000", long300, null}) {
            both(b -> b.writeUtf8(text));
            both(b -> b.writeUtf8((CharSequence) text));
            same(b -> "" + b.readUtf8());
            StringBuilder builder = new StringBuilder("before");
            same(b -> b.readUtf8(builder) + ":" + builder);
        }
        for (String text : new String[] {"", "plain", "grün", long300, null}) {
            both(b -> b.write8bit(text));
            both(b -> b.write8bit((CharSequence) text));
            same(b -> "" + b.read8bit());
            StringBuilder builder = new StringBuilder("before");
            same(b -> b.read8bit(builder) + ":" + builder);
        }
        both(b -> b.write8bit("abcdef", 1, 3));
        same(b -> b.read8bit());
        both(b -> b.writeEnum(TimeUnit.DAYS));
        same(b -> b.readEnum(TimeUnit.class));
        both(b -> b.writeBigDecimal(new BigDecimal("-12345678901234567890.25")));
        same(b -> b.readBigDecimal());
    }

    @Test
    void shouldMoveAsChronicleDoes() {
        byte[] bytes = new byte[50];
        random.nextBytes(bytes);
        both(b -> b.write(bytes).write(bytes, 3, 20));
        both(b -> b.writePosition(60).writeLong(8, 7).writeInt(20, 5).writeSkip(4));
        same(b -> b.readSkip(8).readLong());
        same(b -> b.readPosition(20).readInt());
        same(b -> b.readLong(8));
        same(b -> b.peekUnsignedByte());
        same(
                b -> {
                    byte[] part = new byte[100];
                    return b.read(part) + " " + part[0] + part[30];
                });
        same(b -> b.read(new byte[1]));
        both(b -> b.clear());
        both(b -> b.writeInt(1));
        same(b -> b.readLimit(2).readShort());
        for (Bytes<?> b : List.of(ours, model)) {
            assertThrows(BufferUnderflowException.class, () -> b.readSkip(1));
        }
    }

    @Test
    void shouldRefuseToReadWhatIsNotThereUnlessLenient() {
        ours.writeInt(1);
        assertThrows(BufferUnderflowException.class, ours::readLong);
        assertThrows(BufferUnderflowException.class, () -> ours.readLong(0));
        assertThrows(BufferUnderflowException.class, () -> ours.readInt(-1));
        assertThrows(BufferUnderflowException.class, () -> ours.readInt(Long.MAX_VALUE));
        assertEquals(0, ours.readPosition(), "nothing was taken");
        ours.clear().writeStopBit(1000).writeByte((byte) 'x');
        assertThrows(BufferUnderflowException.class, ours::readUtf8);
        ours.clear().writeInt(1);
        ours.lenient(true);
        assertEquals(0, ours.readLong());
        assertEquals(0, ours.readInt() + ours.readByte() + ours.readShort());
        assertEquals(0, ours.readStopBit());
        assertNull(ours.readUtf8());
        assertNull(ours.read8bit());
    }

    @Test
    void shouldGrowAsItIsWrittenUpToItsLimit() {
        for (int i = 0; i < 10_000; i++) {
            ours.writeLong(i);
        }
        assertEquals(80_000, ours.writePosition());
        assertEquals(9_999, ours.readLong(79_992));
        ours.clear().writeLimit(10);
        ours.writeLong(1);
        assertThrows(BufferOverflowException.class, () -> ours.writeInt(1));
        assertThrows(BufferOverflowException.class, () -> ours.writeByte(11, (byte) 1));
        assertThrows(UnsupportedOperationException.class, () -> ours.addressForRead(0));
        assertTrue(ours.isElastic());
    }
}
