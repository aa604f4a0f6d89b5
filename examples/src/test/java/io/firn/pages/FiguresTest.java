package io.firn.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.firn.help.GeneratedPart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tables of figures are those of the files in {@code benchmarks/results}. */
class FiguresTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path PERFORMANCE = ROOT.resolve("benchmarks/results/performance.csv");
    private static final Path TESTS = ROOT.resolve("benchmarks/results/tests.csv");

    @ParameterizedTest
    @ValueSource(strings = {"Xeon", "EPYC"})
    void shouldShowWhatWasMeasured(String machine) throws IOException {
        StringBuilder table =
                new StringBuilder("| operation | in | Firn | compared with | ratio |\n")
                        .append("|---|---|---|---|---|\n");
        for (List<Figure> row : rows(machine)) {
            Figure first = row.get(0);
            table.append("| ").append(first.operation());
            table.append(" | ").append(cell(row, Figure::in));
            table.append(" | ").append(cell(row, each -> Figure.text(each.firn())));
            table.append(' ').append(first.unit());
            table.append(" | ").append(first.reference()).append(": ");
            table.append(cell(row, each -> Figure.text(each.others())));
            table.append(" | ").append(cell(row, Figure::ratioText)).append(" |\n");
        }
        GeneratedPart.check("docs/performance.md", machine, table.toString());
    }

    private static List<List<Figure>> rows(String machine) throws IOException {
        List<List<Figure>> rows = new ArrayList<>();
        for (Figure each : Figure.read(PERFORMANCE)) {
            if (!each.machine().equals(machine)) {
                continue;
            }
            if (rows.isEmpty() || !rows.get(rows.size() - 1).get(0).isOfSameRow(each)) {
                rows.add(new ArrayList<>());
            }
            rows.get(rows.size() - 1).add(each);
        }
        return rows;
    }

    private static String cell(List<Figure> row, Function<Figure, String> text) {
        return row.stream().map(text).collect(Collectors.joining("; "));
    }

    @Test
    void shouldDrawWhatWasMeasuredBesideOtherSystems() throws IOException {
        Path file = ROOT.resolve("docs/img/performance.svg");
        String wanted =
                RatioChart.draw(
                        "Time that Firn takes, as a part of the other system's",
                        Figure.read(PERFORMANCE).stream()
                                .filter(each -> each.machine().equals("Xeon") && each.isTime())
                                .filter(each -> each.reference().matches("Kafka|Chronicle Queue"))
                                .toList());
        if (Boolean.getBoolean("firn.help.write")) {
            Files.writeString(file, wanted);
        }
        assertEquals(wanted, Files.readString(file), "write it with -Dfirn.help.write=true");
    }

    @Test
    void shouldShowWhatWasTested() throws IOException {
        StringBuilder table = new StringBuilder("| test | `bin/check` | extent | result |\n");
        table.append("|---|---|---|---|\n");
        List<String> lines = Files.readAllLines(TESTS);
        for (String line : lines.subList(1, lines.size())) {
            List<String> fields = fields(line);
            table.append("| ").append(fields.get(0)).append(": ").append(fields.get(1));
            String command = fields.get(2);
            assertNull(Commands.flawOf(ROOT, command), command);
            table.append(" | `").append(command.replaceFirst("^bin/check ", "")).append("` | ");
            table.append(fields.get(3));
            table.append(" | ").append(fields.get(4)).append(" |\n");
        }
        GeneratedPart.check("docs/reliability.md", "tests", table.toString());
    }

    /** Commas in quotes are part of a field. */
    private static List<String> fields(String line) {
        List<String> fields = new ArrayList<>();
        for (String each : line.split(",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)")) {
            fields.add(each.replace("\"", ""));
        }
        return fields;
    }

    @Test
    void commandsOfFiguresShouldExist() throws IOException {
        for (Figure each : Figure.read(PERFORMANCE)) {
            if (each.command().matches("bin/bench (jmh|shadow)")) {
                continue; // has no help of its own
            }
            assertNull(Commands.flawOf(ROOT, each.command()), each.command());
        }
    }

    /** Bars whose length is a ratio, and a line where it is 1. */
    private static final class RatioChart {
        private static final int LEFT = 400;
        private static final int ONE = 130;
        private static final int STEP = 20;
        private static final String STYLE =
                """
                text{font:13px system-ui,sans-serif;fill:#1f2933}
                .e{text-anchor:end}.m{fill:#5d6b7a}
                .bg{fill:#fff}.a{fill:#7fb2dd}.b{fill:#e0b35c}line{stroke:#5d6b7a}
                @media (prefers-color-scheme:dark){
                text{fill:#e6ebf0}.m{fill:#a9b5c1}.bg{fill:#1b2026}.a{fill:#3f78a8}.b{fill:#a67c2b}line{stroke:#a9b5c1}}
                """;

        private static String draw(String title, List<Figure> figures) {
            int height = 44 + STEP * figures.size();
            StringBuilder svg = new StringBuilder();
            svg.append(
                    String.format(
                            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 %d\""
                                    + " width=\"720\" height=\"%d\" role=\"img\">%n",
                            height, height));
            svg.append("<title>" + escaped(title) + "</title>\n<style>\n" + STYLE + "</style>\n");
            svg.append(String.format("<rect class=\"bg\" width=\"720\" height=\"%d\"/>%n", height));
            swatch(svg, 'a', 20, 10, "Chronicle Queue: 1");
            swatch(svg, 'b', 170, 10, "Kafka: 1");
            int y = 32;
            for (Figure each : figures) {
                text(svg, LEFT - 8, y + 13, "e", each.operation() + ", " + each.in());
                boolean isKafka = each.reference().equals("Kafka");
                int width = (int) Math.round(ONE * Math.min(each.ratio(), 1.75));
                svg.append(
                        String.format(
                                "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"14\"/>%n",
                                isKafka ? "b" : "a", LEFT, y + 2, width));
                text(svg, LEFT + width + 6, y + 13, "m", each.ratioText());
                y += STEP;
            }
            svg.append(
                    String.format(
                            "<line x1=\"%1$d\" y1=\"26\" x2=\"%1$d\" y2=\"%2$d\"/>%n</svg>%n",
                            LEFT + ONE, y + 4));
            return svg.toString();
        }

        private static void swatch(StringBuilder svg, char kind, int x, int y, String text) {
            svg.append(
                    String.format(
                            "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"12\" height=\"12\"/>%n",
                            kind, x, y));
            text(svg, x + 18, y + 11, "m", text);
        }

        private static void text(StringBuilder svg, int x, int y, String kind, String text) {
            svg.append(
                    String.format(
                            "<text x=\"%d\" y=\"%d\" class=\"%s\">%s</text>%n",
                            x, y, kind, escaped(text.replace("`", ""))));
        }

        private static String escaped(String text) {
            return text.replace("&", "&amp;").replace("<", "&lt;");
        }
    }
}
