package io.firn.crashlab;

import static java.util.stream.Collectors.joining;

import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line of the crash laboratory. */
@Command(
        name = "bin/check crashlab",
        sortOptions = false,
        description = {
            "Executes workloads that are generated from a seed, on simulated persistent memory and"
                    + " simulated files. Cuts the power before each operation, opens every image"
                    + " that may be left, and compares it with what the store had promised.",
            ""
        },
        footer = {
            "",
            "Media: MEMORY, segments in persistent memory; EADR, the same with processor caches that"
                    + " survive a power cut; FILES, segments in files; BOTH, a few segments in memory"
                    + " and the others in files; MOVES, segments move between memory and two"
                    + " directories of files while records are appended and deleted; COMPACT, the same"
                    + " with topics that are compacted; TRANSACTIONS_MEMORY, TRANSACTIONS_FILES,"
                    + " TRANSACTIONS_BOTH and TRANSACTIONS_COMPACT, transactions over several topics"
                    + " in memory, in files, while segments move between both, and while they are"
                    + " compacted as well. The store's own"
                    + " directory is always in files. A power cut hits all media at one instant.",
            "",
            "Workloads: a third of the seeds runs one incarnation of the store and checks all of its"
                    + " images; a third runs many incarnations, each of which continues from what it"
                    + " recovers and whose recovery may be cut as well; a third does the same with"
                    + " WRITTEN topics that are rarely forced. After a power cut a line of memory"
                    + " holds any of its contents since it was flushed, and a page of a file any of"
                    + " its contents since it was forced, independently of all other lines and"
                    + " pages.",
            "",
            "A violation is reported with the command that reproduces it. Exit code: 0 if all"
                    + " promises were kept, 1 if not, 2 if an argument is wrong."
        })
public final class CrashLab implements Callable<Integer> {
    private static final Logger LOG = Logger.getLogger("io.firn");

    @Option(
            names = "--images",
            paramLabel = "N",
            description = "Number of distinct images to test. Default: ${DEFAULT-VALUE}",
            defaultValue = "20000")
    private long images;

    @Option(
            names = "--seed",
            paramLabel = "S",
            description =
                    "Seed of the first workload; the others count up from it. Default: by date")
    private Long seed;

    @Option(
            names = "--media",
            paramLabel = "NAME",
            split = ",",
            description = "The media: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}",
            defaultValue = "MEMORY")
    private List<Media> media;

    @Option(
            names = "--actions",
            paramLabel = "N",
            description = "Actions in a workload. Default: ${DEFAULT-VALUE}",
            defaultValue = "40")
    private int actions;

    @Option(
            names = "--deep",
            paramLabel = "N",
            description =
                    "The power is cut again during the recovery of one of N images, up to three"
                            + " levels deep. Default: ${DEFAULT-VALUE}",
            defaultValue = "4")
    private int deep;

