package io.firn.examples;

import io.firn.Compression;
import io.firn.Durability;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.TopicOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Appends the lines of a file to a log, reads them back, and compares both. */
@Command(
        name = "bin/example Replay",
        sortOptions = false,
        description = {
            "Appends every line of a file to a log as a record, reads all records back, and compares"
                    + " the SHA-256 of both. Any file works: a line is the bytes up to a newline.",
            ""
        },
        footer = {
            "",
            "Exit code: 0 when both are equal, 1 when they are not or something failed, 2 when an"
                    + " argument is wrong."
        })
public final class Replay implements Callable<Integer> {
    private static final int BAR_WIDTH = 90;

    @Parameters(paramLabel = "FILE", description = "The file to replay.")
    private Path file;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description =
                    "The store's directory, which is kept; each run creates a new topic in it."
                            + " Default: a new directory in ${sys:java.io.tmpdir}, deleted if both"
                            + " are equal.")
    private Path dir;

    @Option(
            names = "--kill",
            description =
                    "Writes in a separate JVM, kills it with SIGKILL when about half of the file is"
                            + " written, opens the store again, and continues where the log"
                            + " ends.")
    private boolean kill;

    @Option(
            names = "--durability",
            paramLabel = "NAME",
            description = "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}",
            defaultValue = "DURABLE")
    private Durability durability;

    @Option(
            names = "--batch",
            paramLabel = "N",
            description =
                    "Records in a batch, at least 1; a batch ends earlier when it reaches 1 MiB."
                            + " Default: ${DEFAULT-VALUE}",
            defaultValue = "1000")
    private int batch;

    @Option(
            names = "--compression",
            paramLabel = "NAME",
            description = "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}",
            defaultValue = "NONE")
    private Compression compression;

    @SuppressWarnings("UnusedVariable") // picocli acts on it
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this help.")
    private boolean help;

    @Spec private CommandSpec spec;

    /** Exits with 0, with 1 when something failed, or with 2 when an argument is wrong. */
    public static void main(String[] args) {
        Examples.exit(new Replay(), args);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        checkArguments();
        ReplayInput input = ReplayInput.of(file);
        say(
                "%s: %s, %,d lines, the longest of %s.",
                file, Examples.size(input.bytes()), input.lines(), Examples.size(input.longest()));
        boolean ours = dir == null;
        if (ours) {
            dir = Files.createTempDirectory("firn-replay-");
        }
        boolean equal = false;
        try {
            String topic = createTopic(input);
            long acked = kill ? writeAndKill(input, topic) : 0;
            write(input, topic, acked);
            equal = read(input, topic);
        } finally {
            if (ours && equal) {
                Examples.delete(dir);
            } else {
                say("The store is kept in %s.", dir);
            }
        }
        return equal ? 0 : 1;
    }

    private void checkArguments() {
        if (batch < 1) {
            throw wrong("--batch must be at least 1, not " + batch);
        }
        if (Files.isDirectory(file)) {
            throw wrong("FILE is a directory: " + file);
        }
        if (!Files.exists(file)) {
            throw wrong("there is no file " + file);
        }
        if (!Files.isRegularFile(file)) {
            throw wrong("FILE must be a regular file, because it is read more than once: " + file);
        }
        if (!Files.isReadable(file)) {
            throw wrong("FILE cannot be read because of its permissions: " + file);
        }
        if (dir != null && Files.exists(dir) && !Files.isDirectory(dir)) {
            throw wrong("--dir is not a directory: " + dir);
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private String createTopic(ReplayInput input) {
        TopicOptions options =
                input.topicOptions().withDurability(durability).withCompression(compression);
        try (LogStore store = ReplayWriter.open(dir)) {
            List<String> there = store.topicNames();
            int number = 1;
            while (there.contains("replay-" + number)) {
                number++;
            }
            String topic = "replay-" + number;
            store.createTopic(topic, options);
            say(
                    "Topic %s in %s: %s, compression %s, up to %,d records in a batch; durability"
                            + " class %s.",
                    topic,
                    dir,
                    durability,
                    compression,
                    batch,
                    store.metrics().tiers().get(0).survives());
            return topic;
        }
    }

    /** Returns how many records the writer had reported as acknowledged when it was killed. */
    private long writeAndKill(ReplayInput input, String topic)
            throws IOException, InterruptedException {
        long started = System.nanoTime();
        ReplayChild.Acked acked;
        try (ProgressBar bar = bar("Writing", 0, input.bytes())) {
            acked =
                    ReplayChild.killHalfWay(
                            file,
                            input.bytes(),
                            dir,
                            topic,
                            batch,
                            (n, bytes) -> bar.stepTo(bytes));
        }
        say(
                "Killed the writer %s after its start: it had reported %,d records (%.0f %%) as"
                        + " acknowledged.",
                Examples.time(System.nanoTime() - started),
                acked.lines(),
                input.bytes() == 0 ? 0 : 100.0 * acked.bytes() / input.bytes());
        return acked.lines();
    }

    /** Appends the lines that are not in the log yet. */
    private void write(ReplayInput input, String topic, long acked) throws IOException {
        long started = System.nanoTime();
        try (LogStore store = ReplayWriter.open(dir);
                Lines lines = new Lines(file)) {
            Partition log = store.openTopic(topic).partition(0);
            long there = log.nextOffset();
            if (kill) {
                say(
                        "Opened the store again in %s: %,d records are there.",
                        Examples.time(System.nanoTime() - started), there);
            }
            if (there < acked) {
                throw new IOException((acked - there) + " acknowledged records are lost");
            }
            lines.skip(there);
            long from = lines.position();
            started = System.nanoTime();
            try (ProgressBar bar = bar("Writing", from, input.bytes())) {
                ReplayWriter.write(
                        lines, input.bytes(), log, batch, (n, bytes) -> bar.stepTo(bytes));
            }
            sayRate("Wrote", lines.count() - there, lines.position() - from, started, 0);
            if (lines.position() != input.bytes()) {
                throw new IOException(file + " was changed during the replay: try again");
            }
        }
    }

    /** Reads all records back; returns whether they are the lines of the file. */
    private boolean read(ReplayInput input, String topic) {
        try (LogStore store = ReplayWriter.open(dir)) {
            Partition log = store.openTopic(topic).partition(0);
            long started = System.nanoTime();
            ReplayReader.Found found;
            try (ProgressBar bar = bar("Reading", 0, input.bytes())) {
                found = ReplayReader.read(log, bar::stepTo);
            }
            sayRate("Read", found.records(), found.bytes(), started, found.digestNs());
            say("SHA-256 of the file     %s", input.sha256());
            say("SHA-256 of the records  %s", found.sha256());
            boolean equal =
                    found.sha256().equals(input.sha256()) && found.records() == input.lines();
            say(
                    equal ? "Equal." : "DIFFERENT: %,d records of %,d lines.",
                    found.records(),
                    input.lines());
            return equal;
        }
    }

    private void sayRate(String what, long records, long bytes, long startedNs, long digestNs) {
        long ns = System.nanoTime() - startedNs;
        double seconds = Math.max(ns - digestNs, 1) / 1e9;
        say(
                "%s %,d records, %s, in %s%s: %,.0f MB/s, %,.0f records/s.",
                what,
                records,
                Examples.size(bytes),
                Examples.time(ns),
                digestNs == 0
                        ? ""
                        : String.format(
                                Locale.ROOT, ", without SHA-256 %s", Examples.time(ns - digestNs)),
                bytes / 1e6 / seconds,
                records / seconds);
    }

    private static ProgressBar bar(String what, long from, long bytes) {
        return new ProgressBarBuilder()
                .setTaskName(what)
                .setInitialMax(bytes)
                .startsFrom(from, Duration.ZERO)
                .setUnit(" MB", 1_000_000)
                .showSpeed()
                .setUpdateIntervalMillis(200)
                .setStyle(ProgressBarStyle.ASCII)
                .setConsumer(new ConsoleProgressBarConsumer(System.err, BAR_WIDTH))
                .build();
    }

    private void say(String format, Object... arguments) {
        spec.commandLine().getOut().printf(Locale.ROOT, format + "%n", arguments);
    }
}
