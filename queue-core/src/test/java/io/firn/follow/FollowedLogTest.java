package io.firn.follow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.log.InMemory;
import io.firn.log.LogEvents;
import io.firn.log.LogSegment;
import io.firn.log.PublishedOffsets.OffsetPublisher;
import io.firn.log.SegmentedLog;
import io.firn.medium.FileMedium;
import io.firn.medium.FileMedium.MediumLock;
import io.firn.medium.FilterFileMedium;
import io.firn.spi.Block;
import io.firn.spi.MemoryTier;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What readers are shown of the published offsets of a log whose blocks are found again and again.
 */
class FollowedLogTest {
    private static final UUID STORE = new UUID(1, 2);
    private static final int EPOCH = 1;

    @TempDir private Path directory;
    private final FollowedSegments segments = new FollowedSegments(new BatchesAboveMark());
    private MemoryTier tier;
    private SegmentedLog log;
    private PublishedOffsetsFile writer;
    private FollowedOffsetsFile reader;

    /** A machine on which this process has the lock. */
    private static final class Machine extends FilterFileMedium {
        Machine() {
            super(FileMedium.real());
        }

        @Override
        public String holder(Path file) {
            return "pid 1";
        }

        @Override
        public UUID runningSystem() {
            return new UUID(5, 6);
        }
    }

    @BeforeEach
    void open() throws IOException {
        tier = InMemory.tier();
        log = InMemory.log(tier);
        log.connect(
                nobody(LogEvents.ForceWaiters.class),
                nobody(LogEvents.AppendAlarm.class),
                nobody(LogEvents.class));
        Machine machine = new Machine();
        Path lock = directory.resolve("lock");
        MediumLock held = FileMedium.real().lock(directory.resolve("other"));
        held.close();
        writer =
                PublishedOffsetsFile.create(
                        machine,
                        directory,
                        new PublishedOffsetsFile.Writer(STORE, held, "pid 1"),
                        finding -> {});
        reader = FollowedOffsetsFile.open(machine, directory, STORE, lock);
    }

    @AfterEach
    void close() {
        reader.close();
        writer.close();
    }

    private static <T> T nobody(Class<T> type) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(), new Class<?>[] {type}, (self, method, all) -> null));
    }

    private static long pair(int records, int position) {
        return (long) records << 32 | position;
    }

    @Test
    void shouldLeadNoReaderBeyondTheEndOfASegmentWhoseBlockWasFoundAnew() throws IOException {
        Block block = InMemory.block(tier, EPOCH);
        int first = InMemory.put(block.memory(), 0, 0, EPOCH, 10);
        OffsetSlot slot =
                writer.assign(
                        log.topic().id(),
                        0,
                        new OffsetPublisher.State(0, EPOCH, pair(10, first), 10, 0),
                        nobody(OffsetSlot.Log.class));
        FollowedOffsets seen = reader.find(log.topic().id(), 0);
        FollowedLog follows = new FollowedLog(log, seen, missing -> {});
        segments.refresh(log, List.of(block), follows, seen.read());
        assertEquals(10, log.visibleOffset());

        // The same segment in another block object, whose mark is behind, while nothing is read.
        Block again = InMemory.block(tier, EPOCH);
        InMemory.put(again.memory(), 0, 0, EPOCH, 10);
        int second = InMemory.put(again.memory(), first, 10, EPOCH, 10);
        again.writeMark(again.mark().active(EPOCH, 0, 0, 0));
        segments.retain(Set.of(again));
        segments.refresh(log, List.of(again), follows, null);
        assertShowsNoMoreThanSegments();
        slot.end(pair(20, second));
        slot.durable(20);
        follows.run();
        assertShowsNoMoreThanSegments();

        segments.refresh(log, List.of(again), follows, seen.read());
        assertEquals(20, log.visibleOffset());
        assertShowsNoMoreThanSegments();
    }

    /** Java may tell late that the file was truncated: what was loaded until then is anything. */
    @Test
    void shouldNotBelieveALogStartAboveTheEndOrAnEndBehindTheSegment() throws IOException {
        Block block = InMemory.block(tier, EPOCH);
        int first = InMemory.put(block.memory(), 0, 0, EPOCH, 10);
        OffsetSlot slot =
                writer.assign(
                        log.topic().id(),
                        0,
                        new OffsetPublisher.State(0, EPOCH, pair(10, first), 10, 0),
                        nobody(OffsetSlot.Log.class));
        FollowedOffsets seen = reader.find(log.topic().id(), 0);
        FollowedLog follows = new FollowedLog(log, seen, missing -> {});
        segments.refresh(log, List.of(block), follows, seen.read());

        slot.start(253_403_080_494L);
        follows.run();
        assertEquals(0, log.logStartOffset());
        segments.refresh(log, List.of(block), follows, seen.read());
        assertEquals(0, log.logStartOffset());
        slot.start(0);
        slot.end(pair(2_000, Integer.MAX_VALUE));
        follows.run();
        assertEquals(10, log.visibleOffset());
    }

    private void assertShowsNoMoreThanSegments() {
        LogSegment last = log.segments()[log.segments().length - 1];
        long end = last.offsetOf(last.end());
        assertTrue(log.visibleOffset() <= end, log.visibleOffset() + " of " + end);
    }
}
