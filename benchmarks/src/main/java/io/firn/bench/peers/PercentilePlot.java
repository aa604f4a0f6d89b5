package io.firn.bench.peers;

import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/** Draws latencies by percentile as an SVG image; both axes are logarithmic. */
final class PercentilePlot {
    private static final int WIDTH = 720;
    private static final int HEIGHT = 400;
    private static final int LEFT = 80;
    private static final int RIGHT = 700;
    private static final int TOP = 50;
    private static final int BOTTOM = 360;
    private static final int LEAST = 2; // 10^2 ns
    private static final int TICKS = 5; // of HdrHistogram, for each half of what is left
    private static final int LEGEND_STEP = 150;
    private static final String[] DASHES = {"", "7 3", "2 3", "9 3 2 3", "4 4", "1 2"};
    private static final String STYLE =
            """
            text{font:13px system-ui,sans-serif;fill:#1f2933}
            .e{text-anchor:end}.c{text-anchor:middle}.bg{fill:#fff}.g{stroke:#d5dbe1}
            polyline{fill:none;stroke-width:2}
            .s0{stroke:#5d6b7a}.s1{stroke:#c77716}.s2{stroke:#1f6fae}.s3{stroke:#2e8b57}.s4{stroke:#8e44ad}.s5{stroke:#b03a3a}
            @media (prefers-color-scheme:dark){
            text{fill:#e6ebf0}.bg{fill:#1b2026}.g{stroke:#3a444e}.s2{stroke:#6cb2e6}}
            """;

    private PercentilePlot() {}

    /** Returns the image; a percentile that fewer than two records decide is left out. */
    static String draw(String title, Map<String, Histogram> histograms) {
        double nines = 1;
        double decades = LEAST + 1;
        for (Histogram each : histograms.values()) {
            nines = Math.max(nines, Math.log10(each.getTotalCount() / 2.0));
            decades = Math.max(decades, Math.ceil(Math.log10((double) each.getMaxValue())));
        }
        StringBuilder svg = new StringBuilder();
        svg.append(
                String.format(
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %1$d %2$d\""
                                + " width=\"%1$d\" height=\"%2$d\" role=\"img\">%n",
                        WIDTH, HEIGHT));
        svg.append("<title>" + title + "</title>\n<style>\n" + STYLE + "</style>\n");
        svg.append(
                String.format("<rect class=\"bg\" width=\"%d\" height=\"%d\"/>%n", WIDTH, HEIGHT));
        text(svg, LEFT, 18, "", title);
        grid(svg, nines, decades);
        int number = 0;
        for (Map.Entry<String, Histogram> each : histograms.entrySet()) {
            int x = LEFT + LEGEND_STEP * number;
            svg.append(line(number, x + ",36 " + (x + 24) + ",36"));
            text(svg, x + 30, 40, "", each.getKey());
            svg.append(line(number, points(each.getValue(), nines, decades)));
            number++;
        }
        return svg.append("</svg>\n").toString();
    }

    private static void grid(StringBuilder svg, double nines, double decades) {
        for (int decade = LEAST; decade <= decades; decade++) {
            double y = y(decade, decades);
            rule(svg, LEFT, y, RIGHT, y);
            double us = Math.pow(10, decade - 3);
            String label = us < 1000 ? text(us) + " µs" : text(us / 1000) + " ms";
            text(svg, LEFT - 6, y + 4, "e", label);
        }
        for (int nine = 0; nine <= nines; nine++) {
            double x = x(nine, nines);
            rule(svg, x, TOP, x, BOTTOM);
            text(svg, x, BOTTOM + 18, "c", nine == 0 ? "0 %" : Charts.percentile(nine));
        }
    }

    private static String text(double value) {
        return value < 1 ? Double.toString(value) : Integer.toString((int) Math.rint(value));
    }

    private static String points(Histogram histogram, double nines, double decades) {
        StringBuilder points = new StringBuilder();
        for (HistogramIterationValue value : histogram.percentiles(TICKS)) {
            double above = 1 - value.getPercentileLevelIteratedTo() / 100;
            if (above * histogram.getTotalCount() < 2) {
                break;
            }
            double decade = Math.max(LEAST, Math.log10((double) value.getValueIteratedTo()));
            points.append(
                    String.format(
                            Locale.ROOT,
                            "%.1f,%.1f ",
                            x(-Math.log10(above), nines),
                            y(decade, decades)));
        }
        return points.toString().trim();
    }

    private static double x(double nine, double nines) {
        return LEFT + (RIGHT - LEFT) * nine / nines;
    }

    private static double y(double decade, double decades) {
        return BOTTOM - (BOTTOM - TOP) * (decade - LEAST) / (decades - LEAST);
    }

    private static String line(int number, String points) {
        return String.format(
                "<polyline class=\"s%d\" stroke-dasharray=\"%s\" points=\"%s\"/>%n",
                number, DASHES[number], points);
    }

    private static void rule(StringBuilder svg, double x1, double y1, double x2, double y2) {
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<line class=\"g\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>%n",
                        x1,
                        y1,
                        x2,
                        y2));
    }

    private static void text(StringBuilder svg, double x, double y, String kind, String text) {
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>%n",
                        x,
                        y,
                        kind,
                        text));
    }
}