    @Option(
            names = "--looks",
            paramLabel = "N",
            description =
                    "One of N images is also opened while one of its looks, which change nothing,"
                            + " fails with EIO. Default: ${DEFAULT-VALUE}",
            defaultValue = "16")
    private int looks;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Number of threads. Default: the number of processors")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(
            names = "--faults",
            description =
                    "Instead of power cuts: EIO, short writes and ENOSPC at each operation of a"
                            + " workload and of a recovery, and clock jumps.")
    private boolean faults;

    @Option(
            names = "--damage",
            description =
                    "Instead of power cuts: flips every bit of three reference logs, of which"
                            + " compaction has rewritten one and one is a replica, and replaces"
                            + " pieces of them by zeros, by their earlier bytes, or by bytes of"
                            + " another place.")
    private boolean damage;

    @Option(
            names = "--replicas",
            description =
                    "Instead of the usual workloads: replicated topics, whose log another one"
                            + " decides, and which are truncated. Media: MEMORY, FILES, MOVES.")
    private boolean replicas;

    @Option(
            names = "--workloads",
            paramLabel = "N",
            description = "With --faults: number of workloads. Default: ${DEFAULT-VALUE}",
            defaultValue = "3")
    private int workloads;

    @Option(names = "--new-sites", description = "With --faults: injects one fault per call site.")
    private boolean newSites;

    @Option(
            names = "--stride",
            paramLabel = "N",
            description = "With --damage: flips only each N-th bit. Default: ${DEFAULT-VALUE}",
            defaultValue = "1")
    private int stride;

    @Option(
            names = "--step",
            paramLabel = "N",
            description = "Cuts the power only before this operation.")
    private int step = -1;

    @Option(
            names = "--image",
            paramLabel = "N",
            description = "With --step: checks only this image.")
    private int image = -1;

    @Option(
            names = "--keep",
            paramLabel = "N",
            split = ",",
            description = "With --step: executes only these actions, counted from 0.")
    private List<Integer> keep;

    @Option(names = "--shrink", description = "Shrinks a failing workload to few actions.")
    private boolean shrink;

    @SuppressWarnings("UnusedVariable") // picocli acts on it
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Shows this help.")
    private boolean help;

    @Spec private CommandSpec spec;

    /** Runs the laboratory and exits. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new CrashLab()).execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException {
        checkArguments();
        LOG.setLevel(Level.OFF);
        if (!SeededIds.install()) {
            say("Ids were created before this program began: runs cannot be reproduced exactly.");
        }
        if (seed == null) {
            seed = LocalDate.now().toEpochDay() * 1_000;
        }
        say("Seed %d, %s, %d actions in a workload.", seed, media, actions);
        return step >= 0 ? repeat() : run();
    }

    private void checkArguments() {
        if (images < 1
                || actions < 1
                || threads < 1
                || stride < 1
                || workloads < 1
                || deep < 1
                || looks < 1) {
            throw wrong("numbers must be at least 1");
        }
        if ((faults && damage) || (replicas && (faults || damage))) {
            throw wrong("--faults, --damage and --replicas exclude each other");
        }
        if ((faults || damage) && media.stream().anyMatch(Media::hasTransactions)) {
            throw wrong("--faults and --damage have no transactions");
        }
        if (keep != null && step < 0) {
            throw wrong("--keep needs --step");
        }
        if (image >= 0 && step < 0) {
            throw wrong("--image needs --step");
        }
        if (keep != null && keep.stream().anyMatch(each -> each < 0 || each >= actions)) {
            throw wrong("--keep must be from 0 to " + (actions - 1) + ", the last action");
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private int run() throws InterruptedException {
        Campaign campaign =
                new Campaign(new Campaign.Settings(seed, media, actions, shares(), threads));
        long started = System.nanoTime();
        if (replicas) {
            campaign.replicate(images);
        } else if (damage) {
            campaign.damage(stride);
        } else if (faults) {
            campaign.fail(workloads, newSites);
        } else {
            campaign.cut(images);
        }
        double seconds = (System.nanoTime() - started) / 1e9;
        Matrix matrix = campaign.matrix();
        say("%n%s", matrix);
        say(
                "%,d tries, %,d distinct images, %.0f s, %.0f a second; %d violations.",
                matrix.tries(),
                matrix.distinct(),
                seconds,
                matrix.tries() / seconds,
                matrix.violations());
        if (faults) {
            say("%n%s", campaign.sitesReport());
        }
        campaign.failures().forEach(this::report);
        campaign.otherFailures().forEach(each -> say("%s", each));
        return matrix.violations() == 0 ? 0 : 1;
    }

    /** Checks the images of one step again and reports in detail. */
    private int repeat() {
        List<CrashRun.Failure> found =
                new CrashRun(
                                Workload.of(media.get(0), seed, actions).keep(kept()),
                                CrashRun.Limits.of(seed, shares()),
                                new Matrix(),
                                () -> false,
                                () -> {})
                        .only(step, image)
                        .run();
        if (found.isEmpty()) {
            say("No violation.");
            return 0;
        }
        found.forEach(this::report);
        return 1;
    }

    private CrashRun.Shares shares() {
        return new CrashRun.Shares(deep, looks);
    }

    private List<Integer> kept() {
        return keep == null ? Shrinker.everything(actions) : keep;
    }

    private void report(CrashRun.Failure failure) {
        say("%n%s%n%s", failure, failure.reproduction(actions, shares()));
        if (step >= 0) {
            say("%s", Traces.of(failure.why()));
        }
        if (shrink) {
            shrink(failure);
        }
    }

    private void shrink(CrashRun.Failure failure) {
        Media on = failure.media();
        Workload all = Workload.of(on, failure.seed(), actions);
        Shrinker.Result small = new Shrinker(all, shares(), on::empty).shrink(kept());
        say(
                "The smallest failing workload that was found, %d of %d actions:",
                small.kept().size(), actions);
        all.keep(small.kept()).actions().forEach(each -> say("  %s", each));
        String indexes = small.kept().stream().map(String::valueOf).collect(joining(","));
        small.failure()
                .ifPresent(
                        how ->
                                say(
                                        "%s%n%s --keep %s",
                                        how, how.reproduction(actions, shares()), indexes));
    }

    private void say(String format, Object... arguments) {
        spec.commandLine().getOut().printf(Locale.ROOT, format + "%n", arguments);
        spec.commandLine().getOut().flush();
    }
}
