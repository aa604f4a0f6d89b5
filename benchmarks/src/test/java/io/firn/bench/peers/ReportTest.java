package io.firn.bench.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {
    @TempDir Path directory;

    @Test
    void shouldKeepPercentilesAndTheWholeHistogramOfARun() {
        Histogram histogram = Histograms.create();
        for (int i = 1; i <= 10_000; i++) {
            Histograms.record(histogram, i * 1000L);
        }
        Map<String, String> figures = new HashMap<>();
        Histograms.put(figures, 1000, histogram);
        assertEquals(5_000_000, Double.parseDouble(figures.get("1000.p50")), 5000);
        assertEquals(9_990_000, Double.parseDouble(figures.get("1000.p99.9")), 10_000);
        Histogram sum = Histograms.create();
        Histograms.addTo(sum, figures, 1000);
        Histograms.addTo(sum, figures, 1000);
        Histograms.addTo(sum, figures, 7); // a rate that the run does not have
        assertEquals(20_000, sum.getTotalCount());
        assertEquals(histogram.getMaxValue(), sum.getMaxValue());
    }

    @Test
    void shouldChargeAStallToEveryRecordThatBecameDueInIt() {
        LatencyWork.OpenLoop loop = new LatencyWork.OpenLoop(1000);
        loop.begin();
        long first = loop.awaitNext();
        long stalledUntil = System.nanoTime() + 5_000_000;
        while (System.nanoTime() < stalledUntil) {
            Thread.onSpinWait();
        }
        long second = loop.awaitNext();
        assertEquals(1_000_000, second - first);
        assertTrue(System.nanoTime() - second >= 3_000_000);
    }

    @Test
    void shouldWriteOneLineForEachCellAndMetric() throws Exception {
        Cell cell = new Cell(Scenario.DURABLE_1, Peer.FIRN_DURABLE, 64);
        List<String> lines = Csv.lines(withOneRun(cell), List.of(cell), true);
        assertEquals(2, lines.size());
        assertEquals(lines.get(0).split(",").length, lines.get(1).split(",").length);
        assertEquals(
                "durable-1,firn-durable,Firn,as built,1,process crash,64,,ns,ns,1,120.500,120.500,"
                        + "120.500,0,0",
                lines.get(1));
    }

    @Test
    void shouldQuoteWhatWouldBreakALine() {
        assertEquals("\"a,\"\"b\"\"\"", Csv.quoted("a,\"b\""));
        assertEquals("Chronicle Queue", Csv.quoted("Chronicle Queue"));
    }

    @Test
    void shouldWriteAPageThatNeedsNothingElse() throws Exception {
        Cell cell = new Cell(Scenario.LATENCY, Peer.FIRN_WRITTEN, 64);
        Results results = withOneRun(cell);
        Path page =
                Report.write(
                        directory,
                        new Conditions(Map.of("CPU", "<fast>"), true),
                        results,
                        Report.everyCell(results, List.of(64)),
                        List.of("a peer"));
        String html = Files.readString(page);
        assertTrue(html.contains("&lt;fast&gt;"), "escaped");
        assertTrue(html.contains("data:image/png;base64,"), "has a plot");
        assertFalse(html.contains("http"), "no network");
        assertTrue(html.contains("a peer"), "names what is missing");
        assertTrue(Files.exists(directory.resolve("peers.csv")));
    }

    private Results withOneRun(Cell cell) throws Exception {
        Map<String, String> figures = new HashMap<>();
        figures.put("version", "as built");
        figures.put(Child.PRESSURE, "0");
        figures.put(Child.FOREIGN, "0");
        figures.put(Child.MEASURED_MS, "100");
        figures.put(Metric.NS.key(), "120.5");
        Histogram histogram = Histograms.create();
        for (int i = 1; i <= 1000; i++) {
            histogram.recordValue(i);
        }
        Histograms.put(figures, 10_000, histogram);
        Results results = new Results(directory.resolve("runs"));
        results.add(cell, 0, figures);
        return results;
    }
}
