package io.firn.bench.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.bench.peers.Schedule.Turn;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunnerTest {
    private static final Cell CELL = new Cell(Scenario.APPEND_FRESH, Peer.FIRN_WRITTEN, 64);

    @TempDir Path directory;
    private Results results;

    @BeforeEach
    void open() throws IOException {
        results = new Results(directory.resolve("runs"));
    }

    @Test
    void shouldRepeatADisturbedRunAndCountWhatWasDropped() throws Exception {
        run(List.of(run(80, 1), run(10, 2)), turn(0));
        assertEquals(2, results.spread(CELL, Metric.NS).median());
        assertEquals("1", results.of(CELL).get(0).get(Results.DROPPED));
    }

    @Test
    void shouldKeepTheLeastDisturbedRunWhenAllWere() throws Exception {
        run(List.of(run(80, 1), run(40, 2), run(90, 3), run(50, 4)), turn(0));
        assertEquals(2, results.spread(CELL, Metric.NS).median());
        Quality quality = Quality.of(results.of(CELL));
        assertEquals(Runner.REPETITIONS, quality.dropped());
        assertEquals(1, quality.disturbed());
    }

    @Test
    void shouldContinueWhereAnotherCommandEnded() throws Exception {
        run(List.of(run(1, 1)), turn(0));
        results = new Results(directory.resolve("runs"));
        results.load(List.of(CELL));
        run(List.of(run(1, 3)), turn(0), turn(1));
        assertEquals(new Spread(2, 1.5, 2, 2.5), results.spread(CELL, Metric.NS));
    }

    @Test
    void shouldCountWhatIsLeftWhenTheTimeIsOver() throws Exception {
        Runner runner = new Runner(results, cell -> run(1, 1), directory, 0);
        assertEquals(2, runner.run(List.of(turn(0), turn(1), turn(2)), turn -> turn.round() < 1));
        assertTrue(results.has(CELL, 0));
        assertFalse(results.has(CELL, 1));
    }

    @Test
    void shouldReportARunThatFailedAndTryItAgainLater() throws Exception {
        Runner runner =
                new Runner(
                        results,
                        cell -> {
                            throw new IOException("no such thing");
                        },
                        directory,
                        0);
        runner.run(List.of(turn(0)), turn -> true);
        assertEquals(List.of("no such thing"), results.failures(CELL));
        assertTrue(results.of(CELL).isEmpty());
        results = new Results(directory.resolve("runs"));
        results.load(List.of(CELL));
        assertFalse(results.has(CELL, 0));
    }

    @Test
    void shouldRefuseToMixFiguresOfDifferentConditions() throws Exception {
        results.conditions(Map.of("Firn", "commit 1"));
        results.conditions(Map.of("Firn", "commit 1"));
        IOException e =
                assertThrows(
                        IOException.class, () -> results.conditions(Map.of("Firn", "commit 2")));
        assertTrue(e.getMessage().contains("'commit 1', now it is 'commit 2'"), e.getMessage());
    }

    private void run(List<Map<String, String>> attempts, Turn... turns) throws Exception {
        Iterator<Map<String, String>> next = attempts.iterator();
        new Runner(results, cell -> next.next(), directory, Runner.REPETITIONS)
                .run(List.of(turns), turn -> true);
    }

    private static Turn turn(int round) {
        return new Turn(CELL, round);
    }

    private static Map<String, String> run(double pressure, double ns) {
        Map<String, String> figures = new HashMap<>();
        figures.put(Child.PRESSURE, Double.toString(pressure));
        figures.put(Child.FOREIGN, "100");
        figures.put(Child.MEASURED_MS, "1000");
        figures.put(Metric.NS.key(), Double.toString(ns));
        return figures;
    }
}
