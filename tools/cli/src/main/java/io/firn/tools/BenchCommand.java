package io.firn.tools;

import io.firn.InvalidOptionException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Measures what a machine and a file system can do. */
@Command(
        name = "bench",
        description = {
            "Measures forces, appends and fetches on this machine, and explains which are slow and why"
                    + " that matters.",
            "",
            "Works for two minutes in a new directory below DIRECTORY, which is deleted at the end;"
                    + " up to 2 GiB are written there. Run it where the store is to be, and while"
                    + " nothing else runs. Exit code 1 if something is slow.",
            ""
        })
final class BenchCommand implements Callable<Integer> {
    private static final int LEAST_SECONDS = 3;

    @Parameters(paramLabel = "DIRECTORY", description = "Where it writes")
    private Path directory;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "120",
            description = "How long it works. Default: ${DEFAULT-VALUE}")
    private int seconds;

    @Mixin private Output output;

    BenchCommand() {}

    @Override
    public Integer call() throws IOException {
        if (seconds < LEAST_SECONDS) {
            throw new InvalidOptionException(
                    "--seconds: at least " + LEAST_SECONDS + " is expected, found " + seconds);
        }
        if (!StoreArguments.isDirectory(directory)) {
            throw new InvalidOptionException("there is no directory " + directory);
        }
        Logs.quiet();
        Path work = Files.createTempDirectory(directory, "firn-bench-");
        Thread onExit = new Thread(() -> delete(work)); // also after Ctrl-C
        Runtime.getRuntime().addShutdownHook(onExit);
        List<Measurement> measured;
        try (MachineBench bench = new MachineBench(work)) {
            measured = run(bench);
        } finally {
            delete(work);
            Runtime.getRuntime().removeShutdownHook(onExit);
        }
        Table table =
                new Table("measurements")
                        .texts("work")
                        .numbers("perSecond")
                        .bytes("bytesPerSecond")
                        .numbers("medianMicros", "p99Micros");
        measured.forEach(each -> each.addTo(table));
        List<Check> checks = BenchVerdict.of(measured);
        Table verdict = new Table("verdict").texts("work", "state", "found", "why", "fix");
        checks.forEach(
                each ->
                        verdict.row(
                                each.subject(),
                                each.state(),
                                each.found(),
                                each.why(),
                                each.fix()));
        if (output.isJson()) {
            output.print(table, verdict);
        } else {
            output.print(table);
            output.say("");
            checks.forEach(each -> each.show(output));
        }
        return Check.exitCode(checks);
    }

    private List<Measurement> run(MachineBench bench) throws IOException {
        List<MachineBench.Step> steps = bench.steps();
        Duration each = Duration.ofSeconds(seconds).dividedBy(steps.size());
        List<Measurement> measured = new ArrayList<>();
        for (MachineBench.Step step : steps) {
            output.warn("Measuring: %s", step.name());
            measured.add(step.work().run(each));
        }
        return measured;
    }

    private static void delete(Path directory) {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        } catch (IOException e) {
            return; // it is deleted already, or by the one who called
        }
    }
}
