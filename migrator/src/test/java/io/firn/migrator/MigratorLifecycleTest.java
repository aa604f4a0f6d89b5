package io.firn.migrator;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static io.firn.migrator.Tiered.HOT;
import static io.firn.migrator.Tiered.await;
import static io.firn.migrator.Tiered.awaitMovable;
import static io.firn.migrator.Tiered.tiersOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.ClosedException;
import io.firn.InvalidOptionException;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.host.HostedStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Start, stop and close, in any order, from any thread, and at the same time. */
class MigratorLifecycleTest {
    private static final Duration SOON = Duration.ofMillis(2);

    @TempDir private Path directory;
    private LogStore store;

    /** The threads that asked the policy. */
    private final Set<Thread> seen = ConcurrentHashMap.newKeySet();

    @BeforeEach
    void open() {
        store = Tiered.at(directory, 8).open();
    }

    @AfterEach
    void close() {
        store.close();
    }

    private Migrator.Builder migrator(MigrationPolicy policy) {
        return Migrator.of(store)
                .policy(
                        snapshot -> {
                            seen.add(Thread.currentThread());
                            return policy.moves(snapshot);
                        })
                .interval(SOON)
                .firstRetry(SOON);
    }

    private long alive() {
        return seen.stream().filter(Thread::isAlive).count();
    }

    private static Thread begin(Runnable body) {
        Thread thread = new Thread(body, "test");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void join(Thread thread) throws InterruptedException {
        thread.join(TimeUnit.SECONDS.toMillis(HANGS_AFTER_S));
        assertFalse(thread.isAlive(), "it does not return");
    }

    /** A policy that takes its time, whoever interrupts it. */
    private static List<Move> sit(CountDownLatch in, CountDownLatch go) {
        in.countDown();
        while (true) {
            try {
                go.await();
                return List.of();
            } catch (InterruptedException e) {
                continue; // it is swallowed
            }
        }
    }

    @Test
    void shouldRefuseAStoreThatIsOpenReadOnly() {
        try (LogReader reader = Tiered.at(directory, 8).openReadOnly()) {
            Migrator.Builder builder = Migrator.of(HostedStore.of(reader));
            String refused = assertThrows(InvalidOptionException.class, builder::open).getMessage();
            for (String part : List.of("read-only", reader.directory().toString(), "writes")) {
                assertTrue(refused.contains(part), refused);
            }
        }
    }

    @Test
    void shouldWorkOnThreadsOfTheApplications() {
        Set<Thread> made = ConcurrentHashMap.newKeySet();
        Migrator migrator =
                migrator(snapshot -> List.of())
                        .threads(2)
                        .threadFactory(
                                work -> {
                                    Thread thread = new Thread(work);
                                    made.add(thread);
                                    return thread;
                                })
                        .start();
        await("a look", () -> !seen.isEmpty());
        migrator.close();
        assertEquals(2, made.size());
        assertTrue(made.containsAll(seen));
        assertTrue(made.stream().allMatch(each -> each.getName().startsWith("firn-migrate-")));
        assertEquals(0, made.stream().filter(Thread::isAlive).count());
    }

    @Test
    void shouldReturnFromStopWhenItIsStartedMeanwhile() throws Exception {
        CountDownLatch in = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Migrator migrator = migrator(snapshot -> sit(in, go)).start();
        in.await();
        Thread stopper = begin(migrator::stop);
        await("the stop to begin", () -> !migrator.status().isRunning());
        Thread starter = begin(migrator::start);
        await(
                "the start to wait, or to return",
                () ->
                        starter.getState() == Thread.State.WAITING
                                || starter.getState() == Thread.State.TERMINATED);
        go.countDown();
        join(stopper);
        join(starter);
        await("a thread of the second run", () -> seen.size() == 2);
        assertEquals(1, alive(), "one thread for threads(1)");
        assertTrue(migrator.status().isRunning());
        migrator.close();
        assertEquals(0, alive());
    }

    @Test
    void shouldHaveItsThreadsOnceWhenItIsStartedTwice() {
        try (Migrator migrator = migrator(snapshot -> List.of()).threads(2).open()) {
            migrator.start();
            migrator.start();
            await("both threads", () -> seen.size() == 2);
            assertEquals(2, alive());
        }
        assertEquals(0, alive());
    }

    @Test
    void shouldEndWhenAPolicyStopsIt() throws Exception {
        AtomicReference<Migrator> self = new AtomicReference<>();
        CountDownLatch stopped = new CountDownLatch(1);
        Migrator migrator =
                migrator(
                                snapshot -> {
                                    self.get().stop();
                                    stopped.countDown();
                                    return List.of();
                                })
                        .threads(3)
                        .open();
        self.set(migrator);
        migrator.start();
        assertTrue(stopped.await(HANGS_AFTER_S, TimeUnit.SECONDS), "stop() returns to the policy");
        await("the end", () -> alive() == 0);
        assertFalse(migrator.status().isRunning());
        migrator.close();
    }

    @Test
    void shouldRefuseToBeStartedByAPolicyThatItStopsFor() throws Exception {
        AtomicReference<Migrator> self = new AtomicReference<>();
        AtomicReference<RuntimeException> refusal = new AtomicReference<>();
        Migrator migrator =
                migrator(
                                snapshot -> {
                                    self.get().start(); // it runs: nothing happens
                                    self.get().stop();
                                    try {
                                        self.get().start();
                                    } catch (IllegalStateException e) {
                                        refusal.set(e);
                                    }
                                    return List.of();
                                })
                        .open();
        self.set(migrator);
        migrator.start();
        await("the end", () -> !seen.isEmpty() && alive() == 0);
        assertNotNull(refusal.get());
        assertFalse(migrator.status().isRunning());
        migrator.start(); // by somebody else it can be started again
        await("another life", () -> seen.size() == 2);
        migrator.close();
    }

    /** Whoever asks for what a migrator does is not to wait for its policy. */
    @Test
    void shouldTellItsStatusWhileItsPolicyIsBusy() throws Exception {
        CountDownLatch in = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Migrator migrator = migrator(snapshot -> sit(in, go)).start();
        in.await();
        AtomicReference<MigratorStatus> told = new AtomicReference<>();
        Thread asking = begin(() -> told.set(migrator.status()));
        join(asking);
        assertTrue(told.get().isRunning());
        go.countDown();
        migrator.close();
    }

    @Test
    void shouldNotStartAgainWhenItWasClosed() {
        Migrator migrator = migrator(snapshot -> List.of()).start();
        migrator.stop();
        migrator.start();
        migrator.close();
        migrator.close();
        migrator.stop();
        assertThrows(ClosedException.class, migrator::start);
        assertFalse(migrator.status().isRunning());
        assertEquals(0, alive());
        assertFalse(migrator.moveNext(), "by hand it can be asked");
    }

    @Test
    void shouldEndWithItsStoreHoweverRarelyItAsksItsPolicy() {
        Migrator migrator =
                migrator(snapshot -> List.of()).interval(Duration.ofHours(1)).threads(2).start();
        await("a look", () -> !seen.isEmpty());
        store.close();
        await("its threads to end", () -> alive() == 0 && !migrator.status().isRunning());
        assertThrows(ClosedException.class, migrator::start);
        migrator.close();
    }

    /** A policy may leave its thread interrupted; the moves go on all the same. */
    @Test
    void shouldGoOnMovingWhenAPolicyLeavesItsThreadInterrupted() {
        store.createTopic("t", Tiered.small());
        Tiered.appendSegments(store.openTopic("t").partition(0), 3);
        awaitMovable(store, "t", 3);
        Migrator migrator =
                migrator(
                                snapshot -> {
                                    Thread.currentThread().interrupt();
                                    return Policies.threshold(0).moves(snapshot);
                                })
                        .start();
        await("all of it below", () -> tiersOf(store, "t").indexOf(HOT) == 3);
        migrator.close();
        assertEquals(0, alive());
    }

    @Test
    void shouldNeverHaveMoreThreadsThanItWasToldWhenManyStartAndStopIt() throws Exception {
        int threads = 2;
        AtomicInteger most = new AtomicInteger();
        Migrator migrator =
                migrator(
                                snapshot -> {
                                    most.accumulateAndGet((int) alive(), Math::max);
                                    seen.removeIf(each -> !each.isAlive());
                                    return List.of();
                                })
                        .threads(threads)
                        .interval(Duration.ofMillis(1))
                        .open();
        List<Thread> racers = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int racer = i;
            racers.add(
                    begin(
                            () -> {
                                try {
                                    for (int round = 0; round < 300; round++) {
                                        if ((round + racer) % 2 == 0) {
                                            migrator.start();
                                        } else {
                                            migrator.stop();
                                        }
                                    }
                                } catch (RuntimeException | Error e) {
                                    synchronized (failures) {
                                        failures.add(e);
                                    }
                                }
                            }));
        }
        for (Thread racer : racers) {
            racer.join(TimeUnit.SECONDS.toMillis(HANGS_AFTER_S));
            assertFalse(racer.isAlive(), "it hangs");
        }
        assertEquals(List.of(), failures);
        migrator.start();
        assertTrue(migrator.status().isRunning());
        migrator.close();
        assertEquals(0, alive());
        assertTrue(most.get() <= threads, "threads at a time: " + most.get());
    }

