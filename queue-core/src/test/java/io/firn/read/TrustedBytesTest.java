package io.firn.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Compression;
import io.firn.DamagedRangeException;
import io.firn.IsolationLevel;
import io.firn.RecordHandler.Action;
import io.firn.kafka.KafkaBatches;
import io.firn.log.LogSegment;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collections;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is verified once, and what again. */
class TrustedBytesTest {
    private static final int BATCHES = 10;

    private Sealed sealed;

    @BeforeEach
    void fill() throws IOException {
        ByteBuffer batch = KafkaBatches.of(Compression.NONE).encode(null, new byte[100]);
        sealed = Sealed.of(Collections.nCopies(BATCHES, batch));
    }

    private RecordReader reader() {
        return new RecordReader(sealed.log, IsolationLevel.READ_COMMITTED);
    }

    private int read(RecordReader reader, long from) {
        reader.seek(from);
        return reader.poll(record -> Action.CONTINUE, BATCHES);
    }

    private void assertDamaged(RecordReader reader, long offset) {
        reader.seek(offset);
        DamagedRangeException e =
                assertThrows(
                        DamagedRangeException.class,
                        () -> reader.poll(record -> Action.CONTINUE, 1));
        assertEquals(offset, e.fromOffset());
    }

    @Test
    void shouldFindDamageInWhatWasNotReadYet() {
        RecordReader reader = reader();
        assertEquals(3, reader.poll(record -> Action.CONTINUE, 3));

        sealed.rot(5);

        assertDamaged(reader, 5);
        assertDamaged(reader(), 5);
    }

    @Test
    void shouldVerifyABatchOnceForAllReadersOfAView() {
        assertEquals(BATCHES, read(reader(), 0));

        sealed.rot(5);

        RecordReader other = reader();
        assertEquals(BATCHES, read(other, 0));
        assertEquals(BATCHES, read(reader(), 0));
    }

    @Test
    void shouldVerifyAgainWhenTheSegmentIsMappedAgain() {
        RecordReader reader = reader();
        assertEquals(BATCHES, read(reader, 0));
        sealed.rot(5);

        View idle = sealed.segment.detachView();
        idle.leave();

        assertEquals(5, readUpToDamage(reader));
        assertEquals(5, readUpToDamage(reader()));
    }

    /** After a force that failed, the medium may have other bytes than those that were verified. */
    @Test
    void shouldVerifyAgainOnceThePartitionIsPoisoned() {
        RecordReader reader = reader();
        assertEquals(BATCHES, read(reader, 0));
        sealed.rot(5);

        sealed.log.state().poison("a test", "", null, 0);

        assertEquals(5, readUpToDamage(reader));
        assertEquals(5, readUpToDamage(reader()));
    }

    @Test
    void shouldTrustNoHeader() {
        RecordReader reader = reader();
        assertEquals(BATCHES, read(reader, 0));

        sealed.memory.putInt(sealed.position(5) + 8, 5);

        assertEquals(5, readUpToDamage(reader));
    }

    /** Its writer's recovery may replace the end of it after a crash. */
    @Test
    void shouldTrustASegmentOfAnotherProcessOnlyOnceThatHasSealedIt() throws IOException {
        LogSegment followed = new LogSegment(sealed.segment.block(), 0);
        TrustedBytes trusted = new TrustedBytes(sealed.log);
        View view = followed.pin();

        trusted.enter(followed, view);
        trusted.add(0, 100);
        trusted.addWalked(0, 200);
        assertFalse(trusted.contain(0, 100));
        trusted.leave();
        followed.sealedAt(LogSegment.OPEN);
        trusted.enter(followed, view);
        assertFalse(trusted.contain(0, 100));
        assertEquals(0, trusted.walkedTo(0));
        trusted.add(0, 100);

        assertTrue(trusted.contain(0, 100));
        assertFalse(trusted.contain(0, 101));
        trusted.addWalked(0, 200);
        assertEquals(200, trusted.walkedTo(0));
        view.unpin();
    }

    private int readUpToDamage(RecordReader reader) {
        reader.seek(0);
        int[] taken = {0};
        assertThrows(
                DamagedRangeException.class,
                () ->
                        reader.poll(
                                record -> {
                                    taken[0]++;
                                    return Action.CONTINUE;
                                },
                                BATCHES));
        return taken[0];
    }
}
