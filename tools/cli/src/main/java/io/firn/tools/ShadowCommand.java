package io.firn.tools;

import io.firn.Durability;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.TopicOptions;
import io.firn.shadow.OnDivergence;
import io.firn.shadow.OnGap;
import io.firn.shadow.PartitionStatus;
import io.firn.shadow.Shadow;
import io.firn.shadow.ShadowEvent;
import io.firn.shadow.ShadowSnapshot;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Follows topics of a Kafka cluster into a store, until it is ended. */
@Command(
        name = "shadow",
        description = {
            "Keeps copies of topics of a Kafka cluster in a store.",
            "",
            "They have the same batches at the same offsets. Runs until it is ended (Ctrl-C), and continues where it was when it"
                    + " is started again, also after it was killed. Other processes may read the"
                    + " store meanwhile.",
            ""
        },
        footer = {
            "",
            "Prints a line for each partition when it reports: state, offsets and lag."
                    + " Exit code: 0 when it was ended or has caught up, 1 when it, or with"
                    + " --until-caught-up a partition, has stopped."
        })
final class ShadowCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "STORE", description = StoreArguments.STORE)
    private Path directory;

    @Mixin private StoreArguments storeArguments;

    @Option(
            names = "--bootstrap-server",
            paramLabel = "HOST:PORT",
            split = ",",
            description = "Brokers of the source to begin with, with commas between them")
    private List<String> bootstrapServers = List.of();

    @Option(
            names = "--source-config",
            paramLabel = "FILE",
            description =
                    "Properties of a Kafka consumer: security, sizes of fetches, time-outs, and"
                            + " bootstrap.servers unless it is given")
    private Path sourceConfig;

    @Option(
            names = "--topic",
            paramLabel = "NAME",
            split = ",",
            description = "A topic to follow; names with commas between them, or once for each")
    private List<String> topics = List.of();

    @Option(
            names = "--pattern",
            paramLabel = "REGEX",
            description = "Follows the topics whose whole name matches, also later ones")
    private String pattern;

    @Option(
            names = "--durable",
            description =
                    "Creates copies whose records are shown only when they are durable here."
                            + " Default: a power failure may take the last ones, which are then"
                            + " copied again")
    private boolean isDurable;

    @Option(
            names = "--segment-bytes",
            paramLabel = "N",
            description = "The size of a segment of new copies. Default: ${DEFAULT-VALUE}",
            defaultValue = "67108864")
    private int segmentBytes;

    @Option(
            names = "--retention-bytes",
            paramLabel = "N",
            description = "The size of each partition of new copies. Default: nothing is deleted")
    private Long retentionBytes;

    @Option(
            names = "--retention-hours",
            paramLabel = "N",
            description = "The age of segments of new copies. Default: nothing is deleted")
    private Long retentionHours;

    @Option(
            names = "--on-divergence",
            paramLabel = "STOP|TRUNCATE",
            description =
                    "When the source has lost or replaced records that were copied: stop, or remove"
                            + " them here, too. Default: ${DEFAULT-VALUE}",
            defaultValue = "STOP")
    private OnDivergence onDivergence;

    @Option(
            names = "--on-gap",
            paramLabel = "FILL|STOP",
            description =
                    "When the source has deleted records before they were copied: continue after"
                            + " them, or stop. Default: ${DEFAULT-VALUE}",
            defaultValue = "FILL")
    private OnGap onGap;

    @Option(
            names = "--bytes-per-second",
            paramLabel = "N",
            description = "The most that is fetched. Default: no limit")
    private Long bytesPerSecond;

    @Option(
            names = "--report",
            paramLabel = "SECONDS",
            description = "How often to report; 0 for never. Default: ${DEFAULT-VALUE}",
            defaultValue = "10")
    private int reportSeconds;

    @Option(
            names = "--until-caught-up",
            description = "Ends when the copies have everything that the source has.")
    private boolean endsWhenCaughtUp;

    @Spec private CommandSpec spec;

    ShadowCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        storeArguments.check();
        Logs.quiet();
        Properties source = source();
        try (UntilEnded running = new UntilEnded();
                LogStore store = storeArguments.open(directory);
                Shadow shadow = shadow(store, source)) {
            shadow.start();
            print("Following %s into %s", source.getProperty("bootstrap.servers"), directory);
            return follow(shadow, running);
        }
    }

    private Properties source() throws IOException {
        Properties source = new Properties();
        if (sourceConfig != null) {
            try (Reader in = Files.newBufferedReader(sourceConfig)) {
                source.load(in);
            }
        }
        if (!bootstrapServers.isEmpty()) {
            source.setProperty("bootstrap.servers", String.join(",", bootstrapServers));
        }
        if (source.getProperty("bootstrap.servers") == null) {
            throw new InvalidOptionException(
                    "no source: give --bootstrap-server, or --source-config with bootstrap.servers");
        }
        return source;
    }

    private Shadow shadow(LogStore store, Properties source) {
        Shadow.Builder builder =
                Shadow.of(store, source)
                        .topics(topics.toArray(String[]::new))
                        .topicOptions(topicOptions())
                        .onDivergence(onDivergence)
                        .onGap(onGap)
                        .listener(this::print);
        if (bytesPerSecond != null) {
            builder.bytesPerSecond(bytesPerSecond);
        }
        if (pattern != null) {
            try {
                builder.pattern(Pattern.compile(pattern));
            } catch (PatternSyntaxException e) {
                throw new InvalidOptionException("--pattern: " + e.getMessage());
            }
        }
        return builder.open();
    }

    private TopicOptions topicOptions() {
        TopicOptions options =
                Shadow.defaultTopicOptions()
                        .withDurability(isDurable ? Durability.DURABLE : Durability.WRITTEN)
                        .withSegmentBytes(segmentBytes);
        if (retentionBytes != null) {
            options = options.withRetentionBytes(retentionBytes);
        }
        return retentionHours == null
                ? options
                : options.withRetentionAge(Duration.ofHours(retentionHours));
    }

    private int follow(Shadow shadow, UntilEnded running) throws InterruptedException {
        long reportMs = reportSeconds * 1000L;
        long sinceReportMs = 0;
        long stepMs = endsWhenCaughtUp ? 50 : 1000;
        while (!running.await(stepMs)) {
            ShadowSnapshot snapshot = shadow.snapshot();
            sinceReportMs += stepMs;
            if (reportMs > 0 && sinceReportMs >= reportMs) {
                sinceReportMs = 0;
                report(snapshot);
            }
            if (!snapshot.isRunning()) {
                return Exit.FOUND;
            }
            if (endsWhenCaughtUp && snapshot.isCaughtUp()) {
                report(snapshot);
                return Exit.FINE;
            }
            if (endsWhenCaughtUp && snapshot.partitions().stream().anyMatch(this::isStopped)) {
                report(snapshot);
                return Exit.FOUND;
            }
        }
        return Exit.FINE;
    }

    private boolean isStopped(PartitionStatus partition) {
        return switch (partition.state()) {
            case DIVERGED, STOPPED -> true;
            default -> false;
        };
    }

    private void report(ShadowSnapshot snapshot) {
        if (snapshot.sourceError() != null) {
            print("source: %s", snapshot.sourceError());
        }
        snapshot.missingTopics().forEach(each -> print("%s: the source does not have it", each));
        for (PartitionStatus each : snapshot.partitions()) {
            print(
                    "%s-%d %s offset %d of %d, behind by %d records and %d ms%s",
                    each.topic(),
                    each.partition(),
                    each.state(),
                    each.nextOffset(),
                    each.highWatermark(),
                    each.lagRecords(),
                    each.lagTime().map(Duration::toMillis).orElse(-1L),
                    each.lastError() == null ? "" : ": " + each.lastError());
        }
    }

    private void print(ShadowEvent event) {
        print("%s %s-%d: %s", event.kind(), event.topic(), event.partition(), event.message());
    }

    private void print(String format, Object... arguments) {
        PrintWriter out = spec.commandLine().getOut();
        out.printf(Locale.ROOT, format + "%n", arguments);
        out.flush();
    }
}
