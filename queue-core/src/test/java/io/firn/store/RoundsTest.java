package io.firn.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Who is served when. */
class RoundsTest {
    private final List<String> served = new ArrayList<>();
    private final AtomicInteger made = new AtomicInteger();
    private int workInRound;

    private Rounds rounds(boolean rests) {
        return new Rounds(
                new Retries(),
                () -> {
                    made.getAndIncrement();
                    return workInRound;
                },
                rests);
    }

    /** Notes that it was served, and may do more. */
    private final class Noted extends Rounds.Duty {
        private final String name;
        private Runnable then = () -> {};

        Noted(String name) {
            super(name);
            this.name = name;
        }

        @Override
        public int run() throws IOException {
            served.add(name);
            then.run();
            return 1;
        }
    }

    @Test
    void shouldServeEachWhoCalledOnceHoweverOftenItCalled() {
        Rounds rounds = rounds(false);
        Noted a = new Noted("a");
        Noted b = new Noted("b");
        rounds.call(a);
        rounds.call(b);
        rounds.call(a);
        assertEquals(2, rounds.run());
        assertEquals(2, served.size());
        assertTrue(served.containsAll(List.of("a", "b")), served.toString());
        assertEquals(0, rounds.run());
        assertEquals(2, served.size());
    }

    @Test
    void shouldServeAgainWhoCallsWhileItIsServed() {
        Rounds rounds = rounds(false);
        Noted a = new Noted("a");
        Noted b = new Noted("b");
        a.then =
                () -> {
                    a.then = () -> {};
                    rounds.call(a);
                    rounds.call(b);
                };
        rounds.call(a);
        rounds.run();
        assertEquals(List.of("a"), served);
        assertEquals(2, rounds.run());
        assertEquals(3, served.size());
    }

    @Test
    void shouldServeWhoCallsInARestAndMakeTheRoundWhenHurried() {
        Rounds rounds = rounds(true);
        Noted a = new Noted("a");
        int before;
        do { // a round that takes some time is followed by a rest
            before = made.get();
            rounds.run();
        } while (made.get() > before);
        rounds.call(a);
        rounds.run();
        assertEquals(List.of("a"), served);
        before = made.get();
        rounds.hurry();
        rounds.run();
        assertEquals(before + 1, made.get());
    }

    @Test
    void shouldNotRestWhileThereIsWorkOrWhenToldNotTo() {
        Rounds busy = rounds(true);
        workInRound = 1;
        for (int i = 0; i < 100; i++) {
            assertEquals(1, busy.run());
        }
        workInRound = 0;
        Rounds restless = rounds(false);
        made.set(0);
        for (int i = 0; i < 100; i++) {
            assertEquals(0, restless.run());
        }
        assertEquals(100, made.get());
    }

    @Test
    void shouldServeTheOthersWhenOneFails() {
        Rounds rounds = rounds(false);
        Noted a = new Noted("a");
        Noted b = new Noted("b");
        b.then =
                () -> {
                    throw new IllegalStateException("on purpose");
                };
        rounds.call(a);
        rounds.call(b); // the last that called is served first
        assertEquals(1, rounds.run());
        assertEquals(List.of("b", "a"), served);
    }
}
