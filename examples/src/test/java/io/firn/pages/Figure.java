package io.firn.pages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * A line of a file of figures: what was measured in one case, and the same of another system or
 * program. Where it was measured several times, there are several values.
 */
record Figure(
        String machine,
        String operation,
        String in,
        String unit,
        List<Double> firn,
        String reference,
        List<Double> others,
        String command) {

    static List<Figure> read(Path csv) throws IOException {
        List<Figure> figures = new ArrayList<>();
        List<String> lines = Files.readAllLines(csv);
        for (String line : lines.subList(1, lines.size())) {
            String[] each = line.split(",", -1);
            figures.add(
                    new Figure(
                            each[0],
                            each[1],
                            each[2],
                            each[3],
                            values(each[4]),
                            each[5],
                            values(each[6]),
                            each[7]));
        }
        return figures;
    }

    private static List<Double> values(String field) {
        return Arrays.stream(field.split(";")).map(Double::valueOf).sorted().toList();
    }

    boolean isOfSameRow(Figure other) {
        return machine.equals(other.machine)
                && operation.equals(other.operation)
                && unit.equals(other.unit)
                && reference.equals(other.reference);
    }

    boolean isTime() {
        return !unit.endsWith("/s");
    }

    double ratio() {
        return median(firn) / median(others);
    }

    private static double median(List<Double> sorted) {
        int half = sorted.size() / 2;
        return sorted.size() % 2 == 1
                ? sorted.get(half)
                : (sorted.get(half - 1) + sorted.get(half)) / 2;
    }

    /** The median, or where the values differ much, the least and the greatest. */
    static String text(List<Double> sorted) {
        double least = sorted.get(0);
        double most = sorted.get(sorted.size() - 1);
        return most > 1.5 * least ? text(least) + "–" + text(most) : text(median(sorted));
    }

    private static String text(double value) {
        int digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
        String text = String.format(Locale.ROOT, "%,." + digits + "f", value);
        return digits == 0 ? text : text.replaceFirst("\\.?0+$", "");
    }

    String ratioText() {
        double ratio = ratio();
        int digits = ratio >= 10 ? 0 : ratio >= 1 ? 1 : 2;
        return String.format(Locale.ROOT, "%." + digits + "f", ratio);
    }
}
