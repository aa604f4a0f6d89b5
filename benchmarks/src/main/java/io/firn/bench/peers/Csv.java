package io.firn.bench.peers;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The figures as comma-separated values, one line for each cell and metric. */
final class Csv {
    private static final String HEAD =
            "scenario,contender,system,version,records_per_append,survives,bytes,rate_per_s,metric,"
                    + "unit,runs,lower_quartile,median,upper_quartile,dropped_runs,own_pressure_runs";

    private Csv() {}

    /** Returns the lines, with a head. */
    static List<String> lines(Results results, List<Cell> cells, boolean memory) {
        List<String> lines = new ArrayList<>();
        lines.add(HEAD);
        for (Cell cell : cells) {
            List<Integer> rates = cell.scenario().rates(cell.peer());
            if (rates.isEmpty()) {
                add(lines, results, cell, memory, 0);
            }
            for (int rate : rates) {
                add(lines, results, cell, memory, rate);
            }
        }
        return lines;
    }

    private static void add(
            List<String> lines, Results results, Cell cell, boolean memory, int rate) {
        for (Metric metric : cell.scenario().metrics()) {
            Spread spread = results.spread(cell, rate == 0 ? metric : metric.at(rate));
            if (spread.runs() == 0) {
                continue;
            }
            Quality quality = Quality.of(results.of(cell));
            lines.add(
                    String.join(
                            ",",
                            cell.scenario().id(),
                            cell.peer().id(),
                            quoted(cell.peer().family().title()),
                            quoted(results.of(cell).get(0).getOrDefault("version", "")),
                            Integer.toString(cell.peer().records()),
                            quoted(cell.peer().survives().on(memory).toString()),
                            Integer.toString(cell.bytes()),
                            rate == 0 ? "" : Integer.toString(rate),
                            metric.key(),
                            metric.unit(),
                            Integer.toString(spread.runs()),
                            number(spread.lower()),
                            number(spread.median()),
                            number(spread.upper()),
                            Integer.toString(quality.dropped()),
                            Integer.toString(quality.own())));
        }
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }

    /** Returns a field that may contain commas and quotes. */
    static String quoted(String field) {
        return field.matches("[\\w .:+-]*") ? field : '"' + field.replace("\"", "\"\"") + '"';
    }
}
