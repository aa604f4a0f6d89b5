package io.firn.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.StoredRecord;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows the last records of a topic, and those that follow. */
@Command(
        name = "tail",
        description = {
            "Shows the last records of a topic, and with -f those that follow.",
            "",
            "A line has partition and offset, time, key, value, and headers. In it, control"
                    + " characters and bytes that are not UTF-8 are written as \\n or \\x1b.",
            ""
        })
final class TailCommand implements Callable<Integer> {
    private static final Duration WAIT = Duration.ofMillis(500);

    @Mixin private Place place;

    @Parameters(paramLabel = "TOPIC", description = StoreArguments.TOPIC)
    private String topic;

    @Mixin private PartitionChoice partitions;

    @Option(
            names = "-n",
            paramLabel = "N",
            defaultValue = "10",
            description =
                    "Begins N offsets before the end of each partition. Default: ${DEFAULT-VALUE}")
    private long last;

    @Option(
            names = "--from",
            paramLabel = "PLACE",
            converter = Position.Converter.class,
            description = "Begins there instead, in each partition: " + Position.WORDS)
    private Position from;

    @Option(
            names = {"-f", "--follow"},
            description = "Goes on with new records until it is interrupted")
    private boolean follows;

    @Option(names = "--key", paramLabel = "TEXT", description = "Shows only records with this key")
    private String key;

    @Option(
            names = "--header",
            paramLabel = "NAME[=TEXT]",
            mapFallbackValue = Option.NULL_VALUE,
            description = "Shows only records with this header; once for each")
    private Map<String, String> headers = new LinkedHashMap<>();

    @Option(names = "--json", description = "One object of JSON on each line, as firn export")
    private boolean isJson;

    @Option(names = "--text", description = "With --json: keys and values as text, not in Base64")
    private boolean isText;

    @Spec private CommandSpec spec;

    private PrintWriter out;
    private RecordFormat json;
    private final ByteArrayOutputStream buffer = new ByteArrayOutputStream();
    private long[] ends;
    private boolean hasGaps;

    TailCommand() {}

    @Override
    public Integer call() throws IOException {
        if (last < 0 || (isText && !isJson)) {
            throw new InvalidOptionException(
                    last < 0
                            ? "-n: 0 or more is expected, found " + last
                            : "--text goes with --json only");
        }
        out = spec.commandLine().getOut();
        json = isJson ? RecordFormat.of(RecordFormat.Kind.JSON, isText, buffer) : null;
        try (RecordSource source = place.records(topic, partitions)) {
            List<Integer> chosen = source.partitions();
            ends = chosen.stream().mapToLong(source::end).toArray();
            for (int i = 0; i < ends.length; i++) {
                int partition = chosen.get(i);
                source.seek(partition, from == null ? ends[i] - last : from.in(partition, source));
            }
            if (!follows && isAtEnd(source)) {
                return Exit.FINE;
            }
            do {
                source.poll(
                        each -> showIfChosen(each, chosen),
                        this::complain,
                        follows || place.isServer() ? WAIT : Duration.ZERO);
                out.flush();
                // A reader that has gone, such as head, has what it wants.
            } while (!out.checkError() && (follows || !isAtEnd(source)));
        }
        return hasGaps ? Exit.FOUND : Exit.FINE;
    }

    private boolean isAtEnd(RecordSource source) {
        List<Integer> chosen = source.partitions();
        return IntStream.range(0, ends.length).allMatch(i -> source.isAt(chosen.get(i), ends[i]));
    }

    private void complain(FirnException gap) {
        hasGaps = true;
        spec.commandLine().getErr().println("Left out: " + RecordSource.describe(gap));
    }

    private void showIfChosen(StoredRecord record, List<Integer> chosen) {
        boolean isLater = !follows && record.offset() >= ends[chosen.indexOf(record.partition())];
        if (isLater || (key != null && !isEqual(key, record.key()))) {
            return;
        }
        boolean hasAll =
                headers.entrySet().stream()
                        .allMatch(
                                wanted ->
                                        record.headers().stream()
                                                .anyMatch(each -> isWanted(each, wanted)));
        if (hasAll) {
            show(record);
        }
    }

    private static boolean isWanted(StoredRecord.Header header, Map.Entry<String, String> wanted) {
        return header.key().equals(wanted.getKey())
                && (wanted.getValue() == null || isEqual(wanted.getValue(), header.value()));
    }

    private static boolean isEqual(String text, byte[] bytes) {
        return Arrays.equals(text.getBytes(UTF_8), bytes);
    }

    private void show(StoredRecord record) {
        if (json == null) {
            out.println(line(record));
            return;
        }
        try {
            json.write(record);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out.print(buffer.toString(UTF_8));
        buffer.reset();
    }

    private static String line(StoredRecord record) {
        String place = record.partition() + ":" + record.offset();
        StringBuilder line = new StringBuilder();
        line.append(Ansi.AUTO.enabled() ? Ansi.AUTO.string("@|faint " + place + "|@") : place)
                .append("  ")
                .append(Instant.ofEpochMilli(record.timestamp()))
                .append("  ")
                .append(record.key() == null ? "-" : Escapes.printable(record.key()))
                .append("  ")
                .append(Escapes.printable(record.value()));
        for (StoredRecord.Header each : record.headers()) {
            line.append("  ")
                    .append(Escapes.printable(each.key()))
                    .append('=')
                    .append(Escapes.printable(each.value()));
        }
        return line.toString();
    }
}
