package io.firn.server.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What counts of a request's time, by a clock of the test. */
class HandlingTimeTest {
    private final List<Long> recorded = new ArrayList<>();
    private long nowNs = 1_000;
    private final HandlingTime time =
            new HandlingTime(
                    ns -> {
                        recorded.add(ns);
                        return 7;
                    },
                    () -> nowNs);

    private void pass(long ns) {
        nowNs += ns;
    }

    @Test
    void shouldCountThePartsAndNotTheTimeBetween() {
        time.run(true, () -> pass(5));
        pass(1_000);
        time.run(false, () -> pass(30));
        pass(1_000);
        time.run(false, () -> pass(400));
        assertEquals(List.of(), recorded);
        assertEquals(7, time.settle());
        assertEquals(List.of(435L), recorded);
        assertEquals(0, time.settle());
        assertEquals(List.of(435L), recorded);
    }

    @Test
    void shouldCountAPartInAnotherOneOnce() {
        time.run(
                true,
                () -> {
                    pass(5);
                    time.run(true, () -> pass(30));
                    pass(400);
                });
        time.settle();
        assertEquals(List.of(435L), recorded);
    }

    @Test
    void shouldCountWhatWasSpentBeforeTheAnswerAndRecordTheRestLater() {
        time.run(
                true,
                () -> {
                    pass(5);
                    assertEquals(7, time.settle());
                    pass(30);
                });
        time.run(true, () -> pass(400));
        assertEquals(List.of(5L, 30L, 400L), recorded);
    }

    @Test
    void shouldCountAPartThatFails() {
        try {
            time.run(
                    false,
                    () -> {
                        pass(5);
                        throw new IllegalStateException();
                    });
        } catch (IllegalStateException e) {
            pass(1_000);
        }
        time.settle();
        assertEquals(List.of(5L), recorded);
    }
}
