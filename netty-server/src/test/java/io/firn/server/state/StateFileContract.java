package io.firn.server.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.medium.FileMedium;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What everything keeps that is in a {@link StateFile}, on a medium that loses what it can. */
public abstract class StateFileContract {
    protected static final Path DIRECTORY = Path.of("/server/security");

    protected final SimulatedFileMedium medium = new SimulatedFileMedium();

    /** What is kept. */
    public interface Kept {

        /** Returns all that there is, as texts. */
        Set<String> all();

        /** Adds one text and removes another, if it is not null, in one change. */
        void change(String added, String removed) throws IOException;
    }

    /** Opens what is kept in {@link #DIRECTORY}, which exists. */
    protected abstract Kept kept(FileMedium on) throws IOException;

    private Kept open(SimulatedFileMedium on) throws IOException {
        on.createDirectories(DIRECTORY);
        return kept(on);
    }

    private void crash(List<SimulatedFileMedium> left) {
        for (int seed = 0; seed < 30; seed++) {
            left.add(medium.crash(Survival.random(seed)));
        }
        left.add(medium.crash(Survival.NONE));
        left.add(medium.crash(Survival.NAMES));
        left.add(medium.crash(Survival.BYTES));
    }

    /** O25: all of a change or nothing of it, and all of it once it has returned. */
    @Test
    void shouldHaveAChangeWholeOrNotAtAllAfterAPowerCutAndForCertainOnceItHasReturned()
            throws IOException {
        Kept kept = open(medium);
        kept.change("old", null);
        List<SimulatedFileMedium> left = new ArrayList<>();
        medium.onOperation(
                number -> {
                    crash(left);
                    assertEquals(Set.of("old"), kept.all(), "used before it is durable");
                });
        kept.change("new", "old");
        assertFalse(left.isEmpty());
        for (SimulatedFileMedium found : left) {
            Set<String> there = open(found).all();
            assertTrue(Set.of(Set.of("old"), Set.of("new")).contains(there), there.toString());
        }
        assertEquals(Set.of("new"), kept.all());
        left.clear();
        crash(left);
        for (SimulatedFileMedium found : left) {
            assertEquals(Set.of("new"), open(found).all());
        }
    }

    /** Whatever fails, also the force of the name: the caller is told, and nothing is used. */
    @Test
    void shouldUseTheOldOnesWhenAChangeCannotBeWritten() throws IOException {
        Kept kept = open(medium);
        kept.change("new", null);
        int before = medium.operations();
        kept.change("old", "new");
        int operations = medium.operations() - before;
        assertTrue(operations >= 4, "a rename and two forces among them");
        for (int i = 1; i <= operations; i++) {
            String what = "operation " + i + " of " + operations;
            int failing = medium.operations() + i;
            medium.faults().failOperations(number -> number == failing);
            assertThrows(IOException.class, () -> kept.change("new", "old"), what);
            medium.faults().none();
            assertEquals(Set.of("old"), kept.all(), what);
            kept.change("new", "old");
            assertEquals(Set.of("new"), kept.all(), what);
            kept.change("old", "new");
        }
    }

    /** The file has the change, perhaps; who takes it back must be able to rely on that. */
    @Test
    void shouldWriteTheOldOnesAgainWhenAChangeThatHasFailedIsTakenBack() throws IOException {
        Kept kept = open(medium);
        kept.change("old", null);
        boolean failed = true;
        for (int i = 1; failed; i++) {
            int failing = medium.operations() + i;
            medium.faults().failOperations(number -> number == failing);
            failed = fails(() -> kept.change("new", null));
            medium.faults().none();
            assertTrue(failed || i > 5, "the name is forced after at least four operations");
            kept.change("old", "new");
            List<SimulatedFileMedium> left = new ArrayList<>();
            crash(left);
            for (SimulatedFileMedium found : left) {
                assertEquals(Set.of("old"), open(found).all(), "operation " + i);
            }
        }
    }

    private static boolean fails(Executable change) {
        try {
            change.execute();
            return false;
        } catch (IOException e) {
            return true;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}
