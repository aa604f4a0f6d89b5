package io.firn.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.InvalidOptionException;
import io.firn.StoredRecord;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Appends lines to a topic. */
@Command(
        name = "append",
        description = {
            "Appends lines to a topic, or a file as one record.",
            "",
            "A line is the bytes up to a newline; they become the value, or key and value. It ends"
                    + " when all are durable, and when one is refused: those before it stay.",
            ""
        })
final class AppendCommand implements Callable<Integer> {
    @Mixin private Place place;

    @Mixin private LineSource lines;

    @Option(
            names = "--key-separator",
            paramLabel = "TEXT",
            description =
                    "What ends the key in a line; a line without it is refused. Default: no keys")
    private String separator;

    @Option(names = "--key", paramLabel = "TEXT", description = "The key of all records")
    private String key;

    @Option(
            names = "--header",
            paramLabel = "NAME=TEXT",
            description = "A header of all records; once for each")
    private Map<String, String> headers = new LinkedHashMap<>();

    @Option(
            names = "--partition",
            paramLabel = "N",
            defaultValue = "-1",
            description = "The partition of all records. Default: as the key says")
    private int partition;

    @Option(names = "--whole", description = "Each file is one record, whatever it contains")
    private boolean isWhole;

    @Mixin private Output output;

    private final InputStream standardInput;
    private List<StoredRecord.Header> allHeaders;
    private byte[] separatorBytes;

    AppendCommand() {
        this(System.in);
    }

    AppendCommand(InputStream standardInput) {
        this.standardInput = standardInput;
    }

    @Override
    public Integer call() throws IOException {
        if (separator != null && (key != null || isWhole || separator.isEmpty())) {
            throw new InvalidOptionException(
                    "--key-separator has at least one character, and does not go with --key and"
                            + " --whole");
        }
        if (isWhole && lines.files().isEmpty()) {
            throw new InvalidOptionException("--whole needs files");
        }
        separatorBytes = separator == null ? null : separator.getBytes(UTF_8);
        allHeaders =
                headers.entrySet().stream()
                        .map(
                                each ->
                                        new StoredRecord.Header(
                                                each.getKey(), each.getValue().getBytes(UTF_8)))
                        .toList();
        output.print(RecordSink.appendAll(place, lines.topic(), this::appendAll));
        return Exit.FINE;
    }

    private void appendAll(RecordSink sink) throws IOException {
        if (!isWhole) {
            lines.forEach(standardInput, (line, where) -> append(line, where, sink), sink::flush);
            return;
        }
        for (Path file : lines.files()) {
            try (InputStream in = LineSource.open(file)) {
                append(keyOfAll(), in.readAllBytes(), sink);
            }
        }
    }

    private byte[] keyOfAll() {
        return key == null ? null : key.getBytes(UTF_8);
    }

    private void append(byte[] line, String where, RecordSink sink) {
        if (separatorBytes == null) {
            append(keyOfAll(), line, sink);
            return;
        }
        int at = indexOf(line, separatorBytes);
        if (at < 0) {
            throw new InvalidOptionException(
                    where
                            + ": a key, '"
                            + separator
                            + "' and a value are expected, found '"
                            + Escapes.printable(Arrays.copyOf(line, Math.min(line.length, 80)))
                            + "'");
        }
        append(
                Arrays.copyOf(line, at),
                Arrays.copyOfRange(line, at + separatorBytes.length, line.length),
                sink);
    }

    private void append(byte[] keyBytes, byte[] value, RecordSink sink) {
        sink.append(new StoredRecord(partition, -1, -1, keyBytes, value, allHeaders));
    }

    private static int indexOf(byte[] line, byte[] wanted) {
        for (int i = 0; i + wanted.length <= line.length; i++) {
            if (Arrays.equals(line, i, i + wanted.length, wanted, 0, wanted.length)) {
                return i;
            }
        }
        return -1;
    }
}
