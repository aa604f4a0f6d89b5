package io.firn.bench;

import java.awt.Color;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Draws charts, one below the other, into a PNG file. */
final class Plot {
    private static final int WIDTH = 1100;
    private static final int HEIGHT = 330;

    private final List<XYChart> charts = new ArrayList<>();

    /** Begins another chart. */
    Plot chart(String title, String unit) {
        XYChart chart =
                new XYChartBuilder()
                        .width(WIDTH)
                        .height(HEIGHT)
                        .title(title)
                        .xAxisTitle("seconds")
                        .yAxisTitle(unit)
                        .build();
        chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setPlotGridLinesColor(new Color(225, 225, 225));
        charts.add(chart);
        return this;
    }

    /** Adds a line to the chart that was begun last. */
    Plot line(String name, double[] x, double[] y) {
        if (x.length > 1) {
            charts.get(charts.size() - 1)
                    .addSeries(name, x, y)
                    .setMarker(SeriesMarkers.NONE)
                    .setLineWidth(1.6f);
        }
        return this;
    }

    /** Adds a horizontal line. */
    Plot level(String name, double until, double y) {
        return line(name, new double[] {0, until}, new double[] {y, y});
    }

    void save(Path file) throws IOException {
        if (file.toAbsolutePath().getParent() != null) {
            Files.createDirectories(file.toAbsolutePath().getParent());
        }
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            BitmapEncoder.saveBitmap(charts, charts.size(), 1, out, BitmapFormat.PNG);
        }
    }
}
