package io.firn.api;

import static io.firn.api.Stores.bytes;
import static io.firn.api.Stores.readAll;
import static io.firn.api.Stores.texts;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Claim;
import io.firn.ClosedException;
import io.firn.ExclusiveAppender;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordTooLargeException;
import io.firn.StoredRecord;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import org.agrona.MutableDirectBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(Tiers.class)
class ClaimTest {
    @Parameter Tiers tier;
    @TempDir private Path directory;
    private LogStore store;
    private Partition partition;
    private ExclusiveAppender appender;

    @BeforeEach
    void open() {
        store = tier.at(directory).open();
        partition = store.createTopic("t", Stores.small()).partition(0);
        appender = partition.openExclusiveAppender();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private Claim claim(int length) {
        Claim[] claim = new Claim[1];
        Stores.await("a claim", () -> (claim[0] = appender.tryClaim(length)) != null);
        return claim[0];
    }

    @Test
    void shouldAppendWhatWasWrittenIntoTheClaim() {
        Claim claim = claim(5);
        assertEquals(0, claim.offset());
        assertEquals(5, claim.buffer().remaining());
        assertEquals(ByteOrder.BIG_ENDIAN, claim.buffer().order());
        claim.buffer().put(bytes("claim"));
        assertEquals(0, claim.commit());
        assertEquals(1, partition.durableOffset());
        appender.append(bytes("plain"));
        claim = claim(3);
        assertEquals(2, claim.offset());
        claim.buffer().put(bytes("two"));
        assertEquals(2, claim.commitWithoutWaiting());
        appender.awaitDurable(2);
        assertEquals(List.of("claim", "plain", "two"), texts(readAll(partition.openTailer())));
    }

    @Test
    void shouldTakeWhatIsWrittenThroughAgronasBuffer() {
        appender.append(bytes("neighbour"));
        Claim claim = claim(16);
        MutableDirectBuffer buffer = claim.directBuffer();
        assertEquals(16, buffer.capacity());
        claim.buffer().order(ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(0, 1, ByteOrder.BIG_ENDIAN);
        buffer.putLong(8, 2, ByteOrder.LITTLE_ENDIAN);
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.putLong(9, 3));
        claim.commit();
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.putByte(0, (byte) 1));
        assertThrows(IllegalStateException.class, claim::directBuffer);
        claim = claim(1000);
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.putByte(0, (byte) 1));
        claim.directBuffer().putBytes(0, Stores.numbered(5, 1000));
        assertEquals(1000, buffer.capacity(), "the same object");
        claim.commit();
        List<StoredRecord> all = readAll(partition.openTailer());
        assertArrayEquals(
                ByteBuffer.allocate(16)
                        .putLong(1)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(2)
                        .array(),
                all.get(1).value());
        assertArrayEquals(Stores.numbered(5, 1000), all.get(2).value());
    }

    @Test
    void shouldGiveTheRoomOfAnAbortedClaimToTheNext() {
        Claim claim = claim(1000);
        claim.buffer().put(Stores.numbered(1, 1000));
        claim.abort();
        assertEquals(0, partition.nextOffset());
        claim = claim(4);
        claim.buffer().put(bytes("kept"));
        assertEquals(0, claim.commit());
        claim = claim(1000);
        claim.buffer().put(Stores.numbered(2, 1000));
        claim.abort();
        appender.close();
        store.close();

        store = tier.at(directory).open();
        Partition again = store.openTopic("t").partition(0);
        assertEquals(1, again.nextOffset());
        assertEquals(List.of("kept"), texts(readAll(again.openTailer())));
    }

    @Test
    void shouldTakeNothingElseWhileAClaimIsOpen() {
        Claim claim = claim(1);
        assertThrows(IllegalStateException.class, () -> appender.append(bytes("x")));
        assertThrows(IllegalStateException.class, () -> appender.append(ByteBuffer.allocate(1)));
        assertThrows(
                IllegalStateException.class,
                () -> appender.append(appender.newBatch().add(bytes("x"))));
        assertThrows(IllegalStateException.class, () -> appender.tryClaim(1));
        claim.buffer().put((byte) 'a');
        claim.commit();
        appender.append(bytes("x"));
        assertEquals(List.of("a", "x"), texts(readAll(partition.openTailer())));
    }

    @Test
    void shouldEndAClaimOnce() {
        Claim claim = claim(1);
        claim.commit();
        assertThrows(IllegalStateException.class, claim::commit);
        assertThrows(IllegalStateException.class, claim::commitWithoutWaiting);
        assertThrows(IllegalStateException.class, claim::abort);
        assertThrows(IllegalStateException.class, claim::buffer);
        assertThrows(IllegalStateException.class, claim::offset);
        claim(1).abort();
        assertThrows(IllegalStateException.class, claim::commit);
        assertEquals(1, partition.nextOffset());
    }

    @Test
    void shouldRefuseAClaimThatIsNoRecord() {
        claim(1).commit();
        assertThrows(RecordTooLargeException.class, () -> appender.tryClaim(32_000));
        assertThrows(RecordTooLargeException.class, () -> appender.tryClaim(Integer.MAX_VALUE));
        InvalidOptionException e =
                assertThrows(InvalidOptionException.class, () -> appender.tryClaim(-1));
        assertTrue(e.getMessage().contains("not -1"), e.getMessage());
        Claim claim = appender.tryClaim(0);
        assertNotNull(claim, "what was refused is not open");
        assertEquals(0, claim.buffer().remaining());
        assertEquals(1, claim.commit());
        assertEquals(0, readAll(partition.openTailer()).get(1).value().length);
    }

    @Test
    void shouldClaimAcrossRolls() {
        for (int i = 0; i < 50; i++) {
            Claim claim = claim(10_000);
            claim.buffer().put(Stores.numbered(i, 10_000));
            assertEquals(i, claim.commitWithoutWaiting());
        }
        appender.awaitDurable(49);
        assertTrue(partition.metrics().segments() > 5);
        for (StoredRecord record : readAll(partition.openTailer())) {
            assertArrayEquals(Stores.numbered(record.offset(), 10_000), record.value());
        }
    }

    @Test
    void shouldNotMindWhatTheCallerDoesToTheBuffer() {
        Claim claim = claim(3);
        claim.buffer().order(ByteOrder.LITTLE_ENDIAN).put(bytes("abc"));
        claim.buffer().clear();
        claim.commit();
        claim = claim(8);
        assertEquals(8, claim.buffer().remaining());
        assertEquals(ByteOrder.BIG_ENDIAN, claim.buffer().order(), "big-endian unless changed");
        claim.abort();
        assertEquals(List.of("abc"), texts(readAll(partition.openTailer())));
    }

    @Test
    void shouldBeginTheValueAtIndexZeroOfTheBuffer() {
        appender.append(bytes("neighbour"));
        Claim claim = claim(16);
        assertEquals(0, claim.buffer().position());
        claim.buffer().putLong(0, 1).putLong(8, 2);
        assertThrows(IndexOutOfBoundsException.class, () -> claim.buffer().putLong(9, 3));
        claim.commit();
        List<StoredRecord> all = readAll(partition.openTailer());
        assertEquals("neighbour", Stores.text(all.get(0).value()));
        assertArrayEquals(
                ByteBuffer.allocate(16).putLong(1).putLong(2).array(), all.get(1).value());
    }

    @Test
    void shouldLetNoBufferOfAClaimReachTheLogAfterItsEnd() {
        Claim claim = claim(8);
        ByteBuffer kept = claim.buffer();
        ByteBuffer copy = kept.duplicate();
        kept.putLong(0, 7);
        claim.commit();
        assertThrows(IndexOutOfBoundsException.class, () -> kept.putLong(0, 8));
        assertThrows(BufferOverflowException.class, () -> kept.put((byte) 8));
        copy.putLong(0, 8); // nobody can forbid that
        claim(8).abort();
        assertThrows(IndexOutOfBoundsException.class, () -> kept.put(0, (byte) 8));
        appender.append(bytes("next"));
        copy.putLong(0, 9);
        List<StoredRecord> all = readAll(partition.openTailer());
        assertArrayEquals(ByteBuffer.allocate(8).putLong(7).array(), all.get(0).value());
        assertEquals("next", Stores.text(all.get(1).value()));
    }

    @Test
    void shouldRefuseAnOpenClaimAfterClose() {
        Claim claim = claim(1);
        appender.close();
        assertThrows(ClosedException.class, claim::commit);
        assertThrows(ClosedException.class, claim::buffer);
        try (ExclusiveAppender next = partition.openExclusiveAppender()) {
            assertEquals(0, next.append(bytes("x")));
        }
        assertEquals(List.of("x"), texts(readAll(partition.openTailer())));
    }

    @Test
    void shouldRefuseAnOpenClaimAfterTheStoreIsClosed() {
        Claim claim = claim(4);
        ByteBuffer buffer = claim.buffer();
        store.close();
        buffer.put(bytes("late")); // must not fault
        assertThrows(ClosedException.class, claim::commit);
        store = tier.at(directory).open();
        assertEquals(0, store.openTopic("t").partition(0).nextOffset());
    }
}
