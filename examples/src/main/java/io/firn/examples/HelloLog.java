package io.firn.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.LogRecord;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Survives;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.pmem.Emulation;
import io.firn.pmem.PmemTier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Opens a store, appends, reads, and prints what it did, with times, files and what it survives.
 */
@Command(
        name = "bin/hello",
        sortOptions = false,
        description = {
            "Opens a log in a directory, appends some records, reads them back, and prints what it"
                    + " did and where the files are. A second run continues the log.",
            ""
        })
public final class HelloLog implements Callable<Integer> {
    private long before;

    private void hello() throws IOException {
        long started = System.nanoTime();
        try (LogStore store = describe().open()) {
            Partition log = store.ensureTopic("hello", TopicOptions.defaults()).partition(0);
            sayOpened(store, log, System.nanoTime() - started);

            try (Appender appender = log.openAppender()) {
                started = System.nanoTime();
                appender.append(bytes("Hello, log!"));
                sayFirst(System.nanoTime() - started);

                started = System.nanoTime();
                for (int i = 1; i <= records; i++) {
                    appender.append(bytes("Flake " + i));
                }
                saySingle(System.nanoTime() - started);

                Batch batch = appender.newBatch();
                batch.key(bytes("firn"))
                        .value(bytes("last year's snow"))
                        .header("lang", bytes("en"));
                batch.add().add(bytes("ice"), bytes("next century's")).add(bytes("neve"), null);
                started = System.nanoTime();
                sayBatch(batch, appender.append(batch), System.nanoTime() - started);
            }

            try (Tailer tailer = log.openTailer()) {
                tailer.seek(before);
                say("Reading the new records:");
                started = System.nanoTime();
                int read = 0;
                while (tailer.offset() < log.durableOffset()) {
                    read += tailer.poll(this::show, 1_000);
                }
                say("%d records, read and printed in %s.", read, since(started));
            }
            started = System.nanoTime();
        }
        say("Closed in %s. The files:", since(started));
    }

    /** Uses files; with --pmem a pool of persistent memory first, and files when it is full. */
    private LogStoreBuilder describe() {
        LogStoreBuilder store = LogStore.at(dir);
        if (pool != null) {
            pmem =
                    PmemTier.at(pool)
                            .withCapacityBytes(POOL_BYTES)
                            .withPoolRatio(1)
                            .withEmulation(emulate ? Emulation.PLAIN : Emulation.NONE);
            store.tier(pmem);
        }
        return store.tier(FileTier.at(dir.resolve("segments")));
    }

    private static final long POOL_BYTES = 256L << 20;

    private PmemTier pmem;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description =
                    "The store's directory. Default: ${sys:java.io.tmpdir}/firn-hello-"
                            + "${sys:user.name}, or DIR/store with --pmem DIR")
    private Path dir;

    @Option(
            names = "--pmem",
            paramLabel = "DIR",
            description =
                    "Keeps the log in a pool of persistent memory (256 MiB) in this directory.")
    private Path pool;

    @Option(
            names = "--emulate",
            description =
                    "Allows a --pmem directory that is not persistent memory, such as /dev/shm.")
    private boolean emulate;

    @Option(
            names = "--records",
            paramLabel = "N",
            description = "Records to append one by one, at least 1. Default: ${DEFAULT-VALUE}",
            defaultValue = "10")
    private int records;

    @SuppressWarnings("UnusedVariable") // picocli acts on it
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this help.")
    private boolean help;

    @Spec private CommandSpec spec;

    /** Exits with 0, with 1 when something failed, or with 2 when an argument is wrong. */
    public static void main(String[] args) {
        Examples.exit(new HelloLog(), args);
    }

    @Override
    public Integer call() throws IOException {
        if (records < 1) {
            throw new ParameterException(
                    spec.commandLine(), "--records must be at least 1, not " + records);
        }
        if (emulate && pool == null) {
            throw new ParameterException(spec.commandLine(), "--emulate needs --pmem DIR");
        }
        if (dir == null) {
            Path home = Path.of(System.getProperty("java.io.tmpdir"));
            String name = "firn-hello-" + System.getProperty("user.name");
            dir = pool == null ? OwnDirectory.at(home.resolve(name)) : pool.resolve("store");
        }
        if (pool != null) {
            pool = pool.resolve("pool");
        }
        if (Files.exists(dir) && !Files.isDirectory(dir)) {
            throw new ParameterException(spec.commandLine(), "--dir is not a directory: " + dir);
        }
        hello();
        listFiles();
        return 0;
    }

    private void sayOpened(LogStore store, Partition log, long ns) {
        before = log.nextOffset();
        Survives durability = store.metrics().tiers().get(0).survives();
        say("Opened the store %s in %s.", dir, Examples.time(ns));
        if (pmem != null) {
            say("The pool's provider is %s: %s.", pmem.provider(), pmem.providerReason());
        }
        say(
                "Survives.%s: once append has returned, the record survives %s.",
                durability,
                durability == Survives.POWER_LOSS
                        ? "a power failure"
                        : "the death of the process, but not a power failure");
        say(
                before == 0
                        ? "Topic hello, partition 0, is empty."
                        : "Topic hello, partition 0, holds %,d records from before.",
                before - log.logStartOffset());
    }

    private void sayFirst(long ns) {
        say(
                "Appended a record, offset %d: durable after %s%s.",
                before, Examples.time(ns), before == 0 ? ", including reserving its segment" : "");
    }

    private void saySingle(long ns) {
        say(
                "Appended %d more one by one, offsets %d to %d: durable after %s each.",
                records, before + 1, before + records, Examples.time(ns / records));
    }

    private void sayBatch(Batch batch, long offset, long ns) {
        say(
                "Appended %d as one batch, offsets %d to %d: durable after %s.",
                batch.count(), offset, offset + batch.count() - 1, Examples.time(ns));
    }

    private Action show(LogRecord record) {
        StringBuilder text = new StringBuilder();
        text.append("  ").append(record.offset());
        text.append("  ").append(Instant.ofEpochMilli(record.timestamp()));
        if (record.hasKey()) {
            text.append("  ").append(UTF_8.decode(record.key())).append(" =");
        }
        text.append("  ").append(record.hasValue() ? UTF_8.decode(record.value()) : "(no value)");
        LogRecord.Headers headers = record.headers();
        while (headers.next()) {
            text.append("  {").append(headers.key()).append(": ");
            text.append(UTF_8.decode(headers.value())).append('}');
        }
        say("%s", text);
        return Action.CONTINUE;
    }

    private void listFiles() throws IOException {
        List<Path> files = new ArrayList<>(filesBelow(dir));
        if (pool != null) {
            files.addAll(filesBelow(pool));
        }
        for (Path file : files) {
            say("%12s  %s", Examples.size(Files.size(file)), file);
        }
        say("Run it again to continue the log; delete the directory to start over.");
    }

    private static List<Path> filesBelow(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private void say(String format, Object... arguments) {
        spec.commandLine().getOut().printf(Locale.ROOT, format + "%n", arguments);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static String since(long startedNs) {
        return Examples.time(System.nanoTime() - startedNs);
    }
}
