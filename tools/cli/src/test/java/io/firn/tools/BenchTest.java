package io.firn.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A machine that is measured, and what is said of it. */
class BenchTest {
    @TempDir Path directory;

    @Test
    void shouldMeasureEachThingAndLeaveNothing() throws IOException {
        Run run = Run.firn("bench", directory, "--seconds=3", "--json");
        assertTrue(run.exitCode() == Exit.FINE || run.exitCode() == Exit.FOUND, run.toString());
        assertEquals(6, run.out().split("\"perSecond\"", -1).length - 1, run.out());
        assertTrue(run.out().contains("\"verdict\":[{\"work\":\"forces\""), run.out());
        try (Stream<Path> left = Files.list(directory)) {
            assertEquals(List.of(), left.toList());
        }
    }

    private static Measurement of(String work, long perSecond, long median, long p99) {
        return new Measurement(work, perSecond, 1, perSecond * 1_000, median, p99);
    }

    private static String states(Measurement... measured) {
        return BenchVerdict.of(List.of(measured)).stream()
                .filter(each -> each.state() != Check.State.OK)
                .map(each -> each.subject() + " " + each.state())
                .collect(Collectors.joining(", "));
    }

    @Test
    void shouldSayNothingOfAGoodMachine() {
        assertEquals(
                "",
                states(
                        of(MachineBench.FORCE, 10_000, 100, 300),
                        of(MachineBench.ONE, 8_000, 120, 400),
                        of(MachineBench.MANY, 100_000, 500, 900),
                        of(MachineBench.WRITTEN, 2_000_000, -1, -1),
                        of(MachineBench.BYTES, 500_000, 2_000, 4_000),
                        of(MachineBench.FETCH, 5_000_000, -1, -1)));
    }

    @Test
    void shouldSayWhatIsSlow() {
        assertEquals(
                "forces WRONG, stalls WRONG, durable appends WRONG, shared forces NOTE, large batches"
                        + " WRONG, appends without a force WRONG, fetches WRONG",
                states(
                        of(MachineBench.FORCE, 100, 10_000, 900_000),
                        of(MachineBench.ONE, 40, 25_000, 900_000),
                        of(MachineBench.MANY, 60, 500_000, 900_000),
                        of(MachineBench.WRITTEN, 20_000, -1, -1),
                        of(MachineBench.BYTES, 5_000, 2_000, 4_000),
                        of(MachineBench.FETCH, 5_000, -1, -1)));
    }

    @Test
    void shouldDoubtForcesThatNoDeviceCanMake() {
        Check force =
                BenchVerdict.of(
                                List.of(
                                        of(MachineBench.FORCE, 500_000, 2, 3),
                                        of(MachineBench.ONE, 200_000, 5, 9),
                                        of(MachineBench.MANY, 1_000_000, 5, 9),
                                        of(MachineBench.WRITTEN, 2_000_000, -1, -1),
                                        of(MachineBench.BYTES, 500_000, 2_000, 4_000),
                                        of(MachineBench.FETCH, 5_000_000, -1, -1)))
                        .get(0);
        assertEquals(Check.State.NOTE, force.state());
        assertTrue(force.why().contains("in memory"), force.why());
    }
}
