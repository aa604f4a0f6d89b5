package io.firn.api;

import static io.firn.api.Stores.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.Claim;
import io.firn.ExclusiveAppender;
import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RefusedException;
import io.firn.StoreFullException;
import io.firn.file.FileTier;
import io.firn.host.HostedAppender;
import io.firn.open.StoreBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happens to an append while there is no block for it, or none to be had. */
class BackPressureTest {
    @TempDir private Path directory;
    private final ObservedMedium medium = new ObservedMedium();

    private Partition created(LogStore store) {
        return store.createTopic("t", Stores.small()).partition(0);
    }

    @Test
    void shouldWaitForTheNextBlockInAClaimButNotInATryClaim() {
        try (LogStore store = Stores.at(directory, medium).invokerMode().open();
                ExclusiveAppender appender = created(store).openExclusiveAppender()) {
            assertNull(appender.tryClaim(1));
            Claim claim = appender.claim(1);
            claim.buffer().put((byte) 'a');
            assertEquals(0, claim.commit());
        }
    }

    @Test
    void shouldRefuseWithoutATraceUntilABlockIsThere() {
        try (LogStore store = Stores.at(directory, medium).invokerMode().open();
                ExclusiveAppender appender = created(store).openExclusiveAppender()) {
            Partition partition = store.openTopic("t").partition(0);
            Batch batch = appender.newBatch().add(bytes("a"));
            ByteBuffer foreign = ForeignBatches.of(io.firn.Compression.NONE, "a");
            long refused = Appender.BACK_PRESSURED;
            assertEquals(refused, appender.tryAppend(new UnsafeBuffer(bytes("a")), 0, 1));
            assertEquals(refused, appender.tryAppend(batch));
            assertEquals(refused, HostedAppender.of(appender).tryAppendBatch(foreign));
            assertNull(appender.tryClaim(1));
            assertEquals(0, partition.nextOffset());
            assertEquals(0, partition.metrics().segments());
            store.doWork();
            assertEquals(0, appender.tryAppend(batch));
            assertEquals(1, appender.tryAppend(batch));
            assertEquals(2, HostedAppender.of(appender).tryAppendBatch(foreign));
            assertNotNull(appender.tryClaim(1));
        }
    }

    @Test
    void shouldRefuseAtARollUntilABlockIsThereAndThenGoOn() {
        try (LogStore store = Stores.at(directory, medium).invokerMode().open();
                Appender appender = created(store).openExclusiveAppender()) {
            long next = 0;
            int refusals = 0;
            byte[] value = new byte[10_000];
            while (next < 40) {
                long offset = appender.tryAppend(new UnsafeBuffer(value), 0, value.length);
                if (offset == Appender.BACK_PRESSURED) {
                    refusals++;
                    store.doWork();
                } else {
                    assertEquals(next, offset);
                    next++;
                }
            }
            assertTrue(refusals >= 6 && refusals < 14, "refused " + refusals + " times");
        }
    }

    @Test
    void shouldSetABlockAsideBeforeTheActiveOneIsFull() {
        try (LogStore store = Stores.at(directory, medium).invokerMode().open();
                Appender appender = created(store).openExclusiveAppender()) {
            for (int i = 0; i < 100; i++) {
                appender.append(new byte[5_000]);
                store.doWork();
            }
            Partition partition = store.openTopic("t").partition(0);
            assertTrue(partition.metrics().rolls() > 5);
            assertEquals(1, partition.metrics().stalls(), "only the first append may wait");
        }
    }

    @Test
    void shouldCountAStalledAppendOnce() {
        try (LogStore store = Stores.at(directory, medium).open();
                Appender appender = created(store).openExclusiveAppender()) {
            Gate creating = new Gate();
            creating.shut();
            medium.beforeCreate(creating);
            Stores.Task<Long> append = Stores.start(() -> appender.append(bytes("a")));
            Stores.await("the reservation", () -> creating.held() > 0);
            Partition partition = store.openTopic("t").partition(0);
            Stores.await("the stall", () -> partition.metrics().stalls() > 0);
            // Long enough to wake up from the wait and go back to it.
            for (int i = 0; i < 20; i++) {
                java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
            }
            creating.open();
            Stores.await("the append", append::isDone);
            assertEquals(1, partition.metrics().stalls());
        }
    }

    private LogStore withRoomFor(int segments) {
        long room = segments * (Stores.SEGMENT_BYTES + 2 * 4096L);
        return StoreBuilder.over(directory.resolve("store"), medium)
                .clock(new ManualClock())
                .tier(
                        FileTier.at(Stores.tierOf(directory))
                                .withMedium(medium)
                                .withCapacityBytes(room))
                .invokerMode()
                .open();
    }

    @Test
    void shouldSayThatTheStoreIsFullAndWorkAgainWhenThereIsRoom() {
        try (LogStore store = withRoomFor(2);
                Appender appender = created(store).openExclusiveAppender()) {
            Partition partition = store.openTopic("t").partition(0);
            StoreFullException e =
                    assertThrows(
                            StoreFullException.class,
                            () -> {
                                for (int i = 0; i < 50; i++) {
                                    appender.append(new byte[10_000]);
                                }
                            });
            assertTrue(e.getMessage().contains("t-0"), e.getMessage());
            assertTrue(partition.nextOffset() > 6, "both segments were filled first");
            long end = partition.nextOffset();
            assertEquals(end, Stores.readAll(partition.openTailer()).size(), "reads go on");
            assertThrows(StoreFullException.class, () -> appender.append(new byte[10_000]));
            assertEquals(end, partition.nextOffset());

            partition.deleteRecordsBefore(end);
            Stores.work(store);
            assertEquals(end, appender.append(new byte[10_000]));
        }
    }

