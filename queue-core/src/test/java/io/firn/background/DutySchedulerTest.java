package io.firn.background;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.findings.Subject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Which duty is run when. */
class DutySchedulerTest {
    private static final Logger LOG = Logger.getLogger("io.firn");

    private final List<String> runs = new ArrayList<>();
    private final AtomicLong clock = new AtomicLong(1_000);
    private final Attempts attempts = new Attempts(SystemNanoClock.INSTANCE);
    private final DutyScheduler duties = DutyScheduler.invoked(clock::get, attempts);

    @BeforeAll
    static void silence() {
        LOG.setLevel(Level.OFF);
    }

    @FunctionalInterface
    private interface Job {
        void run(Noted duty) throws IOException;
    }

    /** Notes that it was run, and may do more. */
    private final class Noted extends Duty {
        private final String name;
        private Job job = duty -> {};

        Noted(String name) {
            super(duties, Subject.named(name), "job");
            this.name = name;
        }

        Noted doing(Job what) {
            job = what;
            return this;
        }

        @Override
        public int run() throws IOException {
            runs.add(name);
            job.run(this);
            return 1;
        }

        void at(long timeMs) {
            againAt(timeMs);
        }

        void soon() {
            againSoon();
        }
    }

    @Test
    void shouldRunEachThatWasCalledForOnceInTheOrderOfTheCalls() {
        Noted a = new Noted("a");
        Noted b = new Noted("b");
        b.call();
        a.call();
        b.call();
        assertEquals(2, duties.run());
        assertEquals(List.of("b", "a"), runs);
        assertEquals(0, duties.run());
        assertEquals(2, runs.size());
    }

    @Test
    void shouldRunInTheSamePassWhatADutyCallsFor() {
        Noted a = new Noted("a");
        Noted b = new Noted("b").doing(duty -> a.call());
        b.call();
        duties.run();
        assertEquals(List.of("b", "a"), runs);
    }

    @Test
    void shouldNotBeKeptForEverByADutyThatCallsForItself() {
        Noted a = new Noted("a").doing(Duty::call);
        a.call();
        duties.run();
        int before = runs.size();
        assertTrue(duties.isAnyLeft());
        duties.run();
        assertTrue(runs.size() > before);
    }

    @Test
    void shouldRunEachAtItsTimeTheEarliestFirst() {
        Noted late = new Noted("late").doing(duty -> duty.at(clock.get() + 50));
        Noted early = new Noted("early").doing(duty -> duty.at(clock.get() + 20));
        late.call();
        early.call();
        duties.run();
        runs.clear();
        late.doing(duty -> {});
        early.doing(duty -> {});
        clock.addAndGet(19);
        duties.run();
        assertEquals(List.of(), runs);
        clock.addAndGet(1_000);
        duties.run();
        assertEquals(List.of("early", "late"), runs);
        clock.addAndGet(1_000);
        duties.run();
        assertEquals(2, runs.size(), "each asked for one time");
    }

    @Test
    void shouldRunInTheOrderOfTheirMakingThoseThatAreDueAtOnce() {
        for (String name : List.of("a", "b", "c")) {
            Noted duty = new Noted(name).doing(each -> each.at(clock.get() + 10));
            duty.call();
        }
        duties.run();
        runs.clear();
        clock.addAndGet(10);
        duties.run();
        assertEquals(List.of("a", "b", "c"), runs);
    }

    @Test
    void shouldKeepTheEarliestOfTheTimesThatADutyAsksFor() {
        Noted a =
                new Noted("a")
                        .doing(
                                duty -> {
                                    duty.at(clock.get() + 30);
                                    duty.at(clock.get() + 10);
                                    duty.at(clock.get() + 20);
                                });
        a.call();
        duties.run();
        clock.addAndGet(10);
        duties.run();
        assertEquals(List.of("a", "a"), runs);
    }

    @Test
    void shouldAskEachAgainWhenTheClockWasSetBack() {
        Noted a = new Noted("a").doing(duty -> duty.at(clock.get() + 100));
        a.call();
        duties.run();
        clock.addAndGet(-86_400_000);
        duties.run();
        assertEquals(2, runs.size());
        clock.addAndGet(100);
        duties.run();
        assertEquals(3, runs.size());
    }

    @Test
    void shouldRunInEachPassWhatWaitsForSomethingThatNobodyTellsOf() {
        Noted a = new Noted("a").doing(Noted::soon);
        a.call();
        duties.run();
        duties.run();
        a.doing(duty -> {});
        duties.run();
        duties.run();
        assertEquals(3, runs.size());
    }

    @Test
    void shouldRunTheOthersWhenOneFailsAndLeaveThatAloneForAWhile() {
        Noted bad =
                new Noted("bad")
                        .doing(
                                duty -> {
                                    duty.at(clock.get());
                                    throw new IOException("on purpose");
                                });
        Noted good = new Noted("good");
        bad.call();
        good.call();
        assertEquals(1, duties.run());
        bad.call();
        good.call();
        assertEquals(1, duties.run());
        clock.addAndGet(500);
        duties.run();
        assertEquals(List.of("bad", "good", "good"), runs);
        assertEquals(1, attempts.errors());
    }

    /** As a force that fails while others append. */
    @Test
    void shouldLeaveOneThatFailsAloneForAWhileAlsoWhenItIsCalledDuringItsRun() {
        Noted bad =
                new Noted("bad")
                        .doing(
                                duty -> {
                                    duty.call();
                                    throw new IOException("on purpose");
                                });
        bad.call();
        duties.run();
        duties.run();
        assertEquals(List.of("bad"), runs);
        assertEquals(1, attempts.errors());
        assertFalse(duties.isAnyLeft());
    }

    @Test
    void shouldGoOnAfterAnErrorThatIsNoException() {
        Noted bad =
                new Noted("bad")
                        .doing(
                                duty -> {
                                    throw new StackOverflowError("on purpose");
                                });
        bad.call();
        assertEquals(0, duties.run());
        assertEquals(1, attempts.errors());
    }
}
