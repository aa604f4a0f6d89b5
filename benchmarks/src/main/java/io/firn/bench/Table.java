package io.firn.bench;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Prints the results as text. */
final class Table {
    private static final String HEAD = "%-28s %-7s %-8s %6s %10s %10s %6s %6s%n";
    private static final String LINE = "%-28s %-7s %-8s %6d %10s %10s %6.2f %6s%n";

    private Table() {}

    static void print(PrintStream out, List<Case> cases, Map<Bench, Sample> samples) {
        out.printf(HEAD, "per record", "where", "", "bytes", "Firn ns", "beside ns", "ratio", "B");
        for (Case line : cases) {
            Sample subject = samples.get(line.subject());
            Sample beside = samples.get(line.beside());
            out.printf(
                    Locale.ROOT,
                    LINE,
                    line.name(),
                    line.place(),
                    line.durabilityName(),
                    line.bytes(),
                    ns(subject.ns()),
                    ns(beside.ns()),
                    subject.ns() / beside.ns(),
                    // The allocation of a whole run says nothing about a record.
                    subject.hasPercentiles()
                            ? "-"
                            : String.format(Locale.ROOT, "%.2f", subject.bytes()));
        }
        List<Case> timed =
                cases.stream()
                        .filter(line -> samples.get(line.subject()).hasPercentiles())
                        .toList();
        if (!timed.isEmpty()) {
            out.println();
            printPercentiles(out, timed, samples);
        }
    }

    private static void printPercentiles(
            PrintStream out, List<Case> cases, Map<Bench, Sample> samples) {
        out.printf(
                "%-44s %6s %9s %9s %9s %9s %9s%n",
                "end to end at " + 1_000_000_000 / Pace.INTERVAL_NS + "/s, ns",
                "bytes",
                "p50",
                "p90",
                "p99",
                "p99.9",
                "p99.99");
        for (Case line : cases) {
            printPercentiles(out, "Firn", line, samples.get(line.subject()));
            printPercentiles(out, "bare mapping", line, samples.get(line.beside()));
        }
    }

    private static void printPercentiles(PrintStream out, String who, Case line, Sample sample) {
        out.printf(
                "%-28s %-7s %-7s %6d",
                "  " + who, line.place(), line.durabilityName(), line.bytes());
        for (String name : Sample.PERCENTILES) {
            out.printf(" %9.0f", sample.percentile(name));
        }
        out.println();
    }

    private static String ns(double value) {
        return String.format(Locale.ROOT, value < 100 ? "%.1f" : "%.0f", value);
    }
}
