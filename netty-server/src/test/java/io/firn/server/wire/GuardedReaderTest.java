package io.firn.server.wire;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** When a request is refused while it is decoded. */
class GuardedReaderTest {
    private long nowNs;

    private void read(int fields, long nsPerField) {
        GuardedReader reader = new GuardedReader(ByteBuffer.allocate(fields), 1 << 20, () -> nowNs);
        for (int i = 0; i < fields; i++) {
            nowNs += nsPerField;
            reader.readByte();
        }
    }

    @Test
    void shouldCountAListAsMoreThanAField() {
        GuardedReader reader = new GuardedReader(ByteBuffer.allocate(10));
        reader.readByte();
        long field = reader.decodedBytes();
        reader.remaining(); // which is asked for before a list is made
        assertTrue(reader.decodedBytes() > 2 * field, reader.decodedBytes() + " bytes");
    }

    @Test
    void shouldReadManyFieldsThatAreQuicklyDecoded() {
        read(1 << 20, 100);
    }

    @Test
    void shouldRefuseFieldsThatTakeVeryLongToDecode() {
        BadRequestException e =
                assertThrows(BadRequestException.class, () -> read(100_000, 10_000));
        assertTrue(e.getMessage().contains("too long to decode"), e.getMessage());
    }
}
