package io.firn.background;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.api.Waiting;
import io.firn.findings.Subject;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Duties that several threads take: each by one at a time, and no call is lost. */
class WorkersTest {
    /** The time that {@link #startWithRestsWithoutEnd} gives to the threads. */
    private final AtomicLong nanos = new AtomicLong();

    private final Attempts attempts = new Attempts(SystemNanoClock.INSTANCE);

    /** The threads that have looked at the time. */
    private final Set<Thread> looked = ConcurrentHashMap.newKeySet();

    private final List<String> deaths = Collections.synchronizedList(new ArrayList<>());
    private Workers workers;
    private DutyScheduler scheduler;

    private void start(int threads, int lanes) {
        start(threads, lanes, SystemNanoClock.INSTANCE, DutyScheduler.LONGEST_REST_NS);
    }

    private void start(int threads, int lanes, NanoClock clock, long longestRestNs) {
        start(threads, lanes, false, clock, longestRestNs);
    }

    private void start(
            int threads,
            int lanes,
            boolean isFirstLaneSerial,
            NanoClock clock,
            long longestRestNs) {
        create(threads, lanes, isFirstLaneSerial, clock, longestRestNs);
        workers.start(scheduler, null);
    }

    private void create(
            int threads,
            int lanes,
            boolean isFirstLaneSerial,
            NanoClock clock,
            long longestRestNs) {
        workers =
                new Workers(
                        new StoreThread.Maker(null, (name, why) -> deaths.add(name)),
                        "test-worker",
                        threads,
                        clock);
        scheduler =
                new DutyScheduler(
                        new CheckedClock(
                                () -> {
                                    looked.add(Thread.currentThread());
                                    return System.currentTimeMillis();
                                },
                                true,
                                null,
                                attempts),
                        lanes,
                        isFirstLaneSerial,
                        workers,
                        longestRestNs);
    }

    @AfterEach
    void end() {
        workers.end();
        workers.join();
        assertEquals(0, attempts.errors());
    }

    private static void await(BooleanSupplier condition) {
        Waiting.await("what has to come", condition);
    }

    /** Work of which each piece is announced by a call, and which is done by runs. */
    private final class Counted extends Duty {
        private final AtomicLong announced = new AtomicLong();
        private final AtomicBoolean running = new AtomicBoolean();
        private final AtomicBoolean ranTwiceAtOnce;
        private final long longestNs;
        private final Random random;
        private volatile long done;
        private boolean asksForTime; // as the runs follow one another, a plain field is enough

        Counted(int number, long longestNs, AtomicBoolean ranTwiceAtOnce) {
            super(scheduler, Subject.named("" + number), "job");
            this.longestNs = longestNs;
            this.ranTwiceAtOnce = ranTwiceAtOnce;
            this.random = new Random(number);
        }

        void announce() {
            announced.incrementAndGet();
            call();
        }

        @Override
        protected int lane() {
            return (int) (number() % 3);
        }

        @Override
        protected boolean isUrgent() {
            return number() % 2 == 0;
        }

        @Override
        public int run() {
            if (!running.compareAndSet(false, true)) {
                ranTwiceAtOnce.set(true);
            }
            long seen = announced.get();
            if (longestNs > 0 && random.nextInt(4) == 0) {
                LockSupport.parkNanos(random.nextInt((int) longestNs));
            }
            int work = (int) (seen - done);
            done = seen;
            asksForTime = !asksForTime;
            if (asksForTime) {
                againAt(nowMs() + 1);
            }
            if (random.nextInt(50) == 0) {
                call(); // as a callback that appends
            }
            running.set(false);
            return work;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 300_000})
    void shouldLoseNoCallAndRunNoDutyTwiceAtOnce(long longestNs) throws Exception {
        start(4, 3);
        AtomicBoolean twice = new AtomicBoolean();
        Counted[] duties = new Counted[40];
        for (int i = 0; i < duties.length; i++) {
            duties[i] = new Counted(i, longestNs, twice);
        }
        List<Thread> callers = new ArrayList<>();
        for (int c = 0; c < 3; c++) {
            Random random = new Random(c);
            Thread caller =
                    new Thread(
                            () -> {
                                for (int i = 0; i < 20_000; i++) {
                                    duties[random.nextInt(duties.length)].announce();
                                    if (random.nextInt(100) == 0) {
                                        LockSupport.parkNanos(random.nextInt(200_000));
                                    }
                                }
                            });
            callers.add(caller);
            caller.start();
        }
        for (Thread caller : callers) {
            caller.join();
        }
        await(() -> Arrays.stream(duties).allMatch(each -> each.done == each.announced.get()));
        assertEquals(60_000, Arrays.stream(duties).mapToLong(each -> each.announced.get()).sum());
        assertTrue(!twice.get(), "a duty was run by two threads at once");
        assertEquals(List.of(), deaths);
    }

