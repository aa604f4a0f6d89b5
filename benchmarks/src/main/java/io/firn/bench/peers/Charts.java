package io.firn.bench.peers;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Percentile plots as images in the page. */
final class Charts {
    /** Images have twice the pixels that the page shows, for sharp letters. */
    private static final int SCALE = 2;

    private static final int WIDTH = 980;
    private static final int HEIGHT = 430;

    private static final Map<Family, Color> COLORS =
            Map.of(
                    Family.FIRN, new Color(0x0B5FA5),
                    Family.CHRONICLE, new Color(0xD9730D),
                    Family.AERON, new Color(0x2E8B57),
                    Family.ROCKSDB, new Color(0x8E44AD),
                    Family.FILE_CHANNEL, new Color(0x7F7F7F),
                    Family.MAPPING, new Color(0x222222));

    private Charts() {}

    /** Returns an img element with the percentiles of some contenders; empty if there are none. */
    static String percentiles(String title, Map<Peer, Histogram> histograms) throws IOException {
        XYChart chart =
                new XYChartBuilder()
                        .width(WIDTH * SCALE)
                        .height(HEIGHT * SCALE)
                        .title(title)
                        .xAxisTitle("percentile")
                        .yAxisTitle("latency in µs")
                        .build();
        style(chart);
        Map<Family, Integer> seen = new TreeMap<>();
        double most = 1;
        for (Map.Entry<Peer, Histogram> each : histograms.entrySet()) {
            if (each.getValue().getTotalCount() == 0) {
                continue;
            }
            Family family = each.getKey().family();
            int before = seen.merge(family, 1, Integer::sum) - 1;
            add(chart, each.getKey(), each.getValue(), before);
            most = Math.max(most, Math.ceil(Math.log10(each.getValue().getTotalCount() / 2.0)));
        }
        if (seen.isEmpty()) {
            return "";
        }
        chart.getStyler().setXAxisMax(most);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BitmapEncoder.saveBitmap(List.of(chart), 1, 1, bytes, BitmapFormat.PNG);
        String image = Base64.getEncoder().encodeToString(bytes.toByteArray());
        return "<img width=\""
                + WIDTH
                + "\" alt=\""
                + Html.escaped(title)
                + "\" src=\"data:image/png;base64,"
                + image
                + "\">";
    }

    private static void add(XYChart chart, Peer peer, Histogram histogram, int before) {
        List<Double> x = new ArrayList<>();
        List<Double> y = new ArrayList<>();
        for (HistogramIterationValue value : histogram.percentiles(10)) {
            double above = 1 - value.getPercentileLevelIteratedTo() / 100;
            // What fewer than two records decide is no percentile.
            if (above * histogram.getTotalCount() < 2) {
                break;
            }
            x.add(-Math.log10(above));
            y.add(Math.max(value.getValueIteratedTo() / 1e3, 0.01));
        }
        XYSeries series = chart.addSeries(peer.id(), x, y);
        series.setMarker(SeriesMarkers.NONE);
        series.setLineColor(COLORS.get(peer.family()));
        float width = (peer.family() == Family.FIRN ? 2.6f : 1.6f) * SCALE;
        float[] dashes =
                before == 0 ? null : new float[] {(before == 1 ? 7 : 2) * SCALE, 4 * SCALE};
        series.setLineStyle(
                new BasicStroke(width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, dashes, 0));
    }

    private static void style(XYChart chart) {
        chart.getStyler()
                .setLegendPosition(LegendPosition.OutsideE)
                .setChartBackgroundColor(Color.WHITE)
                .setPlotBackgroundColor(Color.WHITE)
                .setLegendBorderColor(Color.WHITE)
                .setLegendSeriesLineLength(30 * SCALE)
                .setLegendPadding(6 * SCALE)
                .setChartTitleFont(font(Font.BOLD, 14))
                .setLegendFont(font(Font.PLAIN, 12))
                .setChartPadding(8 * SCALE);
        chart.getStyler()
                .setPlotGridLinesColor(new Color(225, 225, 225))
                .setAxisTickLabelsFont(font(Font.PLAIN, 12))
                .setAxisTitleFont(font(Font.PLAIN, 12))
                .setYAxisLogarithmic(true)
                .setXAxisMin(0.0)
                .setXAxisMaxLabelCount(6);
        chart.setCustomXAxisTickLabelsFormatter(Charts::percentile);
    }

    private static Font font(int kind, int size) {
        return new Font(Font.SANS_SERIF, kind, size * SCALE);
    }

    /** Returns the label of the place where a part of 10^-x of the records is slower. */
    static String percentile(double x) {
        if (Math.abs(x - Math.rint(x)) > 0.01) {
            return "";
        }
        int nines = (int) Math.rint(x);
        return switch (nines) {
            case 0 -> "0 %";
            case 1 -> "90 %";
            case 2 -> "99 %";
            default -> "99." + "9".repeat(nines - 2) + " %";
        };
    }
}
