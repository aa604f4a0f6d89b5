package io.firn.crashlab;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.crashlab.Matrix.Fault;
import io.firn.crashlab.Promises.Violation;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.CachedEpochClock;

/**
 * Opens what a power cut left and holds it against what was promised. Some images are cut again in
 * their recovery, up to three levels deep, or just after it; which ones, and where, follows from a
 * seed.
 */
final class Examiner {
    private static final Fault[] DEEPER = {
        Fault.IN_RECOVERY_1, Fault.IN_RECOVERY_2, Fault.IN_RECOVERY_3
    };
    private static final byte[] LATER = "later".getBytes(StandardCharsets.UTF_8);

    private final Life life;
    private final Matrix matrix;
    private final int deepShare;

    /**
     * An examiner.
     *
     * @param deepShare one of so many is cut again in its recovery, and again fewer continue after
     *     it
     */
    Examiner(Life life, Matrix matrix, int deepShare) {
        this.life = life;
        this.matrix = matrix;
        this.deepShare = deepShare;
    }

    /**
     * Examines an image, which is used up.
     *
     * @throws Violation when a promise is not kept; other exceptions mean the same
     */
    void examine(SimulatedFileMedium image, long seed, Fault fault) {
        SeededIds.during(seed, () -> examine(image, new SplittableRandom(seed), fault, 0));
    }

    private void examine(
            SimulatedFileMedium image, SplittableRandom random, Fault fault, int depth) {
        matrix.count(fault);
        int share = random.nextInt(1 << 20);
        boolean deep = depth < DEEPER.length && (depth > 0 || share % deepShare == 0);
        SimulatedFileMedium twin = deep ? image.kill() : null;
        LogStore store = open(image);
        int operations = image.operations();
        life.promises.check(store);
        if (share / 64 % (4 * deepShare) == 0) {
            killAndClose(image, store);
        } else if (share / 64 % (2 * deepShare) == 1 || fault == Fault.KILLED) {
            goOn(image, store, random);
        }
        if (deep && operations > 0) {
            cutInRecovery(twin, 1 + random.nextInt(operations), random, depth);
        }
    }

    private LogStore open(SimulatedFileMedium medium) {
        CachedEpochClock clock = new CachedEpochClock();
        clock.update(life.clock.time());
        return life.media.open(medium, clock, 0);
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
                        examine(twin.crash(survival), inner, DEEPER[depth], depth + 1);
                    }
                });
        open(twin);
    }

    /** What recovery shows is there again after a kill; and nothing is left over at the end. */
    private void killAndClose(SimulatedFileMedium image, LogStore store) {
        matrix.count(Fault.REPEATED);
        List<String> ends = ends(store);
        SimulatedFileMedium killed = image.kill();
        LogStore again = open(killed);
        require(ends, ends(again), "recovery repeated");
        again.close();
        if (killed.inUse() > 0) {
            throw new Violation(killed.inUse() + " files, mappings or locks stay in use");
        }
        life.promises.check(open(killed.crash(Survival.NONE)));
    }

    /** What recovery shows must outlive the next power cut, and so must what comes after it. */
    private void goOn(SimulatedFileMedium image, LogStore store, SplittableRandom random) {
        matrix.count(Fault.AFTER_RECOVERY);
        List<String> ends = ends(store);
        require(ends, ends(open(image.crash(Survival.NONE))), "a power cut after recovery");
        life.promises.checkProducers(store);
        List<String> names = store.topicNames();
        if (!names.isEmpty()) {
            String name = names.get(random.nextInt(names.size()));
            try (Appender appender = store.openTopic(name).partition(0).openAppender()) {
                appender.append(LATER);
            }
            store.openTopic(name).partition(0).force();
        }
        ends = ends(store);
        Survival survival =
                random.nextBoolean() ? Survival.NONE : Survival.random(random.nextLong());
        LogStore again = open(image.crash(survival));
        require(ends, ends(again), "a power cut after the first append after recovery");
        if (!again.findings().isEmpty()) {
            throw new Violation("findings " + again.findings());
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
