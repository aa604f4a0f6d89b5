package io.firn.pmem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.spi.Block;
import io.firn.spi.BlockReader;
import io.firn.spi.BlockReader.BlockReusedException;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** A reader of the only block of a pool, which its writer, another process, may reuse. */
class CopyingReaderTest {
    private static final int LENGTH = 5000;

    @TempDir private Path directory;
    private PmemTier writing;
    private PmemTier reading;
    private Block written;
    private Block seen;
    private View view;
    private BlockReader reader;

    @BeforeEach
    void open() throws IOException {
        writing = Pools.open(Pools.withBlocks(1, directory));
        written = Pools.fill(Pools.reserve(writing, 42), LENGTH);
        reading = Pools.openReadOnly(Pools.withBlocks(1, directory));
        seen = reading.list().get(0);
        view = seen.view();
        assertTrue(view.pin());
        reader = seen.reader();
    }

    @AfterEach
    void close() throws IOException {
        view.unpin();
        reading.close();
        writing.close();
    }

    /** Stores another segment into the block, at first without its mark. */
    private void reuse() throws IOException {
        written.delete();
        Block other = Pools.reserve(writing, 43);
        other.memory().put(0, Pools.bytes(43, LENGTH));
    }

    private static byte[] stored(int from, int to) {
        return Arrays.copyOfRange(Pools.bytes(42, LENGTH), from, to);
    }

    private static byte[] bytes(ByteBuffer buffer, int length) {
        byte[] bytes = new byte[length];
        buffer.get(0, bytes);
        return bytes;
    }

    private void assertReused(Executable read) {
        BlockReusedException e = assertThrows(BlockReusedException.class, read);
        assertTrue(e.getMessage().startsWith(seen.name() + " was reused"), e.getMessage());
    }

    @Test
    void shouldShowACopyInABufferThatItKeeps() {
        ByteBuffer first = reader.bytes(view, 1000, 2000);
        assertArrayEquals(stored(1000, 3000), bytes(first, 2000));

        ByteBuffer second = reader.bytes(view, 4990, 10);

        assertSame(first, second);
        assertArrayEquals(stored(4990, 5000), bytes(second, 10));
        ByteBuffer longer = reader.bytes(view, 0, LENGTH);
        assertArrayEquals(stored(0, LENGTH), bytes(longer, LENGTH));
        assertSame(longer, reader.bytes(view, 0, LENGTH));
        assertFalse(reader.isInPlace());
    }

    @Test
    void shouldShowTheBytesInPlaceInTheProcessThatWrites() throws IOException {
        BlockReader own = written.reader();
        View mine = written.view();
        assertTrue(mine.pin());

        assertSame(BlockReader.IN_PLACE, own);
        assertSame(mine.buffer(), own.bytes(mine, 1000, 2000));
        mine.unpin();
    }

    @Test
    void shouldRefuseWhatWasReadAfterTheBlockWasReused() throws IOException {
        ByteBuffer copy = reader.bytes(view, 0, LENGTH);
        ByteBuffer slice = reader.slice(view, 100, 200);
        reader.confirm();

        reuse();

        assertReused(() -> reader.confirm());
        assertArrayEquals(stored(0, LENGTH), bytes(copy, LENGTH));
        assertReused(() -> reader.bytes(view, 0, 1));
        assertReused(() -> reader.slice(view, 0, 1));
        assertReused(() -> seen.reader().bytes(view, 0, 0));
        assertArrayEquals(stored(100, 300), bytes(slice, slice.remaining()));
        assertTrue(slice.isReadOnly());
    }

    @Test
    void shouldRefuseWhatWasReadThroughTheFileAfterTheBlockWasReused() throws IOException {
        byte[] read = new byte[LENGTH];
        assertEquals(LENGTH, seen.read(0, read, 0, LENGTH));
        assertArrayEquals(stored(0, LENGTH), read);

        reuse();

        assertReused(() -> seen.read(0, read, 0, LENGTH));
    }

    @Test
    void shouldStayRefusedOnceTheBlockIsFreeAndListedAgain() throws IOException {
        written.delete();
        assertReused(() -> reader.bytes(view, 0, LENGTH));

        reuse();
        reading.list();

        assertReused(() -> reader.confirm());
        assertReused(() -> reader.bytes(view, 0, LENGTH));
        assertThrows(NoSuchFileException.class, () -> seen.view());
        assertThrows(NoSuchFileException.class, () -> seen.read(0, new byte[1], 0, 1));
    }
}
