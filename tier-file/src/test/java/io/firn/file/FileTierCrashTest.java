package io.firn.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.file.Life.Step;
import io.firn.sim.FirstRunOnly;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Power cuts, kills and I/O errors at every operation of a segment's life. */
@FirstRunOnly
class FileTierCrashTest {
    private static final int SEEDS = 20;

    /** A crash, and how often it may happen again while the tier recovers from it. */
    private static List<Survival> survivals() {
        List<Survival> all = new ArrayList<>();
        all.addAll(List.of(Survival.NONE, Survival.ALL, Survival.NAMES, Survival.BYTES));
        for (int seed = 0; seed < SEEDS; seed++) {
            all.add(Survival.random(seed));
        }
        return all;
    }

    @ParameterizedTest(name = "shouldKeepItsPromisesWhenPowerIsCutAtAnyOperationOf {0}")
    @EnumSource(Step.class)
    void shouldKeepItsPromisesWhenPowerIsCutAtAnyOperationOf(Step step) throws IOException {
        List<String> failures = new ArrayList<>();
        eachOperation(
                step,
                life -> {
                    for (Survival survival : survivals()) {
                        check(life.crash(survival), step, survival, failures);
                    }
                });
        assertEquals(List.of(), failures);
    }

    @ParameterizedTest(name = "shouldKeepItsPromisesWhenKilledAtAnyOperationOf {0}")
    @EnumSource(Step.class)
    void shouldKeepItsPromisesWhenKilledAtAnyOperationOf(Step step) throws IOException {
        List<String> failures = new ArrayList<>();
        eachOperation(step, life -> check(life.kill(), step, "a kill", failures));
        assertEquals(List.of(), failures);
    }

    @ParameterizedTest(name = "shouldKeepItsPromisesWhenAnyOperationFailsOf {0}")
    @EnumSource(Step.class)
    void shouldKeepItsPromisesWhenAnyOperationFailsOf(Step step) throws IOException {
        List<String> failures = new ArrayList<>();
        int operations = eachOperation(step, medium -> {});
        for (int k = 1; k <= operations; k++) {
            Life life = before(step);
            int failing = life.medium.operations() + k;
            life.medium.faults().failOperations(number -> number == failing);
            assertThrows(IOException.class, () -> life.take(step), "operation " + k);
            String after = "failure of " + last(life.medium);
            check(life.medium.kill(), step, after, failures);
            check(life.medium.crash(Survival.NONE), step, after, failures);
            life.close();
        }
        assertEquals(List.of(), failures);
    }

    /** Something to look at. */
    @FunctionalInterface
    private interface Look {
        /** Looks at a medium as it is just before an operation. */
        void at(SimulatedFileMedium medium) throws IOException;
    }

    /** Looks before each operation of a step and after the last; returns how many there were. */
    private static int eachOperation(Step step, Look look) throws IOException {
        Life life = before(step);
        int[] count = {0};
        life.medium.onOperation(
                number -> {
                    count[0]++;
                    lookAt(look, life.medium);
                });
        life.take(step);
        lookAt(look, life.medium);
        life.medium.onOperation(number -> {});
        life.close();
        return count[0];
    }

    private static Life before(Step step) throws IOException {
        return step == Step.OPEN ? Life.on(new SimulatedFileMedium()) : Life.after(previous(step));
    }

    private static void lookAt(Look look, SimulatedFileMedium medium) {
        try {
            look.at(medium);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String last(SimulatedFileMedium medium) {
        List<String> history = medium.history();
        return history.get(history.size() - 1);
    }

    /** One life, its crash, a second crash at each operation of the recovery, and one after it. */
    private static void check(
            SimulatedFileMedium left, Step during, Object crash, List<String> failures) {
        String history = left.toString();
        try {
            SimulatedFileMedium again = left.kill();
            again.onOperation(
                    number -> lookAt(m -> checkFound(m, during), again.crash(Survival.NONE)));
            Life life = Life.reopened(again);
            again.onOperation(number -> {});
            Step found = checkLegal(life, during);
            life.recover();
            UUID id = life.tier.id();
            try (Life third = Life.reopened(again.crash(Survival.NONE))) {
                assertEquals(found, third.step(), "after a power cut after the recovery");
                assertEquals(id, third.tier.id());
            }
            life.liveOn(found);
            life.close();
        } catch (AssertionError | IOException | RuntimeException e) {
            failures.add("during " + during + ", " + crash + ": " + e + "\n" + history);
        }
    }

    private static void checkFound(SimulatedFileMedium left, Step during) throws IOException {
        try (Life life = Life.reopened(left)) {
            checkLegal(life, during);
        }
    }

    private static Step previous(Step step) {
        return Step.values()[Math.max(0, step.ordinal() - 1)];
    }

    /** Before or after the step in progress; never earlier, never later. */
    private static Step checkLegal(Life life, Step during) throws IOException {
        Step before = previous(during);
        Step found = life.step();
        Step gone = found == Step.OPEN && during == Step.DELETE ? Step.DELETE : found;
        Step stored = during == Step.STORE && found == Step.BEGIN ? Step.STORE : gone;
        Step least = before == Step.STORE ? Step.BEGIN : before;
        assertTrue(
                stored.compareTo(least) >= 0 && stored.compareTo(during) <= 0,
                () -> "found " + found + ", expected " + least + " or " + during);
        return found;
    }
}