    @Test
    void shouldSayForHowLongAThreadStandsStillAndThatOneWithNothingToDoMoves() throws Exception {
        long minuteNs = TimeUnit.MINUTES.toNanos(1);
        start(1, 1, nanos::get, DutyScheduler.LONGEST_REST_NS);
        nanos.addAndGet(minuteNs);
        await(() -> stillNs() == 0); // at the end of its rest
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        new Duty(scheduler, Subject.named("stuck"), "job") {
            @Override
            public int run() throws IOException {
                begun.countDown();
                try {
                    ends.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
                return 0;
            }
        }.call();
        begun.await();
        nanos.addAndGet(minuteNs);
        assertEquals(minuteNs, stillNs());
        ends.countDown();
        await(() -> stillNs() == 0);
    }

    private long stillNs() {
        Map<String, Duration> still = new HashMap<>();
        workers.addStill(still);
        return still.get("test-worker").toNanos();
    }

    /** After each call nothing else happens that would wake a thread. */
    @Test
    void shouldRunADutyThatIsCalledWhileAllRest() {
        start(3, 1);
        Counted duty = new Counted(0, 0, new AtomicBoolean());
        for (int i = 0; i < 2_000; i++) {
            duty.announce();
            long wanted = i + 1L;
            await(() -> duty.done == wanted);
            if (i % 20 == 0) {
                LockSupport.parkNanos(i % 7 * 100_000L);
            }
        }
    }

    /** Hangs until it is released, as a force on a device that has stopped answering. */
    private final class Hanging extends Duty {
        private final int lane;
        private final CountDownLatch release;
        private final Set<String> inside;

        Hanging(int lane, CountDownLatch release, Set<String> inside) {
            super(scheduler, Subject.named("" + lane), "hangs");
            this.lane = lane;
            this.release = release;
            this.inside = inside;
        }

        @Override
        protected int lane() {
            return lane;
        }

        @Override
        public int run() {
            inside.add(Thread.currentThread().getName());
            try {
                release.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return 1;
        }
    }

    private List<Hanging> hang(int count, int lane, CountDownLatch release, Set<String> inside) {
        List<Hanging> hanging = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Hanging duty = new Hanging(lane, release, inside);
            hanging.add(duty);
            duty.call();
        }
        return hanging;
    }

    @Test
    void shouldRunTheOthersWhileSomeHangUntilTheLimit() {
        start(4, 1);
        CountDownLatch release = new CountDownLatch(1);
        Set<String> inside = ConcurrentHashMap.newKeySet();
        try {
            hang(3, 0, release, inside);
            await(() -> inside.size() == 3);
            Counted duty = new Counted(0, 0, new AtomicBoolean());
            duty.announce();
            await(() -> duty.done == 1);
            hang(20, 0, release, inside);
            await(() -> inside.size() == 4);
        } finally {
            release.countDown();
        }
        assertEquals(
                Set.of("test-worker", "test-worker-2", "test-worker-3", "test-worker-4"), inside);
    }

    @Test
    void shouldKeepAThreadForALaneWhileAllRunsOfAnotherHang() {
        start(4, 2);
        CountDownLatch release = new CountDownLatch(1);
        Set<String> inside = ConcurrentHashMap.newKeySet();
        try {
            hang(20, 0, release, inside);
            await(() -> inside.size() == 3);
            Counted duty = new Counted(1, 0, new AtomicBoolean()); // lane 1 or 2: the last
            for (int i = 1; i <= 100; i++) {
                duty.announce();
                long wanted = i;
                await(() -> duty.done == wanted);
            }
            assertEquals(3, inside.size());
        } finally {
            release.countDown();
        }
    }

    @Test
    void shouldRunTheDutiesOfASerialLaneOneAfterAnotherBesideThoseOfOthers() {
        start(4, 2, true, SystemNanoClock.INSTANCE, DutyScheduler.LONGEST_REST_NS);
        CountDownLatch release = new CountDownLatch(1);
        Set<String> serial = ConcurrentHashMap.newKeySet();
        Set<String> others = ConcurrentHashMap.newKeySet();
        try {
            hang(20, 0, release, serial);
            await(() -> serial.size() == 1);
            hang(20, 1, release, others);
            await(() -> others.size() == 3);
            assertEquals(1, serial.size());
        } finally {
            release.countDown();
        }
    }

    /** Otherwise a second thread wakes for each time that a run has put off. */
    @Test
    void shouldWatchTheTimeByTheThreadThatRanLastIfTheOtherRestsForATimeThatWasPutOff() {
        create(2, 1, false, nanos::get, TimeUnit.HOURS.toNanos(1));
        Worker first = new Worker(workers, nanos::get, scheduler, "first", null);
        Worker second = new Worker(workers, nanos::get, scheduler, "second", null);
        long[] nextMs = {System.currentTimeMillis() + 10_000_000};
        Duty timed =
                new Duty(scheduler, Subject.named("timed"), "job") {
                    @Override
                    public int run() {
                        againAt(nextMs[0]);
                        return 0;
                    }
                };
        timed.call();
        scheduler.run(scheduler.take(first));
        assertTrue(scheduler.restNs(second) < TimeUnit.HOURS.toNanos(1), "it watches");
        nextMs[0] = Long.MAX_VALUE;
        timed.call();
        scheduler.run(scheduler.take(first));
        assertEquals(TimeUnit.HOURS.toNanos(1), scheduler.restNs(first));
        assertTrue(scheduler.restNs(second) > TimeUnit.HOURS.toNanos(1), "it watches no more");
    }

    /** Nobody else may run it now, and a wake-up takes a processor from somebody. */
    @Test
    void shouldWakeNobodyForACallOfARunInASerialLaneForTheSameLane() {
        start(2, 2, true, nanos::get, TimeUnit.DAYS.toNanos(1));
        Quick quick = new Quick();
        quick.callAndAwait(1); // while it ran, the second thread was started
        for (int round = 2; round < 6; round++) {
            awaitThatAllRest(2);
            looked.clear();
            int wanted = round;
            AtomicInteger lookers = new AtomicInteger();
            Duty calling =
                    new Duty(scheduler, Subject.named("calling"), "job") {
                        @Override
                        public int run() {
                            // No more one that has just begun, and ends before a thread wakes.
                            nanos.addAndGet(TimeUnit.MICROSECONDS.toNanos(21));
                            quick.call();
                            for (int i = 0; i < 50 && looked.size() == 1; i++) {
                                LockSupport.parkNanos(1_000_000);
                            }
                            lookers.set(looked.size());
                            return 0;
                        }
                    };
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(-1)); // no guard is due
            calling.call();
            await(() -> lookers.get() > 0 && quick.runs == wanted);
            assertEquals(1, lookers.get());
        }
    }

