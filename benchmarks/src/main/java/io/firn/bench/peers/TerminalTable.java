package io.firn.bench.peers;

import java.io.PrintStream;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** Prints the medians of the most important metrics. */
final class TerminalTable {
    private TerminalTable() {}

    static void print(PrintStream out, Results results, List<Cell> cells) {
        for (Scenario scenario : Scenario.values()) {
            List<Cell> own = cells.stream().filter(cell -> cell.scenario() == scenario).toList();
            if (own.isEmpty()) {
                continue;
            }
            Set<Integer> sizes =
                    own.stream()
                            .map(Cell::bytes)
                            .collect(Collectors.toCollection(LinkedHashSet::new));
            out.printf("%n%s, medians%n%-24s", scenario.title(), "");
            List<Metric> metrics = metrics(scenario);
            for (Metric metric : metrics) {
                for (int bytes : sizes) {
                    out.printf(" %14s", metric.key() + " " + bytes + "B");
                }
            }
            out.println();
            for (Peer peer : own.stream().map(Cell::peer).distinct().toList()) {
                List<Integer> rates = scenario.rates(peer);
                for (int i = 0; i < Math.max(1, rates.size()); i++) {
                    String at = rates.isEmpty() ? "" : " " + rates.get(i) / 1000 + "k/s";
                    out.printf("%-24s", peer.id() + at);
                    for (Metric metric : metrics) {
                        Metric key = rates.isEmpty() ? metric : metric.at(rates.get(i));
                        for (int bytes : sizes) {
                            Cell cell = new Cell(scenario, peer, bytes);
                            out.printf(" %14s", number(results.spread(cell, key).median()));
                        }
                    }
                    out.println();
                }
            }
        }
        out.println();
    }

    /** The first metrics, as many as fit a line. */
    private static List<Metric> metrics(Scenario scenario) {
        List<Metric> all = scenario.metrics();
        return scenario.isLatency()
                ? List.of(all.get(0), all.get(2), all.get(4))
                : all.subList(0, Math.min(2, all.size()));
    }

    static String number(double value) {
        if (Double.isNaN(value)) {
            return "–";
        }
        return String.format(
                Locale.ROOT, value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%,.0f", value);
    }
}
