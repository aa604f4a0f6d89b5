package io.firn.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.InvalidOptionException;
import io.firn.StoredRecord;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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
    private static final int BUFFER_BYTES = 1 << 16;

    @Mixin private Place place;

    @Parameters(index = "0", paramLabel = "TOPIC", description = "The name of the topic")
    private String topic;

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "FILE",
            description = "Files to read. Default: the standard input")
    private List<Path> files = List.of();

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
    private long lines;

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
        if (isWhole && files.isEmpty()) {
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
        Map<Integer, Long> counts;
        try (RecordSink sink = place.sink(topic)) {
            try {
                if (files.isEmpty()) {
                    appendLines(standardInput, "the standard input", sink);
                }
                for (Path file : files) {
                    append(file, sink);
                }
            } finally {
                counts = sink.flush();
            }
        }
        Table table = new Table("appended").numbers("partition", "records");
        counts.forEach(table::row);
        output.print(table);
        return Exit.FINE;
    }

    private void append(Path file, RecordSink sink) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            if (isWhole) {
                append(key == null ? null : key.getBytes(UTF_8), in.readAllBytes(), sink);
            } else {
                appendLines(in, file.toString(), sink);
            }
        } catch (NoSuchFileException e) {
            throw new InvalidOptionException("there is no file " + file);
        }
    }

    private void appendLines(InputStream from, String name, RecordSink sink) throws IOException {
        InputStream in = new BufferedInputStream(from, BUFFER_BYTES);
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        lines = 0;
        for (int next = in.read(); next >= 0; next = in.read()) {
            if (next != '\n') {
                line.write(next);
                continue;
            }
            appendLine(line.toByteArray(), name, sink);
            line.reset();
            if (in.available() == 0) {
                sink.flush(); // who types waits for it
            }
        }
        if (line.size() > 0) {
            appendLine(line.toByteArray(), name, sink);
        }
    }

    private void appendLine(byte[] line, String name, RecordSink sink) {
        lines++;
        if (separatorBytes == null) {
            append(key == null ? null : key.getBytes(UTF_8), line, sink);
            return;
        }
        int at = indexOf(line, separatorBytes);
        if (at < 0) {
            throw new InvalidOptionException(
                    name
                            + ", line "
                            + lines
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
