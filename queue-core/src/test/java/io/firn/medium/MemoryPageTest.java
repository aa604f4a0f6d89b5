package io.firn.medium;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.medium.MediumFile.Mapping;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** The size of a page of memory, as the system says it. */
class MemoryPageTest {

    private static byte[] vector(long... words) {
        ByteBuffer bytes =
                ByteBuffer.allocate(words.length * Long.BYTES).order(ByteOrder.nativeOrder());
        bytes.asLongBuffer().put(words);
        return bytes.array();
    }

    @Test
    void shouldFindThePageSizeAmongWhatTheKernelSays() {
        assertEquals(65_536, MemoryPage.read(vector(33, 4096, 6, 65_536, 0, 0)));
        assertThrows(RuntimeException.class, () -> MemoryPage.read(vector(3, 6, 0, 0)));
    }

    @Test
    void shouldBeAWholeNumberOfSmallPages() {
        assertTrue(Mapping.PAGE >= 4096 && Mapping.PAGE % 4096 == 0, () -> "" + Mapping.PAGE);
    }
}
