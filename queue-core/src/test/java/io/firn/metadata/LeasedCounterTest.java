package io.firn.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.FirnException;
import io.firn.background.Attempts;
import io.firn.background.DutyScheduler;
import io.firn.findings.Findings;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.nio.file.Path;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Epochs never repeat, whatever a crash leaves of the file. */
class LeasedCounterTest {
    private static final Path FILE = Path.of("/store/epoch");

    private SimulatedFileMedium medium = new SimulatedFileMedium();

    @BeforeEach
    void createDirectory() throws IOException {
        medium.createDirectories(FILE.getParent());
    }

    private LeasedCounter open(boolean isNew) throws IOException {
        DutyScheduler duties =
                DutyScheduler.invoked(() -> 0, new Attempts(SystemNanoClock.INSTANCE));
        Path directory = FILE.getParent();
        SpareSpace spare = new SpareSpace(duties, medium, directory, new Findings());
        return new LeasedCounter(
                new StoreFiles(medium, directory, spare, new Findings()), FILE, isNew);
    }

    @Test
    void shouldCountUpwardsFromZero() throws IOException {
        LeasedCounter counter = open(true);
        for (long i = 0; i < 2_500; i++) {
            assertEquals(i, counter.next());
        }
    }

    @Test
    void shouldGiveNoNumberTwiceWhenThePowerIsCutAfterAnyOfThem() throws IOException {
        long last = -1;
        for (int life = 0; life < 5; life++) {
            LeasedCounter counter = open(life == 0);
            for (int i = 0; i < 700; i++) {
                long next = counter.next();
                assertTrue(next > last, next + " after " + last);
                last = next;
            }
            medium = medium.crash(Survival.NONE);
        }
    }

    @Test
    void shouldSkipNumbersThatWereSeenElsewhere() throws IOException {
        LeasedCounter counter = open(true);
        counter.above(5_000);
        assertEquals(5_001, counter.next());
        counter.above(17);
        assertEquals(5_002, counter.next());
        medium = medium.crash(Survival.NONE);
        assertTrue(open(false).next() > 5_002);
    }

    @Test
    void shouldGiveNoNumberThatItCouldNotReserve() throws IOException {
        LeasedCounter counter = open(false);
        medium.faults().failOperations(number -> true);
        assertThrows(FirnException.class, counter::next);
    }
}
