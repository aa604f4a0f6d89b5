package io.firn.crashlab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Compression;
import io.firn.LogStore;
import io.firn.TopicOptions;
import io.firn.format.BatchEncoder;
import io.firn.format.BatchFormat;
import io.firn.format.Scratch;
import io.firn.host.HostedPartition;
import io.firn.host.ReplicaAppender;
import io.firn.sim.FirstRunOnly;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What an earlier use of a block has left is never taken for batches of a replica (O27). */
@FirstRunOnly
class ReplicaGroundTest {
    private static final Logger LOG = Logger.getLogger("io.firn");
    private static final Media MEDIA = Media.MEMORY;
    private static final TopicOptions OPTIONS =
            TopicOptions.defaults()
                    .withSegmentBytes(64 << 10)
                    .withMaxRecordBytes(32 << 10)
                    .withReplicated(true);

    private final CachedEpochClock clock = new CachedEpochClock();
    private final SimulatedFileMedium medium = MEDIA.empty();

    @BeforeAll
    static void prepare() {
        LOG.setLevel(Level.OFF);
        SeededIds.install(); // before the first id: other tests of this JVM need it
    }

    /** Batches of one record each, and of one size. */
    private static ByteBuffer batch(long offset, int epoch) {
        BatchEncoder encoder = new BatchEncoder(() -> 1_000, Compression.NONE, 1 << 20);
        encoder.add(new byte[7_000]);
        Scratch whole = encoder.finish();
        ByteBuffer bytes = ByteBuffer.wrap(whole.bytes(), 0, whole.length());
        return bytes.putLong(BatchFormat.BASE_OFFSET, offset).putInt(BatchFormat.EPOCH, epoch);
    }

    private static void append(LogStore store, ReplicaAppender appender, int count, int epoch) {
        for (int i = 0; i < count; i++) {
            while (appender.append(batch(appender.nextOffset(), epoch)) == 0) {
                store.doWork();
            }
        }
    }

    @Test
    void shouldNotTakeBatchesOfAnEarlierSegmentInTheBlockForNewOnes() {
        LogStore store = MEDIA.open(medium, clock, 0);
        ReplicaAppender appender =
                HostedPartition.of(store.createTopic("t", OPTIONS).partition(0))
                        .openReplicaAppender();
        append(store, appender, 9, 1); // a segment is full
        int[] images = {0};
        for (int round = 0; round < 20; round++) {
            append(store, appender, 4, 5);
            appender.force();
            store.doWork();
            appender.truncate(9);
            store.doWork();
            append(store, appender, 1, 3); // where other batches of that size were
            new Images(medium, round, 4, 20)
                    .each(
                            (number, left) -> {
                                images[0]++;
                                try (LogStore again = MEDIA.open(left, clock, 0)) {
                                    long next = again.openTopic("t").partition(0).nextOffset();
                                    assertTrue(next == 9 || next == 10, "it ends at " + next);
                                }
                                return true;
                            });
            appender.truncate(9);
            store.doWork();
        }
        assertTrue(images[0] > 100, images[0] + " images");
        assertEquals(9, appender.nextOffset());
        appender.close();
        store.close();
    }

    /** Its mark says reserved, and it begins with whole batches at the next offset. */
    @Test
    void shouldNotTakeWhatABlockHoldsThatIsReservedAndNotYetOverwritten() {
        LogStore store = MEDIA.open(medium, clock, 0);
        ReplicaAppender appender =
                HostedPartition.of(store.createTopic("t", OPTIONS).partition(0))
                        .openReplicaAppender();
        append(store, appender, 9, 1); // a segment is full
        appender.force();
        int[] images = {0};
        for (int round = 0; round < 2 * MEDIA.blocks(); round++) {
            medium.onOperation(number -> images[0] += openAll());
            append(store, appender, 1, 5); // reserves a block, and overwrites what it holds
            medium.ignoreOperations();
            append(store, appender, 7, 5);
            appender.force();
            appender.truncate(9);
        }
        assertTrue(images[0] > 20, images[0] + " images");
        appender.close();
        store.close();
    }

    /** Opens what a power cut leaves now, if nothing survives and if all does. */
    private int openAll() {
        for (Survival each : List.of(Survival.NONE, Survival.ALL)) {
            try (LogStore left = MEDIA.open(medium.crash(each), clock, 0)) {
                long next = left.openTopic("t").partition(0).nextOffset();
                assertTrue(next == 9 || next == 10, "it ends at " + next);
            }
        }
        return 2;
    }
}
