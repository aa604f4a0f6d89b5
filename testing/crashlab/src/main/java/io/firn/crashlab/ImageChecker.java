package io.firn.crashlab;

import io.firn.Appender;
import io.firn.Finding;
import io.firn.LogStore;
import io.firn.StoreOpenException;
import io.firn.crashlab.Matrix.Fault;
import io.firn.kill.Flaws;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.CachedEpochClock;

/**
 * Opens an image that a power cut left and compares it with what was promised. The power is cut
 * again during the recovery of some images, up to three levels deep, or after the first append that
 * follows; a seed decides which ones and where.
 */
final class ImageChecker {
    private static final Fault[] DEEPER = {
        Fault.IN_RECOVERY_1, Fault.IN_RECOVERY_2, Fault.IN_RECOVERY_3
    };
    private static final byte[] LATER = "later".getBytes(StandardCharsets.UTF_8);

    private final TestedStore tested;
    private final Matrix matrix;
    private final int deepShare;
    private final int blindShare;

    /**
     * Creates a checker.
     *
     * @param deepShare one of this number of images is cut again during its recovery; a record is
     *     appended to one of twice this number
     * @param blindShare one of this number of images is also opened while a look fails
     */
    ImageChecker(TestedStore tested, Matrix matrix, int deepShare, int blindShare) {
        this.tested = tested;
        this.matrix = matrix;
        this.deepShare = deepShare;
        this.blindShare = blindShare;
    }

    /**
     * Checks an image, which cannot be used again.
     *
     * @throws Violation if a promise is not kept; other exceptions mean the same
     */
    void check(SimulatedFileMedium image, long seed, Fault fault) {
        SeededIds.during(seed, () -> check(image, new SplittableRandom(seed), fault, 0));
    }

    private void check(SimulatedFileMedium image, SplittableRandom random, Fault fault, int depth) {
        matrix.count(fault);
        int share = random.nextInt(1 << 20);
        boolean deep = depth < DEEPER.length && (depth > 0 || share % deepShare == 0);
        SimulatedFileMedium twin = deep ? image.kill() : null;
        boolean isBlind = share % blindShare == 0;
        SimulatedFileMedium blind = isBlind ? image.kill() : null;
        LogStore store = open(image);
        int operations = image.operations();
        int looks = image.looks();
        tested.expected.check(store);
        if (share / 64 % (4 * deepShare) == 0) {
            killAndClose(image, store);
        } else if (share / 64 % (2 * deepShare) == 1 || fault == Fault.KILLED) {
            appendAfterRecovery(image, store, random);
        } else if (tested.media.hasTransactions()) {
            tested.expected.transactions.checkEnd(store);
        }
        if (deep && operations > 0) {
            cutInRecovery(twin, 1 + random.nextInt(operations), random, depth);
        }
        if (isBlind) {
            openBlind(blind, new SplittableRandom(share).nextInt(looks));
        }
    }

    /**
     * Opens an image while one look fails: that is refused, or shows what was promised, and changes
     * nothing that the next recovery needs.
     */
    private void openBlind(SimulatedFileMedium image, int passed) {
        matrix.count(Fault.LOOK_AFTER_CUT);
        int failing = image.looks() + 1 + passed;
        image.faults().failLooks(number -> number == failing);
        try {
            LogStore store = open(image);
            List<Finding> flaws = Flaws.of(store);
            if (flaws.isEmpty()) {
                tested.expected.check(store);
            } else if (flaws.stream()
                    .noneMatch(each -> each.text().contains("Input/output error"))) {
                throw new Violation("findings " + flaws + " after a look that failed");
            }
        } catch (StoreOpenException e) {
            matrix.count(Fault.LOOK_REFUSED);
        }
        image.faults().none();
        tested.expected.check(open(image.kill()));
        tested.expected.check(open(image.crash(Survival.NONE)));
    }

    private LogStore open(SimulatedFileMedium medium) {
        CachedEpochClock clock = new CachedEpochClock();
        clock.update(tested.clock.time());
        return tested.media.open(medium, clock, 0);
    }

    private void cutInRecovery(
            SimulatedFileMedium twin, int operation, SplittableRandom random, int depth) {
        SplittableRandom inner = random.split();
        twin.onOperation(
                number -> {
                    if (number == operation) {
                        Survival survival =
                                switch (inner.nextInt(4)) {
                                    case 0 -> Survival.NONE;
                                    case 1 -> Survival.ALL;
                                    case 2 -> Survival.random(inner.nextLong());
                                    default -> Survival.shredded(inner.nextLong());
                                };
                        check(twin.crash(survival), inner, DEEPER[depth], depth + 1);
                    }
                });
        open(twin);
    }

    /** Checks that a second recovery shows the same, and that a closed store holds no resources. */
    private void killAndClose(SimulatedFileMedium image, LogStore store) {
        matrix.count(Fault.REPEATED);
        List<String> ends = ends(store);
        SimulatedFileMedium killed = image.kill();
        LogStore again = open(killed);
        require(ends, ends(again), "a second recovery");
        again.close();
        if (killed.inUse() > 0) {
            throw new Violation(killed.inUse() + " files, mappings or locks are still in use");
        }
        tested.expected.check(open(killed.crash(Survival.NONE)));
    }

    /** Checks that the next power cut loses nothing that recovery showed or that came after it. */
    private void appendAfterRecovery(
            SimulatedFileMedium image, LogStore store, SplittableRandom random) {
        matrix.count(Fault.AFTER_RECOVERY);
        List<String> ends = ends(store);
        require(ends, ends(open(image.crash(Survival.NONE))), "a power cut after recovery");
        tested.expected.checkProducers(store);
        List<String> names = store.topicNames();
        if (!names.isEmpty()) {
            String name = names.get(random.nextInt(names.size()));
            try (Appender appender = store.openTopic(name).partition(0).openExclusiveAppender()) {
                appender.append(LATER, LATER); // with a key, for topics that are compacted
            }
            store.openTopic(name).partition(0).force();
        }
        ends = ends(store);
        Survival survival =
                random.nextBoolean() ? Survival.NONE : Survival.random(random.nextLong());
        LogStore again = open(image.crash(survival));
        require(ends, ends(again), "a power cut after the first append after recovery");
        if (!Flaws.of(again).isEmpty()) {
            throw new Violation("findings " + Flaws.of(again));
        }
    }

    private static void require(List<String> expected, List<String> found, String when) {
        if (!expected.equals(found)) {
            throw new Violation(when + ": " + expected + " became " + found);
        }
    }

    private static List<String> ends(LogStore store) {
        List<String> ends = new ArrayList<>();
        for (String name : store.topicNames()) {
            ends.add(name + " " + store.openTopic(name).partition(0).nextOffset());
        }
        return ends;
    }
}
