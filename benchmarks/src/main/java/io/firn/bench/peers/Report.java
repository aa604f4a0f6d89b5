package io.firn.bench.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.HdrHistogram.Histogram;

/** The report: one page that needs nothing else, and CSV beside it. */
final class Report {
    private final StringBuilder page = new StringBuilder(Html.HEAD);
    private final Conditions conditions;
    private final Results results;
    private final List<Cell> cells;

    private Report(Conditions conditions, Results results, List<Cell> cells) {
        this.conditions = conditions;
        this.results = results;
        this.cells = cells;
    }

    /** Returns all cells that have results, from this command or an earlier one. */
    static List<Cell> everyCell(Results results, List<Integer> sizes) throws IOException {
        TreeSet<Integer> all = new TreeSet<>(List.of(64, 256, 1024));
        all.addAll(sizes);
        List<Cell> cells =
                new Schedule(
                                EnumSet.allOf(Scenario.class),
                                EnumSet.allOf(Peer.class),
                                List.copyOf(all),
                                1)
                        .cells();
        results.loadMissing(cells);
        return cells.stream()
                .filter(c -> !results.of(c).isEmpty() || !results.failures(c).isEmpty())
                .toList();
    }

    /** Writes the report and returns its path. */
    static Path write(
            Path out,
            Conditions conditions,
            Results results,
            List<Cell> cells,
            List<String> missing)
            throws IOException {
        Report report = new Report(conditions, results, cells);
        report.begin(missing);
        for (Scenario scenario : Scenario.values()) {
            report.add(scenario);
        }
        report.page.append("</body></html>\n");
        Files.createDirectories(out);
        Files.write(out.resolve("peers.csv"), Csv.lines(results, cells, conditions.memory()));
        return Files.writeString(out.resolve("peers.html"), report.page);
    }

    private void begin(List<String> missing) {
        page.append(
                        "<h1>Firn and its peers</h1>\n"
                                + "<p>Equal payloads (random bytes) for all; each run in a")
                .append(" JVM of its own, contenders in turns. Medians; quartiles in grey below. A")
                .append(
                        " run during which a task waited for a CPU more than 20 % of the time was"
                                + " dropped")
                .append(
                        " and repeated, unless other processes used no CPU: some contenders have"
                                + " more")
                .append(
                        " busy threads than this machine has cores, which is part of their cost."
                                + " <i>To Firn</i>")
                .append(
                        " compares with firn-written or firn-durable, or with their batches of"
                                + " 16.</p>\n");
        page.append("<table>\n");
        conditions.shown().forEach(this::condition);
        condition(
                "report written",
                ZonedDateTime.now(ZoneOffset.UTC)
                        .format(DateTimeFormatter.ofPattern("d MMMM yyyy HH:mm 'UTC'")));
        Quality all =
                Quality.of(cells.stream().flatMap(cell -> results.of(cell).stream()).toList());
        condition(
                "runs",
                String.format(
                        "%d counted, %d dropped and repeated, %d counted although disturbed, %d"
                                + " with pressure of their own threads only",
                        all.runs(), all.dropped(), all.disturbed(), all.own()));
        page.append("</table>\n");
        for (String each : missing) {
            page.append("<p><b>Missing.</b> ").append(Html.escaped(each)).append("</p>\n");
        }
        contenders();
    }

    private void condition(String name, String value) {
        page.append("<tr><td class=text><b>")
                .append(Html.escaped(name))
                .append("</b></td><td class=text>")
                .append(Html.escaped(value))
                .append("</td></tr>\n");
    }

    private void contenders() {
        page.append(
                        "<h2>What an append that returned survives</h2>\n"
                                + "<table><tr><th class=text>contender")
                .append("<th class=text>version<th class=text>survives here")
                .append("<th class=text>how it is used</tr>\n");
        for (Peer peer : cells.stream().map(Cell::peer).distinct().sorted().toList()) {
            String version =
                    cells.stream()
                            .filter(cell -> cell.peer() == peer)
                            .flatMap(cell -> results.of(cell).stream())
                            .map(figures -> figures.getOrDefault("version", ""))
                            .findFirst()
                            .orElse("");
            page.append(row(peer))
                    .append("<td class=text>")
                    .append(Html.escaped(version))
                    .append("<td class=text>")
                    .append(peer.survives().on(conditions.memory()))
                    .append("<td class=text>")
                    .append(Html.escaped(peer.description()))
                    .append("</tr>\n");
        }
        page.append("</table>\n");
        if (conditions.memory()) {
            page.append(
                            "<p class=note>This file system is in memory: a force costs little and"
                                    + " nothing")
                    .append(" survives a power failure.</p>\n");
        }
    }

    private static String row(Peer peer) {
        String type = peer.family() == Family.FIRN ? " class=firn" : "";
        return "<tr" + type + "><td class=text>" + peer.id();
    }

