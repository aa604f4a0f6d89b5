package io.firn.pmem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.firn.medium.FileErrors.UnsupportedVersionException;
import io.firn.pmem.BlockEntry.Extent;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** The bytes of block entries, with and without a generation. */
class BlockEntryTest {
    private static final UUID POOL = new UUID(7, 8);
    private static final UUID TOPIC = new UUID(0x0102030405060708L, 0x090a0b0c0d0e0f10L);
    private static final int BLOCK = 5;
    private static final int VERSION = 8;
    private static final int CRC = 124;
    private static final Mark MARK =
            new Mark(SegmentState.SEALED, TOPIC, 7, 42, 1000, 5000, 1010, 77, 3);

    private static BlockEntry entry(Mark mark) {
        return new BlockEntry(
                9, 8, mark, 42, 60_000, true, Extent.of(new byte[] {1}), Extent.of(new byte[] {2}));
    }

    private static BlockEntry rewritten() {
        Mark mark = MARK.sealed(42, 1000, 4000, 1010, 77).inGeneration(5, 123_456_789_012L);
        return entry(mark).with(Extent.of(new byte[] {1}), Extent.NONE);
    }

    private static int crc(byte[] slot) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(20).putLong(7).putLong(8).putInt(BLOCK).flip());
        crc.update(slot, 0, CRC);
        return (int) crc.getValue();
    }

    @Test
    void shouldKeepTheBytesOfVersionOneWithoutAGeneration() throws IOException {
        byte[] slot = entry(MARK).encode(POOL, BLOCK);

        String expected =
                "4649524e424c4f4b" // FIRNBLOK
                        + "00000001"
                        + "00000003"
                        + "0000000000000009"
                        + "0000000000000008"
                        + "0102030405060708090a0b0c0d0e0f10"
                        + "00000007"
                        + "00001388"
                        + "000000000000002a"
                        + "00000000000003e8"
                        + "00000000000003f2"
                        + "000000000000004d"
                        + "0000000000000003"
                        + "0000ea60"
                        + "00000001"
                        + String.format("00000001%08x", Extent.of(new byte[] {1}).crc())
                        + String.format("00000001%08x", Extent.of(new byte[] {2}).crc())
                        + "00000000"
                        + String.format("%08x", crc(slot));
        assertEquals(expected, HexFormat.of().formatHex(slot));
        assertEquals(entry(MARK), BlockEntry.decode(slot, POOL, BLOCK));
        BlockEntry free = BlockEntry.neverUsed();
        assertEquals(free, BlockEntry.decode(free.encode(POOL, BLOCK), POOL, BLOCK));
    }

    @Test
    void shouldReadBackAGeneration() throws IOException {
        byte[] slot = rewritten().encode(POOL, BLOCK);

        assertEquals(BlockEntry.SLOT_BYTES, slot.length);
        assertEquals(rewritten(), BlockEntry.decode(slot, POOL, BLOCK));
    }

    @Test
    void shouldBeRefusedByAFirnThatKnowsNoGenerations() throws IOException {
        byte[] slot = rewritten().encode(POOL, BLOCK);

        // It compares the checksum, which covers the same bytes, and then the version with 1.
        assertEquals(crc(slot), ByteBuffer.wrap(slot).getInt(CRC));
        assertEquals(2, ByteBuffer.wrap(slot).getInt(VERSION));

        ByteBuffer.wrap(slot).putInt(VERSION, BlockEntry.VERSION + 1);
        ByteBuffer.wrap(slot).putInt(CRC, crc(slot));
        assertThrows(UnsupportedVersionException.class, () -> BlockEntry.decode(slot, POOL, BLOCK));
    }

    @Test
    void shouldDropIndexesInTheFormOfAnotherVersion() {
        Mark next = MARK.sealed(42, 1000, 5000, 1010, 77).inGeneration(1, 5);

        assertEquals(Extent.NONE, entry(MARK).marked(next).index());
        assertEquals(Extent.NONE, entry(MARK).marked(next).timeIndex());
        assertEquals(rewritten().index(), rewritten().marked(next).index());
        assertEquals(entry(MARK).index(), entry(MARK).marked(MARK).index());
    }

    @Test
    void shouldNotReadAnEntryWithAFlippedBit() throws IOException {
        byte[] slot = rewritten().encode(POOL, BLOCK);
        for (int bit = 0; bit < slot.length * Byte.SIZE; bit++) {
            byte[] flipped = slot.clone();
            flipped[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            assertNull(BlockEntry.decode(flipped, POOL, BLOCK), "bit " + bit);
        }
        assertArrayEquals(slot, rewritten().encode(POOL, BLOCK));
    }
}