    /** Another thread runs what a serial lane's run wants of another lane meanwhile. */
    @Test
    void shouldWakeAThreadForACallOfARunInASerialLaneForAnotherLane() {
        start(2, 2, true, nanos::get, TimeUnit.DAYS.toNanos(1));
        Quick quick = new Quick();
        quick.callAndAwait(1);
        awaitThatAllRest(2);
        CountDownLatch ran = new CountDownLatch(1);
        AtomicBoolean hasEnded = new AtomicBoolean();
        Duty other =
                new Duty(scheduler, Subject.named("other"), "job") {
                    @Override
                    protected int lane() {
                        return 1;
                    }

                    @Override
                    public int run() {
                        ran.countDown();
                        return 0;
                    }
                };
        Duty calling =
                new Duty(scheduler, Subject.named("calling"), "job") {
                    @Override
                    public int run() {
                        nanos.addAndGet(TimeUnit.MICROSECONDS.toNanos(21));
                        other.call();
                        await(() -> ran.getCount() == 0);
                        hasEnded.set(true);
                        return 0;
                    }
                };
        calling.call();
        await(hasEnded::get);
    }

    /** A duty notes when it ran; the one that hangs has the only thread meanwhile. */
    private final class Noted extends Duty {
        private final boolean urgent;
        private final List<Boolean> runs;

        Noted(boolean urgent, List<Boolean> runs) {
            super(scheduler, Subject.named("" + urgent), "noted");
            this.urgent = urgent;
            this.runs = runs;
        }

        @Override
        protected boolean isUrgent() {
            return urgent;
        }

        @Override
        public int run() {
            runs.add(urgent);
            return 1;
        }
    }

