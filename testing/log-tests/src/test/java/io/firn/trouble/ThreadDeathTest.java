package io.firn.trouble;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.PartitionReader;
import io.firn.PoisonedException;
import io.firn.api.Waiting;
import io.firn.file.FileTier;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A thread of the store's that ends in its duty cycle: the store says which, nobody waits for it in
 * vain, what was acknowledged stays, reads go on. Without {@code Topics.onDeath}.
 */
class ThreadDeathTest {
    private static final Logger LOG = Logger.getLogger("io.firn");
    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private final Victim victim = new Victim();

    @BeforeEach
    void silence() {
        LOG.setLevel(Level.OFF);
    }

    /** What every duty cycle asks for, the time or a look at the medium; ends one's thread. */
    private static final class Victim implements EpochClock {
        private volatile String name = "";
        private volatile boolean interrupted;

        @Override
        public long time() {
            if (Thread.currentThread().getName().equals(name)) {
                if (!interrupted) {
                    throw new AssertionError("simulated death");
                }
                Thread.currentThread().interrupt();
            }
            return System.currentTimeMillis();
        }
    }

    private static LogStoreBuilder at(SimulatedFileMedium medium) {
        return StoreBuilder.over(Path.of("/sim/store"), medium)
                .tier(FileTier.at(Path.of("/sim/segments")).withMedium(medium));
    }

    private void end(LogReader store, String thread) {
        assertEquals("[]", store.findings().toString());
        victim.name = thread;
        medium.faults().failLooks(number -> victim.time() < 0);
        await(() -> !store.findings().isEmpty());
        String finding = store.findings().get(0).text();
        assertTrue(finding.contains(thread), finding);
    }

    private static void await(BooleanSupplier condition) {
        Waiting.await("what has to come", condition);
    }

    @ParameterizedTest
    @CsvSource({
        "firn-force,false",
        "firn-force,true",
        "firn-force-2,false",
        "firn-force-2,true",
        "firn-tidy,false",
        "firn-tidy,true"
    })
    void shouldRefuseAppendsAndKeepWhatWasAcknowledged(String thread, boolean interrupted)
            throws Exception {
        victim.interrupted = interrupted;
        LogStore store = at(medium).clock(victim).open();
        Partition partition = Disk.partition(store);
        Disk.append(partition, 20);
        Appender appender = partition.openAppender();
        CompletableFuture<Long> waiting = appender.whenDurable(20);
        end(store, thread);
        assertThrows(CompletionException.class, waiting::join);
        FutureTask<PoisonedException> refused =
                new FutureTask<>(
                        () ->
                                assertThrows(
                                        PoisonedException.class,
                                        () -> Disk.append(partition, 1_000)));
        new Thread(refused, "appender").start(); // a wait that does not end fails the test
        String message = refused.get(HANGS_AFTER_S, TimeUnit.SECONDS).getMessage();
        assertTrue(message.contains(thread), message);
        Partition later = store.createTopic("later", Disk.SMALL).partition(0);
        assertThrows(PoisonedException.class, () -> Disk.append(later, 2));
        assertThrows(CompletionException.class, () -> appender.whenDurable(20).join());
        assertEquals(20, Found.in(partition).records().size());
        appender.close();
        store.close();
        assertEquals(0, medium.inUse());
        for (SimulatedFileMedium left : new SimulatedFileMedium[] {cut(), medium.kill()}) {
            try (LogStore again = at(left).open()) {
                Found found = Found.in(Disk.partition(again));
                assertEquals(20, found.records().size());
                found.assertReadable(0, 20);
                assertEquals("[]", again.findings().toString());
                Disk.append(Disk.partition(again), 2);
            }
        }
    }

    private SimulatedFileMedium cut() {
        return medium.crash(Survival.NONE);
    }

    /** The appender is at its wait, for the seal of a segment, when the thread ends. */
    @Test
    void shouldWakeWhoWaitsForTheThreadThatEnds() throws Exception {
        try (LogStore store = at(medium).clock(victim).open()) {
            Partition partition = Disk.partition(store);
            FutureTask<PoisonedException> appending =
                    new FutureTask<>(
                            () ->
                                    assertThrows(
                                            PoisonedException.class,
                                            () -> appendForever(partition)));
            new Thread(appending, "appender").start();
            await(() -> partition.metrics().rolls() > 2);
            end(store, "firn-force");
            assertTrue(
                    appending
                            .get(HANGS_AFTER_S, TimeUnit.SECONDS)
                            .getMessage()
                            .contains("firn-force"));
        }
    }

    private static void appendForever(Partition partition) {
        try (Appender appender = partition.openExclusiveAppender()) {
            while (true) {
                long durable = partition.durableOffset();
                appender.append(Disk.value(durable));
                partition.deleteRecordsBefore(durable);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldGoOnReadingWhenTheFollowerEnds(boolean interrupted) {
        victim.interrupted = interrupted;
        try (LogStore writing = at(medium).open()) {
            Disk.append(Disk.partition(writing), 20);
        }
        try (LogReader store = at(medium).openReadOnly()) {
            PartitionReader partition = store.openTopic(Disk.TOPIC).partition(0);
            await(() -> partition.visibleOffset() == 20);
            end(store, "firn-follow");
            assertEquals(20, Found.in(partition).records().size());
            assertFalse(partition.metrics().isPoisoned());
        }
        assertEquals(0, medium.inUse());
    }

    /** As where the file with the published offsets is truncated, and Java tells of it late. */
    @Test
    void shouldGoOnFollowingAfterAFaultInAMapping() {
        AtomicInteger rests = new AtomicInteger();
        try (LogStore writing = at(medium).open()) {
            Partition partition = Disk.partition(writing);
            Disk.append(partition, 20);
            LogStoreBuilder reader = at(medium).idleStrategy(() -> new FaultyRest(rests));
            try (LogReader store = reader.openReadOnly()) {
                await(() -> rests.get() >= 3);
                Disk.append(partition, 20);
                await(() -> store.openTopic(Disk.TOPIC).partition(0).visibleOffset() == 40);
                assertEquals("[]", store.findings().toString());
            }
        }
    }

    private static final class FaultyRest implements IdleStrategy {
        private final AtomicInteger rests;

        FaultyRest(AtomicInteger rests) {
            this.rests = rests;
        }

        @Override
        public void idle(int workCount) {
            idle();
        }

        @Override
        public void idle() {
            if (rests.incrementAndGet() == 3) {
                throw new InternalError("simulated fault");
            }
            LockSupport.parkNanos(1_000_000);
        }

        @Override
        public void reset() {
            // It has no state.
        }
    }
}
