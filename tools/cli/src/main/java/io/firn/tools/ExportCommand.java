package io.firn.tools;

import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.StoredRecord;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes the records of a topic to a file or the standard output. */
@Command(
        name = "export",
        description = {
            "Writes the records of a topic as text or bytes.",
            "",
            "One partition after the other, up to the end that is visible when it starts.",
            "",
            "A line of JSON has partition, offset, timestamp (ms since 1970), key, value and"
                    + " headers (an array of objects with key and value). Keys and values are in"
                    + " Base64, or text with --text, or null.",
            ""
        },
        footer = {
            "",
            "Exit code: 0 when all records were written, 1 when a damaged range was left out."
        })
final class ExportCommand implements Callable<Integer> {
    private static final int BUFFER_BYTES = 1 << 16;
    private static final Duration WAIT = Duration.ofMillis(500);
    private static final int MOST_RANGES = 10;

    @Mixin private Place place;

    @Parameters(paramLabel = "TOPIC", description = StoreArguments.TOPIC)
    private String topicName;

    @Mixin private PartitionChoice partitions;

    @Option(
            names = "--from",
            paramLabel = "PLACE",
            converter = Position.Converter.class,
            defaultValue = "earliest",
            description =
                    "Begins there in each partition: "
                            + Position.WORDS
                            + ". An offset that was deleted is the earliest; one that is beyond the"
                            + " end of all partitions is wrong. Default: ${DEFAULT-VALUE}")
    private Position from;

    @Option(
            names = "--to",
            paramLabel = "PLACE",
            converter = Position.Converter.class,
            defaultValue = "latest",
            description = "Ends before it in each partition. Default: ${DEFAULT-VALUE}")
    private Position to;

    @Option(
            names = "--format",
            paramLabel = "NAME",
            description =
                    "JSON: one object on each line. LINES: each value, and a newline. RAW: the"
                            + " length of each value in four bytes, big-endian, -1 for none, and"
                            + " the value. Default: ${DEFAULT-VALUE}",
            defaultValue = "JSON")
    private RecordFormat.Kind format;

    @Option(
            names = "--text",
            description =
                    "Writes keys and values as text into JSON. Ends at a record that is not valid"
                            + " UTF-8.")
    private boolean isText;

    @Option(
            names = "--output",
            paramLabel = "FILE",
            description = "The file to create. Default: the standard output")
    private Path output;

    @Option(
            names = "--skip-damaged",
            description =
                    "Leaves damaged ranges and batches that are too large out, naming them, instead of"
                            + " ending there.")
    private boolean skipsDamaged;

    @Spec private CommandSpec spec;

    private final OutputStream standardOutput;
    private boolean isComplete = true;

    ExportCommand() {
        // System.out would hide that nobody reads it any more.
        this(new FileOutputStream(FileDescriptor.out));
    }

    ExportCommand(OutputStream standardOutput) {
        this.standardOutput = standardOutput;
    }

    @Override
    public Integer call() throws IOException {
        checkArguments();
        try (RecordSource source = place.records(topicName, partitions)) {
            checkStart(source);
            if (output == null) {
                write(source, standardOutput);
            } else {
                writeFile(source);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return isComplete ? Exit.FINE : Exit.FOUND;
    }

    private void checkArguments() {
        if (isText && format != RecordFormat.Kind.JSON) {
            throw new InvalidOptionException("--text goes with the format JSON only");
        }
        if (to.isBefore(from)) {
            throw new InvalidOptionException(
                    "--to must not be before --from; found " + to + " and " + from);
        }
    }

    private void checkStart(RecordSource source) {
        List<Integer> chosen = source.partitions();
        if (!chosen.stream().allMatch(each -> beginsBeyondEnd(source, each))) {
            return;
        }
        String ranges =
                chosen.stream()
                        .limit(MOST_RANGES)
                        .map(each -> "partition " + each + " has " + range(source, each))
                        .collect(Collectors.joining(", "));
        int others = chosen.size() - MOST_RANGES;
        throw new InvalidOptionException(
                "--from "
                        + from
                        + " is beyond the end: "
                        + ranges
                        + (others > 0 ? ", and " + others + " others end before it, too" : ""));
    }

    private boolean beginsBeyondEnd(RecordSource source, int partition) {
        return from.in(partition, source) > source.end(partition);
    }

    private static String range(RecordSource source, int partition) {
        return "the offsets [" + source.start(partition) + ", " + source.end(partition) + ")";
    }

    private void writeFile(RecordSource source) throws IOException {
        try (OutputStream file = Files.newOutputStream(output, StandardOpenOption.CREATE_NEW)) {
            write(source, file);
        } catch (FileAlreadyExistsException e) {
            throw new InvalidOptionException(output + " exists already: name another file");
        } catch (NoSuchFileException e) {
            throw new InvalidOptionException(
                    output + " cannot be created: its directory does not exist");
        }
    }

    private void write(RecordSource source, OutputStream target) throws IOException {
        OutputStream out = new BufferedOutputStream(target, BUFFER_BYTES);
        RecordFormat records = RecordFormat.of(format, isText, out);
        List<Integer> chosen = source.partitions();
        long[] ends =
                chosen.stream()
                        .mapToLong(each -> Math.min(to.in(each, source), source.end(each)))
                        .toArray();
        try {
            for (int i = 0; i < ends.length; i++) {
                write(source, chosen.get(i), ends[i], records);
            }
        } catch (FirnException e) {
            try {
                out.flush(); // the records before it, whole
            } catch (IOException alsoFailed) {
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
        out.flush();
    }

    private void write(RecordSource source, int partition, long end, RecordFormat records) {
        if (beginsBeyondEnd(source, partition)) {
            complain(
                    "partition %d: --from %s is beyond its end; it has %s",
                    partition, from, range(source, partition));
            return;
        }
        long wanted = from.in(partition, source);
        long start = Math.max(wanted, source.start(partition));
        if (start > wanted) {
            complain("partition %d: the records before offset %d were deleted", partition, start);
        }
        source.only(partition);
        source.seek(partition, start);
        Duration wait = place.isServer() ? WAIT : Duration.ZERO;
        while (!source.isAt(partition, end)) {
            source.poll(record -> write(record, end, records), this::skip, wait);
        }
    }

    private void skip(FirnException what) {
        if (!skipsDamaged) {
            complain("--skip-damaged leaves out what cannot be read.");
            throw what;
        }
        complain("%s", RecordSource.describe(what));
        isComplete = false;
    }

    private static void write(StoredRecord record, long end, RecordFormat records) {
        if (record.offset() >= end) {
            return; // it came while this was under way
        }
        try {
            records.write(record);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void complain(String format, Object... arguments) {
        spec.commandLine().getErr().printf(Locale.ROOT, format + "%n", arguments);
    }
}