    @Test
    void shouldRunUrgentDutiesFirstButLetNoOtherWaitForever() {
        start(1, 1);
        CountDownLatch release = new CountDownLatch(1);
        Set<String> inside = ConcurrentHashMap.newKeySet();
        hang(1, 0, release, inside);
        await(() -> !inside.isEmpty());
        List<Boolean> runs = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 20; i++) {
            new Noted(false, runs).call();
        }
        for (int i = 0; i < 40; i++) {
            new Noted(true, runs).call();
        }
        release.countDown();
        await(() -> runs.size() == 60);
        assertEquals(Collections.nCopies(7, true), runs.subList(0, 7));
        assertEquals(false, runs.get(7));
        assertEquals(35, runs.subList(0, 40).stream().filter(urgent -> urgent).count());
    }

    @Test
    void shouldEndWithTheRunsThatAreUnderWay() {
        start(2, 1);
        CountDownLatch release = new CountDownLatch(1);
        Set<String> inside = ConcurrentHashMap.newKeySet();
        hang(100, 0, release, inside);
        await(() -> inside.size() == 2);
        AtomicInteger before = new AtomicInteger(inside.size());
        workers.end();
        release.countDown();
        workers.join();
        assertEquals(before.get(), inside.size());
        assertEquals(List.of(), deaths);
    }

    /** In a store whose threads only rest: what nobody wakes them for is never run. */
    private void startWithRestsWithoutEnd(int threads) {
        start(threads, 1, nanos::get, TimeUnit.DAYS.toNanos(1));
    }

    private void awaitThatAllRest(int threads) {
        await(
                () ->
                        Thread.getAllStackTraces().keySet().stream()
                                        .filter(each -> LockSupport.getBlocker(each) == scheduler)
                                        .count()
                                == threads);
    }

    /** Its run did nothing, so its thread does not spin, but rests at once. */
    @Test
    void shouldRunAgainADutyThatIsCalledDuringItsRun() {
        startWithRestsWithoutEnd(1);
        AtomicInteger runs = new AtomicInteger();
        Duty duty =
                new Duty(scheduler, Subject.named("d"), "job") {
                    @Override
                    public int run() {
                        if (runs.incrementAndGet() % 2 == 1) {
                            call();
                        }
                        return 0;
                    }
                };
        for (int i = 1; i <= 20; i++) {
            awaitThatAllRest(1);
            duty.call();
            int wanted = 2 * i;
            await(() -> runs.get() == wanted);
        }
    }

    /** Calls for nothing and asks for no time. */
    private final class Quick extends Duty {
        private volatile int runs;

        Quick() {
            super(scheduler, Subject.named("quick"), "job");
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // one run at a time
        public int run() {
            runs++;
            return 1;
        }

        /** Calls it, and waits until it was run so often. */
        void callAndAwait(int wanted) {
            call();
            await(() -> runs == wanted);
        }
    }

    /** For a run that has lasted longer than it takes to wake a thread, nobody waits. */
    @Test
    void shouldWakeAThreadForACallWhileARunHangs() {
        startWithRestsWithoutEnd(2);
        Quick quick = new Quick();
        quick.callAndAwait(1); // while it ran, the second thread was started
        awaitThatAllRest(2);
        CountDownLatch release = new CountDownLatch(1);
        Set<String> inside = ConcurrentHashMap.newKeySet();
        try {
            hang(1, 0, release, inside);
            await(() -> inside.size() == 1);
            nanos.addAndGet(TimeUnit.MICROSECONDS.toNanos(21));
            quick.callAndAwait(2);
        } finally {
            release.countDown();
        }
    }

    /**
     * A call while a run has just begun wakes nobody, because runs are short. If this one hangs
     * nevertheless, the thread that was woken as a guard finds the call at its next look.
     */
    @Test
    void shouldFindACallThatCameJustWhenARunBeganToHang() {
        startWithRestsWithoutEnd(2);
        Quick quick = new Quick();
        quick.callAndAwait(1);
        for (int round = 2; round < 12; round++) {
            awaitThatAllRest(2);
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(1)); // the last guard was long ago
            CountDownLatch release = new CountDownLatch(1);
            Set<String> inside = ConcurrentHashMap.newKeySet();
            try {
                hang(1, 0, release, inside);
                await(() -> inside.size() == 1);
                awaitThatAllRest(1);
                quick.callAndAwait(round);
            } finally {
                release.countDown();
            }
        }
    }

    /** A force was short until one hangs: nobody is woken for the other calls. */
    @Test
    void shouldNoticeCallsBesideAHangingRunAfterShortOnes() {
        start(3, 1);
        Counted quick = new Counted(0, 0, new AtomicBoolean());
        for (int i = 0; i < 1_000; i++) {
            quick.announce();
        }
        await(() -> quick.done == 1_000);
        CountDownLatch release = new CountDownLatch(1);
        Set<String> inside = ConcurrentHashMap.newKeySet();
        try {
            hang(1, 0, release, inside);
            await(() -> inside.size() == 1);
            quick.announce();
            await(() -> quick.done == 1_001);
        } finally {
            release.countDown();
        }
    }
}
