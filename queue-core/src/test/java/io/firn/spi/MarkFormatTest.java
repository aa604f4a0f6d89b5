package io.firn.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.medium.FileErrors.UnsupportedVersionException;
import io.firn.spi.Mark.SegmentState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** The bytes of marks, with and without a generation. */
class MarkFormatTest {
    private static final UUID TOPIC = new UUID(0x0102030405060708L, 0x090a0b0c0d0e0f10L);
    private static final int VERSION = 8;
    private static final int FIRST_CRC = 80;

    private static Mark mark() {
        return new Mark(SegmentState.SEALED, TOPIC, 7, 42, 1000, 5000, 1010, 77, 3);
    }

    private static Mark rewritten() {
        return mark().sealed(42, 1000, 4000, 1010, 77).inGeneration(5, 123_456_789_012L);
    }

    private static int crc(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    @Test
    void shouldKeepTheBytesOfVersionOneWithoutAGeneration() throws IOException {
        byte[] bytes = MarkFormat.encode(mark());

        String expected =
                "4649524e4d41524b" // FIRNMARK
                        + "00000001"
                        + "00000003"
                        + "0000000000000003"
                        + "0102030405060708090a0b0c0d0e0f10"
                        + "00000007"
                        + "00001388"
                        + "000000000000002a"
                        + "00000000000003e8"
                        + "00000000000003f2"
                        + "000000000000004d";
        assertEquals(
                expected + String.format("%08x", crc(bytes, FIRST_CRC)),
                HexFormat.of().formatHex(bytes));
        assertEquals(mark(), MarkFormat.decode(bytes, 0));
    }

    @Test
    void shouldReadBackAGeneration() throws IOException {
        byte[] bytes = MarkFormat.encode(rewritten());

        assertEquals(rewritten(), MarkFormat.decode(bytes, 0));
        byte[] inSlot = Arrays.copyOf(bytes, 4096);
        assertEquals(rewritten(), MarkFormat.decode(inSlot, 0));
        assertEquals(rewritten().generation(), rewritten().sealed(1, 2, 3, 4, 5).generation());
    }

    @Test
    void shouldBeRefusedAndNotTakenForDamagedByAFirnThatKnowsNoGenerations() {
        byte[] bytes = MarkFormat.encode(rewritten());
        ByteBuffer buffer = ByteBuffer.wrap(bytes);

        // It compares the first checksum, and then the version with 1.
        assertEquals(crc(bytes, FIRST_CRC), buffer.getInt(FIRST_CRC));
        assertEquals(2, buffer.getInt(VERSION));
    }

    @Test
    void shouldRefuseANewerVersion() {
        byte[] bytes = MarkFormat.encode(rewritten());
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        buffer.putInt(VERSION, MarkFormat.VERSION + 1).putInt(FIRST_CRC, crc(bytes, FIRST_CRC));

        assertThrows(UnsupportedVersionException.class, () -> MarkFormat.decode(bytes, 0));
    }

    @Test
    void shouldNotReadAMarkWithAFlippedBitOrWithoutItsEnd() throws IOException {
        for (Mark mark : new Mark[] {mark(), rewritten()}) {
            byte[] bytes = MarkFormat.encode(mark);
            for (int bit = 0; bit < bytes.length * Byte.SIZE; bit++) {
                bytes[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
                assertNull(MarkFormat.decode(bytes, 0), "bit " + bit);
                bytes[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            }
            for (int length = 0; length < bytes.length; length++) {
                assertNull(MarkFormat.decode(Arrays.copyOf(bytes, length), 0), "length " + length);
            }
        }
    }
}
