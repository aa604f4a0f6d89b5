package io.firn.kill;

import io.firn.LogStore;
import io.firn.kill.Oracle.Violation;
import io.firn.kill.Plan.Mode;
import io.firn.kill.Report.Kind;
import io.firn.spi.StorageTier;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** Starts one child after the other, kills it, and asks the oracle. */
final class Kills implements KillRun {
    private static final int MOST_APPENDING_MS = 250;
    private static final int MOST_OPENING_MS = 120;
    private static final int MOST_CLOSING_MS = 30;
    private static final int MOST_AFTER_ROLL_MS = 2;
    private static final String RECOVERY = "io.firn.Recovery";

    private final Ground ground;
    private final Path directory;
    private final long seed;
    private final int rounds;
    private final PrintStream out;
    private final SplittableRandom random;
    private final Oracle oracle;
    private final Map<Mode, Integer> kills = new EnumMap<>(Mode.class);
    private final Map<Integer, Long> segmentsByTier = new TreeMap<>();
    private int children;
    private int accounts;
    private int killed;
    private int closed;
    private int checks;
    private long rolls;
    private long accepted;
    private long unproven;

    Kills(Ground ground, Path directory, long seed, int rounds, PrintStream out) {
        this.ground = ground;
        this.directory = directory;
        this.seed = seed;
        this.rounds = rounds;
        this.out = out;
        this.random = new SplittableRandom(seed);
        this.oracle = new Oracle(seed);
    }

    /** How many children were killed. */
    int killed() {
        return killed;
    }

    long ackedRecords() {
        return oracle.ackedRecords();
    }

    /** Kills as many children as it is to, and checks in between and at the end. */
    @Override
    public void run() throws Exception {
        Files.createDirectories(directory);
        Path events = directory.resolve("recoveries.jfr");
        try (Recording recording = new Recording()) {
            recording.enable(RECOVERY);
            recording.start();
            while (killed < rounds) {
                runChild();
                progress();
                if (random.nextBoolean()) {
                    check();
                }
            }
            check();
            recording.stop();
            recording.dump(events);
        }
        for (RecordedEvent event : RecordingFile.readAllEvents(events)) {
            if (!event.getEventType().getName().equals(RECOVERY)) {
                continue; // of another test's store
            }
            accepted += event.getLong("acceptedBytes");
            unproven += event.getLong("unprovenBytes");
        }
    }

    private void runChild() throws Exception {
        Mode mode = pickMode();
        int muted = -1;
        if (mode == Mode.SEALED_UNHEARD) {
            muted = pickShared();
        }
        Plan plan = new Plan(seed, ++children, mode, muted, oracle.standings());
        try (Child child = new Child(directory, ground, plan)) {
            awaitMoment(child, mode);
            List<Report> reports = child.kill();
            if (child.wasKilled()) {
                killed++;
                kills.merge(mode, 1, Integer::sum);
            } else if (child.endedWell() && mode == Mode.CLOSING) {
                closed++;
            } else {
                throw new Violation("the child failed, in mode " + mode + ":\n" + child.errors());
            }
            for (Report report : reports) {
                oracle.hear(report);
                rolls += report.kind() == Kind.ROLLED ? report.first() : 0;
                accounts += report.kind() == Kind.OPENED ? 1 : 0;
            }
        }
    }

    private Mode pickMode() {
        int dice = random.nextInt(20);
        if (dice < 9) {
            return Mode.APPENDING;
        } else if (dice < 12) {
            return Mode.ROLLED;
        } else if (dice < 15) {
            return Mode.SEALED_UNHEARD;
        }
        return dice < 18 ? Mode.OPENING : Mode.CLOSING;
    }

    private int pickShared() {
        List<Lane> shared = Lane.ALL.stream().filter(lane -> !lane.exclusive()).toList();
        return shared.get(random.nextInt(shared.size())).id();
    }

    private void awaitMoment(Child child, Mode mode) throws Exception {
        Kind kind =
                switch (mode) {
                    case APPENDING -> Kind.ACKED;
                    case ROLLED -> Kind.ROLLED;
                    case SEALED_UNHEARD -> Kind.READY;
                    case OPENING -> Kind.OPENING;
                    case CLOSING -> Kind.CLOSING;
                };
        if (!child.await(kind)) {
            child.kill();
            throw new Violation(
                    "the child did not come to report " + kind + ":\n" + child.errors());
        }
        int most =
                switch (mode) {
                    case APPENDING -> MOST_APPENDING_MS;
                    case ROLLED -> MOST_AFTER_ROLL_MS;
                    case SEALED_UNHEARD -> 0;
                    case OPENING -> MOST_OPENING_MS;
                    case CLOSING -> MOST_CLOSING_MS;
                };
        long until = System.nanoTime() + random.nextInt(1 + most * 1_000) * 1_000L;
        long left;
        while ((left = until - System.nanoTime()) > 0) {
            LockSupport.parkNanos(left);
        }
    }

    /** Recovers in this process, compares, and closes. */
    private void check() throws Violation {
        List<StorageTier> tiers = ground.tiers(directory);
        try (LogStore store = Lane.open(directory, tiers)) {
            int[] segments = Account.settle(store, tiers, ground);
            for (int i = 0; i < segments.length; i++) {
                segmentsByTier.merge(i, (long) segments[i], Long::sum);
            }
            oracle.check(store);
            checks++;
        }
    }

    private void progress() {
        out.printf(
                "\rkilled %d of %d, %,d records acknowledged, %,d rolls ",
                killed, rounds, oracle.ackedRecords(), rolls);
        out.flush();
    }

    /** Says what happened. */
    @Override
    public void summarize() {
        out.printf("%nkills                %d: %s%n", killed, kills);
        out.printf(
                "children             %d, of which closed before the kill %d%n", children, closed);
        out.printf("checks               %d%n", checks);
        out.printf(
                "blocks added up      %d times; segments found in the checks, by tier: %s%n",
                accounts + checks, segmentsByTier.values());
        out.printf("batches acknowledged %,d%n", oracle.ackedBatches());
        out.printf("records acknowledged %,d%n", oracle.ackedRecords());
        out.printf("rolls                %,d%n", rolls);
        out.printf("duplicates refused   %,d%n", oracle.repeated());
        out.printf("bytes above marks    %,d accepted by recovery in the checks%n", accepted);
        out.printf("unproven bytes       %,d cut by recovery in the checks%n", unproven);
        out.printf("seed                 %d%n", seed);
    }
}
