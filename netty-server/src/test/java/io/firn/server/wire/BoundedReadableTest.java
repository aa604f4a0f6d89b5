package io.firn.server.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** When a request is refused while it is decoded. */
class BoundedReadableTest {
    private long nowNs;

    private BoundedReadable read(int fields, long nsPerField) {
        BoundedReadable reader =
                new BoundedReadable(ByteBuffer.allocate(fields), 1 << 20, () -> nowNs);
        for (int i = 0; i < fields; i++) {
            nowNs += nsPerField;
            reader.readByte();
        }
        return reader;
    }

    @Test
    void shouldCountAListAsMoreThanAField() {
        BoundedReadable reader = new BoundedReadable(ByteBuffer.allocate(10));
        reader.readByte();
        long field = reader.decodedBytes();
        reader.remaining(); // which is asked for before a list is made
        assertTrue(reader.decodedBytes() > 2 * field, reader.decodedBytes() + " bytes");
    }

    /** Kafka's messages ask how much remains after each number of tags, too. */
    @Test
    void shouldCountTagsAsAListOnlyIfThereAreSome() {
        BoundedReadable reader =
                new BoundedReadable(ByteBuffer.wrap(new byte[] {0, 2, 0, 0, 0, 0}));
        reader.readUnsignedVarint();
        long field = reader.decodedBytes();
        reader.remaining();
        assertEquals(field, reader.decodedBytes(), "no tags");
        reader.readUnsignedVarint();
        reader.remaining();
        assertTrue(reader.decodedBytes() > 4 * field, reader.decodedBytes() + " bytes");
        long before = reader.decodedBytes();
        reader.readInt();
        reader.remaining(); // an empty list of the older form
        assertTrue(reader.decodedBytes() > before + 2 * field, reader.decodedBytes() + " bytes");
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

    @Test
    void shouldRefuseVeryManyFieldsOfWhichEachTakesLong() {
        // Never as much for 4,096 as is refused at once; for all of them it would be a second.
        assertThrows(BadRequestException.class, () -> read(1 << 20, 1_000));
        read(60_000, 1_000);
    }

    @Test
    void shouldTellHowLongManyFieldsHaveTaken() {
        assertEquals(0, read(4_000, 10_000).tookNs());
        assertEquals(8L << 12, read(9 << 12, 1).tookNs());
    }
}
