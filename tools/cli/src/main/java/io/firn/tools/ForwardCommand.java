package io.firn.tools;

import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.forward.Forward;
import io.firn.forward.ForwardSnapshot;
import io.firn.forward.ForwardSnapshot.PartitionStatus;
import io.firn.forward.OnFull;
import io.firn.forward.OnLostPosition;
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
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Sends topics of a store to a Kafka cluster, until it is ended. */
@Command(
        name = "forward",
        description = {
            "Sends the records of topics to a Kafka cluster, in order and exactly once.",
            "",
            "Runs until it is ended (Ctrl-C), and continues where it was when it is started again, also"
                    + " after it was killed. A cluster that cannot be reached is waited for.",
            ""
        },
        footer = {
            "",
            "Prints a line for each partition when it reports: how far it is forwarded, and the"
                    + " lag. Exit code: 0 when it was ended or has caught up, 1 when it has stopped"
                    + " and an operator has to decide."
        })
final class ForwardCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "STORE", description = StoreArguments.STORE)
    private Path directory;

    @Mixin private StoreArguments storeArguments;

    @Option(
            names = "--to",
            paramLabel = "FILE",
            required = true,
            description = "Properties of a Kafka producer: bootstrap.servers, security, sizes")
    private Path cluster;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            required = true,
            description =
                    "The name under which the cluster keeps the positions; each store needs one of"
                            + " its own, which stays")
    private String name;

    @Option(
            names = "--topic",
            paramLabel = "NAME=TARGET",
            split = ",",
            required = true,
            description =
                    "A topic, and its name in the cluster, which can be left out if it is the same;"
                            + " with commas between them, or once for each")
    private List<String> topics = List.of();

    @Option(
            names = "--on-lost-position",
            paramLabel = "FAIL|FROM_CURSOR",
            description =
                    "When it is not known up to where records were forwarded: stop, or continue at"
                            + " the cursor in the store, so that records may be sent twice."
                            + " Default: ${DEFAULT-VALUE}",
            defaultValue = "FAIL")
    private OnLostPosition onLostPosition;

    @Option(
            names = "--on-full",
            paramLabel = "BACK_PRESSURE|DROP_OLDEST",
            description =
                    "When the store is full: keep records that were not forwarded, or delete the"
                            + " oldest. Default: ${DEFAULT-VALUE}",
            defaultValue = "BACK_PRESSURE")
    private OnFull onFull;

    @Option(
            names = "--bytes-per-second",
            paramLabel = "N",
            description = "The most that is sent. Default: no limit")
    private Long bytesPerSecond;

    @Option(
            names = "--report",
            paramLabel = "SECONDS",
            description = "How often to report; 0 for never. Default: ${DEFAULT-VALUE}",
            defaultValue = "10")
    private int reportSeconds;

    @Option(
            names = "--until-caught-up",
            description = "Ends when the cluster has everything that the store has.")
    private boolean endsWhenCaughtUp;

    @Spec private CommandSpec spec;

    ForwardCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        storeArguments.check();
        Logs.quiet();
        Properties properties = new Properties();
        try (Reader in = Files.newBufferedReader(cluster)) {
            properties.load(in);
        }
        try (UntilEnded running = new UntilEnded();
                LogStore store = storeArguments.openExisting(directory);
                Forward forward = forward(store, properties)) {
            forward.start();
            print("Forwarding %s to %s", directory, properties.getProperty("bootstrap.servers"));
            return follow(forward, running);
        }
    }

    private Forward forward(LogStore store, Properties properties) {
        Forward.Builder builder =
                Forward.from(store)
                        .to(properties)
                        .name(name)
                        .onLostPosition(onLostPosition)
                        .onFull(onFull);
        for (String each : topics) {
            String[] names = each.split("=", -1);
            if (names.length > 2) {
                throw new InvalidOptionException("--topic: NAME or NAME=TARGET, not " + each);
            }
            builder.topic(names[0], names[names.length - 1]);
        }
        if (bytesPerSecond != null) {
            builder.bytesPerSecond(bytesPerSecond);
        }
        return builder.open();
    }

    private int follow(Forward forward, UntilEnded running) throws InterruptedException {
        long reportMs = reportSeconds * 1000L;
        long sinceReportMs = 0;
        long stepMs = endsWhenCaughtUp ? 50 : 1000;
        while (!running.await(stepMs)) {
            ForwardSnapshot snapshot = forward.snapshot();
            sinceReportMs += stepMs;
            boolean isDone = endsWhenCaughtUp && snapshot.isCaughtUp();
            if ((reportMs > 0 && sinceReportMs >= reportMs) || isDone) {
                sinceReportMs = 0;
                report(snapshot);
            }
            if (!snapshot.isRunning()) {
                snapshot.failure()
                        .ifPresent(why -> print("stopped: %s: %s", why.reason(), why.getMessage()));
                return Exit.FOUND;
            }
            if (isDone) {
                return Exit.FINE;
            }
        }
        return Exit.FINE;
    }

    private void report(ForwardSnapshot snapshot) {
        snapshot.lastError().ifPresent(error -> print("cluster: %s", error));
        for (PartitionStatus each : snapshot.partitions()) {
            print(
                    "%s-%d to %s: forwarded to offset %d, behind by %d records, %d bytes and %d ms%s",
                    each.topic(),
                    each.partition(),
                    each.target(),
                    each.forwardedTo(),
                    each.lagRecords(),
                    each.lagBytes(),
                    each.lagTime().map(Duration::toMillis).orElse(-1L),
                    each.dropped() == 0 ? "" : ", " + each.dropped() + " dropped");
        }
    }

    private void print(String format, Object... arguments) {
        PrintWriter out = spec.commandLine().getOut();
        out.printf(Locale.ROOT, format + "%n", arguments);
        out.flush();
    }
}
