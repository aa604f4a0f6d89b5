package io.firn.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.Topic;
import io.firn.kill.Flaws;
import io.firn.sim.SecondRun;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Power cuts and kills at every operation of a store's life, and again in the recovery. After each
 * the store must open, keep every promise, go on, and keep what it found.
 */
class StoreCrashTest {
    private static final int MANY_SEEDS = 10;
    private static final int MOST_FAILURES = 3;
    private static final List<Survival> OTHERS =
            List.of(Survival.ALL, Survival.NAMES, Survival.BYTES);
    private static final byte[] LATER = "later".getBytes(StandardCharsets.UTF_8);

    private final CrashScript script = new CrashScript(new SimulatedFileMedium());
    private final SimulatedFileMedium medium = script.simulation.medium;
    private final List<String> failures = new ArrayList<>();
    private int crashes;

    @BeforeAll
    static void silence() {
        Simulation.silenceLog();
    }

    @Test
    void shouldKeepEveryPromiseWhenPowerIsCutAtAnyOperation() {
        int[] largest = {1};
        atEachOperation(
                number -> {
                    // One crash in each recovery, at another of its operations each time.
                    int[] operation = {0};
                    int chosen = number % largest[0];
                    IntPredicate once = again -> operation[0]++ == chosen;
                    look(number, Survival.NONE, once);
                    largest[0] = Math.max(largest[0], operation[0]);
                    operation[0] = 0;
                    look(number, "a kill", medium::kill, once);
                    look(number, "seed " + number, () -> random(number), null);
                    if (number % 2 == 0) {
                        look(number, OTHERS.get(number / 2 % OTHERS.size()), null);
                    }
                });
    }

    @Test
    @Tag("slow")
    void shouldKeepEveryPromiseWhenPowerIsCutAtAnyOperationAndAtAnyOfTheRecovery() {
        long seed = System.nanoTime() & 0xFFFF;
        atEachOperation(
                number -> {
                    look(number, "a kill", medium::kill, again -> true);
                    look(number, Survival.NONE, again -> true);
                    for (Survival survival : OTHERS) {
                        look(number, survival, again -> true);
                    }
                    for (int i = 0; i < MANY_SEEDS; i++) {
                        long one = seed + (long) number * MANY_SEEDS + i;
                        look(number, "seed " + one, () -> random(one), again -> true);
                    }
                });
    }

    /** Something to do just before an operation takes effect. */
    @FunctionalInterface
    private interface Crashes {
        /** Does it. */
        void at(int number);
    }

    private void atEachOperation(Crashes each) {
        medium.onOperation(
                number -> {
                    if (!isDull(medium.history().get(number - 1))
                            && !SecondRun.leavesOut(number, 9)) {
                        each.at(number);
                    }
                });
        script.run();
        each.at(medium.operations());
        assertEquals(List.of(), failures, crashes + " crashes");
        assertTrue(crashes > SecondRun.share(1_000, 9), crashes + " crashes only");
    }

    /** Zeros for a file that means nothing yet; the first and the last are interesting enough. */
    private static boolean isDull(String operation) {
        return operation.contains(".active.tmp") && operation.startsWith("write 16384 ");
    }

    /** With one of the survivals that give the same answer to everything. */
    private void look(int number, Survival fixed, IntPredicate crashAgain) {
        look(number, fixed.toString(), () -> medium.crash(fixed), crashAgain);
    }

    private SimulatedFileMedium random(long seed) {
        return medium.crash(seed % 2 == 0 ? Survival.random(seed) : Survival.shredded(seed));
    }

    /**
     * Recovers from a crash, and goes on.
     *
     * @param left makes what is left of the medium, anew each time
     * @param crashAgain at which operations of a recovery it crashes again; null for none
     */
    private void look(
            int number, String crash, Supplier<SimulatedFileMedium> left, IntPredicate crashAgain) {
        if (failures.size() > MOST_FAILURES) {
            return; // more of the same helps nobody
        }
        String[] second = {""};
        try {
            if (crashAgain != null) {
                crashInRecovery(left.get(), number, crashAgain, second);
            }
            recoverAndGoOn(left.get(), number);
        } catch (AssertionError | IOException | RuntimeException e) {
            failures.add(
                    script.doing()
                            + ", before operation "
                            + number
                            + ", "
                            + medium.history().get(number - 1)
                            + ", "
                            + crash
                            + second[0]
                            + ": "
                            + trace(e)
                            + left.get());
        }
    }

    private static String trace(Throwable e) {
        StringBuilder out = new StringBuilder();
        for (Throwable t = e; t != null; t = t.getCause()) {
            out.append(t).append('\n');
            for (StackTraceElement element : t.getStackTrace()) {
                if (element.getClassName().startsWith("io.firn")) {
                    out.append("        at ").append(element).append('\n');
                }
            }
        }
        return out.toString();
    }

    private void crashInRecovery(
            SimulatedFileMedium left, int number, IntPredicate crashAgain, String[] second)
            throws IOException {
        left.onOperation(
                again -> {
                    if (crashAgain.test(again)) {
                        Survival survival =
                                (again + number) % 3 == 0
                                        ? Survival.random(number + again)
                                        : Survival.NONE;
                        second[0] = ", again at " + left.history().get(again - 1) + ", " + survival;
                        recoverAndCheck(left.crash(survival));
                    }
                });
        try (LogStore store = new Simulation(left).open()) {
            left.onOperation(again -> {});
            second[0] = "";
            script.promises.check(store, left, Simulation.SEGMENTS);
        }
    }

    private void recoverAndCheck(SimulatedFileMedium left) {
        crashes++;
        try (LogStore store = new Simulation(left).open()) {
            script.promises.check(store, left, Simulation.SEGMENTS);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** What recovery shows must outlive the next crash, and so must what comes after it. */
    private void recoverAndGoOn(SimulatedFileMedium left, int number) throws IOException {
        crashes++;
        Simulation simulation = new Simulation(left);
        try (LogStore store = simulation.open()) {
            script.promises.check(store, left, Simulation.SEGMENTS);
            List<String> ends = ends(store);
            SimulatedFileMedium afterRecovery = left.crash(Survival.NONE);
            try (LogStore again = new Simulation(afterRecovery).open()) {
                script.promises.check(again, afterRecovery, Simulation.SEGMENTS);
                assertEquals(ends, ends(again), "what a power cut after recovery left");
            }
            script.promises.checkProducers(store);
            if (!ends.isEmpty()) {
                String name = store.topicNames().get(number % ends.size());
                try (Appender appender =
                        store.openTopic(name).partition(0).openExclusiveAppender()) {
                    appender.append(LATER);
                }
                store.openTopic(name).partition(0).force();
            }
            ends = ends(store);
            SimulatedFileMedium atOnce = left.crash(Survival.NONE);
            try (LogStore again = new Simulation(atOnce).open()) {
                assertEquals(ends, ends(again), "what was appended after recovery");
            }
            simulation.pass(store, 100);
            SimulatedFileMedium later = left.crash(Survival.NONE);
            try (LogStore again = new Simulation(later).open()) {
                assertEquals(List.of(), Flaws.of(again));
                assertEquals(ends, ends(again), "a while after recovery");
            }
        }
    }

    private static List<String> ends(LogStore store) {
        List<String> ends = new ArrayList<>();
        for (String name : store.topicNames()) {
            Topic topic = store.openTopic(name);
            ends.add(name + " " + topic.partition(0).nextOffset());
        }
        return ends;
    }
}
