package io.firn.tools;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Help.Ansi;

/**
 * A part of an answer: rows of values, each null where it is not known. For people, a column is as
 * wide as its values; rows that are too wide for the terminal become a line for each value. In JSON
 * it is an array of objects, in which bytes are numbers and durations are milliseconds.
 */
public final class Table {
    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    private static final String GAP = "  ";

    private final String name;
    private final List<Column> columns = new ArrayList<>();
    private final List<Object[]> rows = new ArrayList<>();

    private enum Kind {
        TEXT,
        NUMBER,
        BYTES
    }

    private record Column(String key, Kind kind) {
        /** As {@code logStart} is "log start". */
        String title() {
            return key.replaceAll("([A-Z])", " $1").toLowerCase(Locale.ROOT);
        }
    }

    /** Creates a table without columns; the name is that of its field in JSON. */
    public Table(String name) {
        this.name = name;
    }

    /** Adds columns of text. */
    public Table texts(String... keys) {
        return columns(Kind.TEXT, keys);
    }

    /** Adds columns of numbers or durations. */
    public Table numbers(String... keys) {
        return columns(Kind.NUMBER, keys);
    }

    /** Adds columns of sizes in bytes. */
    public Table bytes(String... keys) {
        return columns(Kind.BYTES, keys);
    }

    private Table columns(Kind kind, String... keys) {
        Arrays.stream(keys).forEach(key -> columns.add(new Column(key, kind)));
        return this;
    }

    /** Adds a row, with a value for each column. */
    public Table row(Object... values) {
        rows.add(values);
        return this;
    }

    /** Returns whether it has no rows. */
    public boolean isEmpty() {
        return rows.isEmpty();
    }

    void write(JsonGenerator json) throws IOException {
        json.writeArrayFieldStart(name);
        for (Object[] row : rows) {
            json.writeStartObject();
            for (int i = 0; i < row.length; i++) {
                json.writeFieldName(columns.get(i).key);
                write(json, row[i]);
            }
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void write(JsonGenerator json, Object value) throws IOException {
        if (value instanceof Duration) {
            json.writeNumber(((Duration) value).toMillis());
        } else if (value instanceof Collection) {
            json.writeStartArray();
            for (Object each : (Collection<?>) value) {
                write(json, each);
            }
            json.writeEndArray();
        } else if (value instanceof Map) {
            json.writeStartObject();
            for (Map.Entry<?, ?> each : ((Map<?, ?>) value).entrySet()) {
                json.writeFieldName(each.getKey().toString());
                write(json, each.getValue());
            }
            json.writeEndObject();
        } else if (value instanceof Number || value instanceof Boolean || value == null) {
            json.writeRawValue(String.valueOf(value));
        } else {
            json.writeString(value.toString());
        }
    }

    void print(PrintWriter out, int width, Ansi ansi) {
        if (rows.isEmpty()) {
            out.println("no " + new Column(name, Kind.TEXT).title());
            return;
        }
        List<String[]> shown = rows.stream().map(this::shown).toList();
        int[] widths = new int[columns.size()];
        for (int i = 0; i < widths.length; i++) {
            int at = i;
            int widest = shown.stream().mapToInt(row -> row[at].length()).max().orElse(0);
            widths[i] = Math.max(widest, columns.get(i).title().length());
        }
        if (Arrays.stream(widths).sum() + GAP.length() * (widths.length - 1) > width) {
            printBlocks(out, shown);
            return;
        }
        String[] titles = columns.stream().map(Column::title).toArray(String[]::new);
        out.println(ansi.string("@|bold " + line(titles, widths) + "|@"));
        shown.forEach(row -> out.println(line(row, widths)));
    }

    private String line(String[] row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < row.length; i++) {
            String blanks = " ".repeat(widths[i] - row[i].length());
            boolean isText = columns.get(i).kind == Kind.TEXT;
            line.append(isText ? row[i] + blanks : blanks + row[i]).append(GAP);
        }
        return line.toString().stripTrailing();
    }

    private void printBlocks(PrintWriter out, List<String[]> shown) {
        boolean isFirst = true;
        for (String[] row : shown) {
            if (!isFirst) {
                out.println();
            }
            isFirst = false;
            for (int i = 0; i < row.length; i++) {
                out.println(columns.get(i).title() + ": " + row[i]);
            }
        }
    }

    private String[] shown(Object[] row) {
        String[] shown = new String[row.length];
        for (int i = 0; i < row.length; i++) {
            shown[i] = shown(row[i], columns.get(i).kind);
        }
        return shown;
    }

    private static String shown(Object value, Kind kind) {
        if (value == null) {
            return "-";
        }
        if (kind == Kind.BYTES && value instanceof Number) {
            return size(((Number) value).longValue());
        }
        if (value instanceof Duration) {
            Duration time = (Duration) value;
            // Without fractions of a second, when it is long.
            Duration rounded = time.toMinutes() > 0 ? Duration.ofSeconds(time.toSeconds()) : time;
            return rounded.toString().substring(2).toLowerCase(Locale.ROOT);
        }
        if (value instanceof Collection) {
            return ((Collection<?>) value)
                    .stream().map(each -> shown(each, kind)).collect(Collectors.joining(", "));
        }
        if (value instanceof Map) {
            return ((Map<?, ?>) value)
                    .entrySet().stream()
                            .map(each -> each.getKey() + "=" + shown(each.getValue(), kind))
                            .collect(Collectors.joining(", "));
        }
        return Escapes.printable(value.toString());
    }

    /** Returns a size with three digits and a unit. */
    static String size(long bytes) {
        int unit = 0;
        double value = bytes;
        while (value >= 1024 && unit < UNITS.length - 1) {
            value /= 1024;
            unit++;
        }
        String number =
                unit == 0 || value >= 100
                        ? String.format(Locale.ROOT, "%.0f", value)
                        : String.format(Locale.ROOT, "%.1f", value);
        return number.replaceFirst("\\.0$", "") + " " + UNITS[unit];
    }
}