    private void add(Scenario scenario) throws IOException {
        List<Cell> own = cells.stream().filter(cell -> cell.scenario() == scenario).toList();
        if (own.isEmpty()) {
            return;
        }
        page.append("<h2>").append(scenario.title()).append("</h2>\n<p>");
        page.append(Html.escaped(scenario.description())).append("</p>\n");
        if (scenario.isLatency()) {
            latencies(scenario, own);
        } else {
            for (Metric metric : scenario.metrics()) {
                figures(metric, own);
            }
        }
        for (Cell cell : own) {
            for (String why : results.failures(cell)) {
                page.append("<p class=note>").append(cell).append(" failed: ");
                page.append(Html.escaped(why)).append("</p>\n");
            }
        }
    }

    private void figures(Metric metric, List<Cell> own) {
        List<Integer> sizes = own.stream().map(Cell::bytes).distinct().sorted().toList();
        page.append("<h3>").append(metric.title()).append(", ").append(metric.unit());
        page.append("</h3>\n<table><tr><th class=text>contender<th class=text>survives");
        sizes.forEach(bytes -> page.append("<th>").append(bytes).append(" B<th>to Firn"));
        page.append("</tr>\n");
        for (Peer peer : own.stream().map(Cell::peer).distinct().sorted().toList()) {
            page.append(row(peer)).append("<td class=text>");
            page.append(peer.survives().on(conditions.memory()));
            for (int bytes : sizes) {
                Cell cell = new Cell(own.get(0).scenario(), peer, bytes);
                Spread spread = results.spread(cell, metric);
                double most =
                        own.stream()
                                .filter(each -> each.bytes() == bytes)
                                .mapToDouble(each -> results.spread(each, metric).median())
                                .filter(each -> !Double.isNaN(each))
                                .max()
                                .orElse(1);
                figure(spread, most, results.spread(reference(own, peer, bytes), metric).median());
            }
            page.append("</tr>\n");
        }
        page.append("</table>\n");
    }

    /** The contender to which others with the same number of records in an append are compared. */
    private static Cell reference(List<Cell> own, Peer peer, int bytes) {
        Peer firn;
        if (peer.isForced()) {
            firn = peer.records() == 1 ? Peer.FIRN_DURABLE : Peer.FIRN_DURABLE_16;
        } else {
            firn = peer.records() == 1 ? Peer.FIRN_WRITTEN : Peer.FIRN_WRITTEN_16;
        }
        return new Cell(own.get(0).scenario(), firn, bytes);
    }

    private void figure(Spread spread, double most, double reference) {
        if (spread.runs() == 0) {
            page.append("<td>–<td>");
            return;
        }
        long width = Math.round(90 * spread.median() / Math.max(most, 1e-9));
        page.append("<td>").append(TerminalTable.number(spread.median()));
        page.append("<small>").append(TerminalTable.number(spread.lower())).append(" – ");
        page.append(TerminalTable.number(spread.upper())).append("</small><td>");
        if (reference >= 1) {
            page.append(TerminalTable.number(spread.median() / reference)).append(" ×");
        }
        page.append("<span class=bar style=\"width:").append(width).append("px\"></span>");
    }

    private void latencies(Scenario scenario, List<Cell> own) throws IOException {
        for (int bytes : own.stream().map(Cell::bytes).distinct().sorted().toList()) {
            TreeSet<Integer> rates = new TreeSet<>();
            own.forEach(cell -> rates.addAll(scenario.rates(cell.peer())));
            for (int rate : rates) {
                Map<Peer, Histogram> histograms = new TreeMap<>();
                List<Peer> peers = new ArrayList<>();
                for (Cell cell : own) {
                    if (cell.bytes() == bytes && scenario.rates(cell.peer()).contains(rate)) {
                        Histogram sum = Histograms.create();
                        results.of(cell).forEach(run -> Histograms.addTo(sum, run, rate));
                        histograms.put(cell.peer(), sum);
                        peers.add(cell.peer());
                    }
                }
                String title =
                        String.format("%s, %d B, %,d records/s", scenario.title(), bytes, rate);
                page.append("<h3>").append(title).append("</h3>\n");
                page.append(Charts.percentiles(title, histograms));
                percentiles(scenario, peers, bytes, rate);
            }
        }
    }

    private void percentiles(Scenario scenario, List<Peer> peers, int bytes, int rate) {
        page.append(
                        "\n"
                                + "<p class=note>The plot has the records of all runs; the table the"
                                + " medians of the")
                .append(" runs' percentiles, in µs.</p>\n");
        page.append("<table><tr><th class=text>contender<th class=text>survives");
        scenario.metrics().forEach(metric -> page.append("<th>").append(metric.title()));
        page.append("</tr>\n");
        for (Peer peer : peers) {
            page.append(row(peer)).append("<td class=text>");
            page.append(peer.survives().on(conditions.memory()));
            for (Metric metric : scenario.metrics()) {
                Spread spread = results.spread(new Cell(scenario, peer, bytes), metric.at(rate));
                page.append("<td>").append(TerminalTable.number(spread.median() / 1e3));
                page.append("<small>").append(TerminalTable.number(spread.lower() / 1e3));
                page.append(" – ").append(TerminalTable.number(spread.upper() / 1e3));
                page.append("</small>");
            }
            page.append("</tr>\n");
        }
        page.append("</table>\n");
    }
}