    @Test
    void shouldHaveNoThreadLeftWhenItIsClosedBesideAStart() throws Exception {
        for (int round = 0; round < 100; round++) {
            Migrator migrator = migrator(snapshot -> List.of()).threads(2).open();
            CountDownLatch both = new CountDownLatch(2);
            Thread starter =
                    begin(
                            () -> {
                                both.countDown();
                                try {
                                    both.await();
                                    migrator.start();
                                } catch (InterruptedException e) {
                                    throw new AssertionError(e);
                                } catch (ClosedException e) {
                                    // It came too late.
                                }
                            });
            both.countDown();
            both.await();
            migrator.close();
            join(starter);
            assertFalse(migrator.status().isRunning());
            assertEquals(0, alive());
        }
    }

    @Test
    void shouldNameWhatIsNullWhenAMigratorIsDescribed() {
        Migrator.Builder builder = Migrator.of(store);
        assertRefused("store", () -> Migrator.of(null));
        assertRefused("policy", () -> builder.policy(null));
        assertRefused("interval", () -> builder.interval(null));
        assertRefused("firstRetry", () -> builder.firstRetry(null));
        assertRefused("ages", () -> Policies.age((Duration[]) null));
        assertRefused("ages", () -> Policies.age(Duration.ZERO, null));
    }

    private static void assertRefused(String parameter, Executable call) {
        NullPointerException e = assertThrows(NullPointerException.class, call, parameter);
        assertEquals(parameter, e.getMessage());
    }
}
