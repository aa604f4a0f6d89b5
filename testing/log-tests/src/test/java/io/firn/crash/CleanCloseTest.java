package io.firn.crash;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.file.FileTier;
import io.firn.medium.MediumFile;
import io.firn.metadata.StoreIdentity;
import io.firn.sim.FirstRunOnly;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import io.firn.spi.Block;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rule O33: what the file that tells of a clean close may spare the next open. */
@FirstRunOnly
class CleanCloseTest {
    private static final Path CLEAN = Simulation.DIRECTORY.resolve("clean");
    private static final int PAGE = 4096;

    /** Of a batch with one value of 64 to 8,000 bytes. */
    private static final int OVERHEAD = 70;

    private static final int EPOCH = 12;

    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private final Simulation simulation = new Simulation(medium);

    @BeforeAll
    static void silence() {
        Simulation.silenceLog();
    }

    @BeforeEach
    void closeWithOneRecord() throws IOException {
        try (LogStore store = simulation.open()) {
            store.createTopic("t", Simulation.SMALL_WRITTEN);
            append(store, 'r', 1_000 - OVERHEAD);
        }
        // The system writes it back at some time.
        try (MediumFile clean = medium.open(CLEAN, true)) {
            clean.force();
        }
        medium.forceDirectory(Simulation.DIRECTORY);
    }

    private static void append(LogStore store, char fill, int length) {
        try (Appender appender = partition(store).openAppender()) {
            appender.append(String.valueOf(fill).repeat(length).getBytes(UTF_8));
        }
    }

    private static Partition partition(LogStore store) {
        return store.openTopic("t").partition(0);
    }

    /** Of the pages that changed, only these survive, and no names. */
    private static Survival only(int pages) {
        return Survival.pages(page -> page < Integer.SIZE && (pages >>> page & 1) == 1);
    }

    /**
     * A batch that a power cut has left behind a lost one never counts later, although the file
     * that was deleted at open may be there again.
     */
    @Test
    void shouldNotReviveABatchWhosePredecessorWasLost() {
        int second = 2 * PAGE - 1_000 - OVERHEAD; // the third batch begins with a page
        SimulatedFileMedium before;
        try (LogStore store = simulation.open()) {
            append(store, 'a', second);
            append(store, 'b', 100);
            before = medium.kill();
        }
        for (int page = 0; page < 5; page++) {
            SimulatedFileMedium cut = before.crash(only(1 << page));
            Simulation next = new Simulation(cut);
            try (LogStore store = next.open()) {
                if (partition(store).nextOffset() != 1) {
                    continue;
                }
                append(store, 'c', second);
                for (int pages = 0; pages < 32; pages++) {
                    try (LogStore last = new Simulation(cut.crash(only(pages))).open()) {
                        assertTrue(
                                partition(last).nextOffset() <= 2,
                                page + " survived, then those of " + pages);
                    }
                }
            }
        }
    }

    @Test
    void shouldLeaveAnEpochThatNoBatchHas() throws IOException {
        FileTier tier = FileTier.at(Simulation.SEGMENTS).withMedium(medium);
        tier.open(
                new TierContext(
                        StoreIdentity.read(medium, Simulation.DIRECTORY).id(), false, true));
        try (tier) {
            Block block = tier.list().get(0);
            byte[] epoch = new byte[Integer.BYTES];
            assertEquals(epoch.length, block.read(EPOCH, epoch, 0, epoch.length));
            assertNotEquals(ByteBuffer.wrap(epoch).getInt(), block.mark().epoch());
        }
    }

    /** The epoch of the batches that follow is in both marks. */
    @Test
    void shouldNeedOneOfTheTwoLastMarksOnly() throws IOException {
        String name =
                medium.list(Simulation.SEGMENTS).stream()
                        .filter(each -> each.length() > 20)
                        .findFirst()
                        .orElseThrow();
        Path active = Simulation.SEGMENTS.resolve(name).resolve("0/.0000000000000000.active");
        int size;
        try (var file = medium.open(active, false)) {
            size = (int) file.size();
        }
        SimulatedFileMedium killed;
        try (LogStore store = simulation.open()) {
            append(store, 'a', 100);
            partition(store).force();
            killed = medium.kill();
        }
        for (int slot = 1; slot <= 2; slot++) {
            SimulatedFileMedium rotten = killed.kill();
            rotten.rot(active, size - slot * PAGE, 1);
            try (LogStore store = new Simulation(rotten).open()) {
                assertEquals(2, partition(store).nextOffset(), "without slot " + slot);
            }
        }
    }

    @Test
    void shouldNotCallACloseCleanAfterAForceThatFailed() throws IOException {
        assertTrue(medium.exists(CLEAN));
        try (LogStore store = simulation.open()) {
            assertFalse(medium.exists(CLEAN));
            int next = medium.operations() + 1; // of the force that creates the directory
            medium.faults().failOperations(number -> number == next + 1);
            assertThrows(FirnException.class, () -> store.createTopic("u", Simulation.SMALL));
            medium.faults().none();
        }
        assertFalse(medium.exists(CLEAN));
    }

    @Test
    void shouldNotBelieveAFileOfAnEarlierClose() throws IOException {
        SimulatedFileMedium killed;
        try (LogStore store = simulation.open()) {
            append(store, 'a', 100);
            killed = medium.kill();
        }
        int before = killed.operations();
        new Simulation(killed).open().close();
        assertTrue(
                killed.history().subList(before, killed.operations()).stream()
                        .anyMatch(each -> each.startsWith("force directory /sim/store/topics/")));
    }
}
