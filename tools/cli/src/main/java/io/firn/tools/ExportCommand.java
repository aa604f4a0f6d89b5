package io.firn.tools;

import io.firn.BatchTooLargeException;
import io.firn.DamagedRangeException;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.LogReader;
import io.firn.LogRecord;
import io.firn.PartitionReader;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TopicReader;
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
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
            "One partition after the other, up to the end that is visible when it starts. Opens the"
                    + " store read-only, also while another process writes it.",
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
    private static final int RECORDS_AT_ONCE = 10_000;
    private static final int MOST_RANGES = 10;

    @Parameters(index = "0", paramLabel = "STORE", description = StoreArguments.STORE)
    private Path directory;

    @Parameters(index = "1", paramLabel = "TOPIC", description = "The name of the topic")
    private String topicName;

    @Mixin private StoreArguments storeArguments;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            split = ",",
            description = "Numbers with commas between them. Default: all")
    private List<Integer> partitions = List.of();

    @Option(
            names = "--from",
            paramLabel = "OFFSET",
            description =
                    "The first offset, of each partition. Default, and if it was deleted: the"
                            + " earliest that is there. Wrong if it is beyond the end of all of"
                            + " them")
    private long from;

    @Option(
            names = "--to",
            paramLabel = "OFFSET",
            description = "The offset to end before, of each partition. Default: the visible end")
    private long to = Long.MAX_VALUE;

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
        try (LogReader store = storeArguments.openReadOnly(directory)) {
            if (!store.hasTopic(topicName)) {
                throw new InvalidOptionException(
                        "there is no topic '" + topicName + "' in " + directory);
            }
            TopicReader topic = store.openTopic(topicName);
            List<PartitionReader> chosen = choose(topic);
            checkStart(chosen);
            if (output == null) {
                write(chosen, standardOutput);
            } else {
                writeFile(chosen);
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
        if (from < 0 || to < from) {
            throw new InvalidOptionException(
                    "--from must be at least 0, and --to at least --from; found "
                            + from
                            + " and "
                            + to);
        }
        if (Set.copyOf(partitions).size() < partitions.size()) {
            throw new InvalidOptionException("--partitions has a number twice: " + partitions);
        }
    }

    private List<PartitionReader> choose(TopicReader topic) {
        IntStream numbers =
                partitions.isEmpty()
                        ? IntStream.range(0, topic.partitionCount())
                        : partitions.stream().mapToInt(Integer::intValue);
        return numbers.mapToObj(topic::partition).toList();
    }

    private void checkStart(List<PartitionReader> chosen) {
        if (!chosen.stream().allMatch(this::beginsBeyondEnd)) {
            return;
        }
        String ranges =
                chosen.stream()
                        .limit(MOST_RANGES)
                        .map(each -> "partition " + each.index() + " has " + range(each))
                        .collect(Collectors.joining(", "));
        int others = chosen.size() - MOST_RANGES;
        throw new InvalidOptionException(
                "--from "
                        + from
                        + " is beyond the end: "
                        + ranges
                        + (others > 0 ? ", and " + others + " others end before it, too" : ""));
    }

    private boolean beginsBeyondEnd(PartitionReader partition) {
        return from > partition.visibleOffset();
    }

    private static String range(PartitionReader partition) {
        return "the offsets ["
                + partition.logStartOffset()
                + ", "
                + partition.visibleOffset()
                + ")";
    }

    private void writeFile(List<PartitionReader> chosen) throws IOException {
        try (OutputStream file = Files.newOutputStream(output, StandardOpenOption.CREATE_NEW)) {
            write(chosen, file);
        } catch (FileAlreadyExistsException e) {
            throw new InvalidOptionException(output + " exists already: name another file");
        } catch (NoSuchFileException e) {
            throw new InvalidOptionException(
                    output + " cannot be created: its directory does not exist");
        }
    }

    private void write(List<PartitionReader> chosen, OutputStream to) throws IOException {
        OutputStream out = new BufferedOutputStream(to, BUFFER_BYTES);
        RecordFormat records = RecordFormat.of(format, isText, out);
        long[] ends = chosen.stream().mapToLong(this::end).toArray();
        try {
            for (int i = 0; i < ends.length; i++) {
                write(chosen.get(i), ends[i], records);
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

    private long start(PartitionReader partition) {
        return Math.max(from, partition.logStartOffset());
    }

    private long end(PartitionReader partition) {
        return Math.min(to, partition.visibleOffset());
    }

    private void write(PartitionReader partition, long end, RecordFormat records) {
        if (beginsBeyondEnd(partition)) {
            complain(
                    "partition %d: --from %d is beyond its end; it has %s",
                    partition.index(), from, range(partition));
            return;
        }
        long start = start(partition);
        if (start > from && from > 0) {
            complain(
                    "partition %d: the records before offset %d were deleted",
                    partition.index(), start);
        }
        try (Tailer tailer = partition.openTailer()) {
            tailer.seek(Math.min(start, partition.visibleOffset()));
            while (tailer.offset() < end) {
                long before = tailer.offset();
                try {
                    tailer.poll(record -> write(record, end, records), RECORDS_AT_ONCE);
                } catch (DamagedRangeException e) {
                    skip(e, tailer, e.toOffset());
                } catch (BatchTooLargeException e) {
                    skip(e, tailer, e.toOffset());
                }
                if (tailer.offset() == before) {
                    return; // at the end: what is left was visible, and is not any more
                }
            }
        }
    }

    private void skip(FirnException what, Tailer tailer, long to) {
        if (!skipsDamaged) {
            throw what;
        }
        complain("%s", what.getMessage());
        isComplete = false;
        tailer.seek(to);
    }

    private static Action write(LogRecord record, long end, RecordFormat records) {
        if (record.offset() >= end) {
            return Action.RETRY;
        }
        try {
            records.write(record.copy());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return record.offset() == end - 1 ? Action.STOP : Action.CONTINUE;
    }

    private void complain(String format, Object... arguments) {
        spec.commandLine().getErr().printf(Locale.ROOT, format + "%n", arguments);
    }
}