    @Test
    void shouldRefuseEachAppendInTheSameWayUntilSpaceIsFreed() {
        try (LogStore store = withRoomFor(2);
                ExclusiveAppender appender = created(store).openExclusiveAppender()) {
            Partition partition = store.openTopic("t").partition(0);
            byte[] value = new byte[10_000];
            assertThrows(
                    StoreFullException.class,
                    () -> {
                        for (int i = 0; i < 50; i++) {
                            appender.append(value);
                        }
                    });
            for (int i = 0; i < 10; i++) {
                assertThrows(
                        StoreFullException.class,
                        () -> appender.tryAppend(new UnsafeBuffer(value), 0, 10_000));
                assertThrows(StoreFullException.class, () -> appender.tryClaim(10_000));
                if (i % 3 == 0) {
                    store.doWork(); // asks the tiers again
                }
            }

            long end = partition.nextOffset();
            partition.deleteRecordsBefore(end);
            Stores.work(store);
            assertEquals(end, appender.tryAppend(new UnsafeBuffer(value), 0, 10_000));
        }
    }

    /** That somebody else's segments went away is found out without another refusal. */
    @Test
    void shouldNoLongerCallAStoreFullWhenATopicWasDeleted() {
        try (LogStore store = withRoomFor(2)) {
            Partition other = store.createTopic("other", Stores.small()).partition(0);
            try (Appender filler = other.openExclusiveAppender()) {
                filler.append(new byte[30_000]);
            }
            try (Appender appender = created(store).openExclusiveAppender()) {
                byte[] value = new byte[10_000];
                assertThrows(
                        StoreFullException.class,
                        () -> {
                            for (int i = 0; i < 50; i++) {
                                appender.append(value);
                            }
                        });
                store.deleteTopic("other");
                store.doWork();
                store.doWork();
                long end = store.openTopic("t").partition(0).nextOffset();
                assertEquals(end, appender.append(value));
            }
        }
    }

    @Test
    void shouldNotTryForABlockAgainAndAgainWhileTheStoreIsFull() {
        try (LogStore store = withRoomFor(1);
                Appender appender = created(store).openExclusiveAppender()) {
            appender.append(new byte[30_000]);
            // Half full, so the next block is wanted, and there is none. The clock stands still.
            Stores.work(store);
            AtomicInteger tries = new AtomicInteger();
            medium.beforeCreate(
                    file -> {
                        if (file.toString().contains("active")) {
                            tries.incrementAndGet();
                        }
                    });
            for (int i = 0; i < 50; i++) {
                assertEquals(0, store.doWork(), "a background that never idles");
            }
            assertEquals(0, tries.get());
        }
    }

    @Test
    void shouldTellTheAppenderWhyThereIsNoBlock() {
        try (LogStore store = Stores.at(directory, medium).open();
                Appender appender = created(store).openAppender()) {
            for (RuntimeException failure :
                    new RuntimeException[] {
                        new UncheckedIOException(new IOException("unchecked on purpose")),
                        new IllegalStateException("a state on purpose"),
                        new RefusedException("ours on purpose")
                    }) {
                medium.beforeCreate(
                        file -> {
                            throw failure;
                        });
                FirnException e =
                        assertThrows(FirnException.class, () -> appender.append(bytes("a")));
                assertTrue(e.getMessage().contains("on purpose"), e.getMessage());
            }
            medium.beforeCreate(
                    file -> {
                        throw new IOException("broken on purpose");
                    });
            FirnException e = assertThrows(FirnException.class, () -> appender.append(bytes("a")));
            assertTrue(e.getMessage().contains("broken on purpose"), e.getMessage());
            medium.beforeCreate(null);
            assertEquals(0, appender.append(bytes("a")));
        }
    }

    @Test
    void shouldServeOtherPartitionsWhileOneCannotBeServed() {
        try (LogStore store = Stores.at(directory, medium).open()) {
            Partition broken = created(store);
            Partition sound = store.createTopic("a", Stores.small()).partition(0);
            Partition other = store.createTopic("z", Stores.small()).partition(0);
            String brokenId = broken.topic().id().toString();
            medium.beforeCreate(
                    file -> {
                        if (file.toString().contains(brokenId)) {
                            throw new IndexOutOfBoundsException("on purpose");
                        }
                    });
            try (Appender one = broken.openAppender();
                    Appender two = sound.openAppender();
                    Appender three = other.openAppender()) {
                one.tryAppend(new UnsafeBuffer(bytes("a")), 0, 1);
                assertEquals(0, two.append(bytes("b")));
                assertEquals(0, three.append(bytes("b")));
                assertThrows(FirnException.class, () -> one.append(bytes("a")));
                assertTrue(store.metrics().backgroundErrors() > 0);
            }
        }
    }
}
