package io.firn.bench.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class DisturbanceTest {
    private static final String PRESSURE =
            """
            some avg10=46.11 avg60=19.88 avg300=15.76 total=14171185416
            full avg10=0.00 avg60=0.00 avg300=0.00 total=7
            """;

    @Test
    void shouldDropARunWithPressureFromOthers() {
        assertTrue(new Disturbance(20.1, 50, 1000).isTooMuch());
    }

    @Test
    void shouldKeepARunWithTwentyPercent() {
        assertFalse(new Disturbance(20, 50, 1000).isTooMuch());
    }

    @Test
    void shouldKeepARunThatMadeThePressureItself() {
        Disturbance own = new Disturbance(90, 4, 1000);
        assertFalse(own.isTooMuch());
        assertTrue(own.isOwn());
    }

    @Test
    void shouldNotTakeATickOfAShortRunForAnother() {
        assertTrue(new Disturbance(90, 12, 200).isOwn());
        assertFalse(new Disturbance(90, 20, 200).isOwn());
    }

    @Test
    void shouldReadTheTimeInWhichSomeTaskWaited() {
        assertEquals(14171185416L, Meter.stalledUs(PRESSURE));
    }

    @Test
    void shouldReadZeroWhereTheKernelDoesNotSay() {
        assertEquals(0, Meter.stalledUs(""));
    }

    @Test
    void shouldCountStolenTimeAsBusyAndIdleTimeNot() {
        List<String> stat = List.of("cpu  1 2 4 1000 2000 8 16 32 64 128", "cpu0 9 9 9 9");
        assertEquals(1 + 2 + 4 + 8 + 16 + 32, Meter.busyTicks(stat));
    }

    @Test
    void shouldUseTheTicksWhenAThreadEndedWithItsTime() {
        assertEquals(500_000_000, Meter.cpuNs(-3, 50));
        assertEquals(493_000_000, Meter.cpuNs(493_000_000, 50));
    }
}
