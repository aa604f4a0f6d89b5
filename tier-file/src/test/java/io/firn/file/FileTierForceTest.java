package io.firn.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.file.Life.Step;
import io.firn.medium.MediumFile;
import io.firn.medium.TwoSlots;
import io.firn.sim.FirstRunOnly;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import io.firn.spi.Mark;
import io.firn.spi.MarkFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * One test for each force of the file tier; without the force, its test fails. Power is cut right
 * after a step, and everything that was not forced is gone.
 */
@FirstRunOnly
class FileTierForceTest {
    private static final Path ACTIVE = Life.DIRECTORY.resolve(FileNames.active(42));

    private static Life powerCutAfter(Step step, Survival survival) throws IOException {
        try (Life life = Life.after(step)) {
            return Life.reopened(life.medium.crash(survival));
        }
    }

    private static void assertFoundAfterPowerCut(Step step) throws IOException {
        try (Life left = powerCutAfter(step, Survival.NONE)) {
            assertEquals(step, left.step());
        }
    }

    @Test
    void shouldKeepTheTiersIdentityOnceItIsOpen() throws IOException {
        try (Life life = Life.after(Step.OPEN);
                Life left = Life.reopened(life.medium.crash(Survival.NONE))) {
            assertEquals(life.tier.id(), left.tier.id());
        }
    }

    @Test
    void shouldKeepTheNameOfAReservedSegment() throws IOException {
        assertFoundAfterPowerCut(Step.RESERVE);
    }

    @Test
    void shouldKeepRoomAndMarkBehindTheNameOfAReservedSegment() throws IOException {
        List<SimulatedFileMedium> left = new ArrayList<>();
        try (Life life = Life.after(Step.OPEN)) {
            life.medium.onOperation(number -> left.add(life.medium.crash(Survival.NAMES)));
            life.take(Step.RESERVE);
        }
        for (SimulatedFileMedium medium : left) {
            if (medium.exists(ACTIVE)) {
                try (Life found = Life.reopened(medium)) {
                    assertEquals(Step.RESERVE, found.step());
                }
            }
        }
    }

    @Test
    void shouldKeepForcedBytesAndTheMarkThatNamesThem() throws IOException {
        assertFoundAfterPowerCut(Step.MARK);
    }

    @Test
    void shouldKeepBothSlotsOfARewrittenMark() throws IOException {
        try (Life life = Life.after(Step.REWRITE)) {
            SimulatedFileMedium left = life.medium.crash(Survival.NONE);
            for (int slot = 0; slot < TwoSlots.COUNT; slot++) {
                SimulatedFileMedium rotten = left.kill();
                long size = MarkPages.fileBytes(Life.ROOM);
                rotten.rot(ACTIVE, (int) MarkPages.slotPosition(size, slot) + 30, 1);
                try (Life found = Life.reopened(rotten)) {
                    assertEquals(Step.REWRITE, found.step(), "slot " + slot);
                }
            }
        }
    }

    /** Without turns between the slots the mark before is gone, and one from long ago counts. */
    @Test
    void shouldFallBackToTheMarkBeforeWhenTheNewestOneIsDestroyed() throws IOException {
        try (Life life = Life.after(Step.MARK)) {
            Mark before = life.segment().mark();
            Mark newest = before.active(42, Life.BASE, 6000, Life.BASE + 6);
            life.segment().writeMark(newest);
            List<Mark> found = new ArrayList<>();
            for (int slot = 0; slot < TwoSlots.COUNT; slot++) {
                SimulatedFileMedium rotten = life.medium.crash(Survival.NONE);
                long size = MarkPages.fileBytes(Life.ROOM);
                rotten.rot(ACTIVE, (int) MarkPages.slotPosition(size, slot) + 30, 1);
                try (Life again = Life.reopened(rotten)) {
                    found.add(again.segment().mark());
                }
            }
            assertEquals(Set.of(before, newest), Set.copyOf(found));
        }
    }

    @Test
    void shouldHaveOneWholeSlotAtAnyMomentOfMarking() throws IOException {
        assertWholeAtAnyMomentOf(Step.BEGIN, Step.STORE, Step.MARK);
    }

    @Test
    void shouldHaveOneWholeSlotAtAnyMomentOfRewriting() throws IOException {
        assertWholeAtAnyMomentOf(Step.MARK, Step.REWRITE);
    }

    /** Runs the steps after the first, and tears what the last one writes. */
    private static void assertWholeAtAnyMomentOf(Step... steps) throws IOException {
        Step before = steps[0];
        Step during = steps[steps.length - 1];
        List<SimulatedFileMedium> left = new ArrayList<>();
        try (Life life = Life.after(before)) {
            for (int i = 1; i < steps.length; i++) {
                if (steps[i] == during) {
                    life.medium.onOperation(number -> shred(life.medium, left));
                }
                life.take(steps[i]);
            }
            life.medium.onOperation(number -> {});
        }
        for (SimulatedFileMedium medium : left) {
            try (Life found = Life.reopened(medium)) {
                Step step = found.step();
                assertTrue(step == before || step == during, "found " + step);
            }
        }
    }

    private static void shred(SimulatedFileMedium medium, List<SimulatedFileMedium> left) {
        for (int seed = 0; seed < 100; seed++) {
            left.add(medium.crash(Survival.shredded(seed)));
        }
    }

    @Test
    void shouldKeepTheSeal() throws IOException {
        assertFoundAfterPowerCut(Step.SEAL);
    }

    @Test
    void shouldNotCutTheFileBeforeTheSealIsDurable() throws IOException {
        List<SimulatedFileMedium> left = new ArrayList<>();
        try (Life life = Life.after(Step.REWRITE)) {
            life.medium.onOperation(number -> left.add(life.medium.crash(Survival.BYTES)));
            life.take(Step.SEAL);
            life.take(Step.FINISH);
        }
        for (SimulatedFileMedium medium : left) {
            try (Life found = Life.reopened(medium)) {
                assertTrue(found.step().compareTo(Step.REWRITE) >= 0);
            }
        }
    }

    @Test
    void shouldKeepTheFinalNameOfAFinishedSegment() throws IOException {
        assertFoundAfterPowerCut(Step.FINISH);
    }

    @Test
    void shouldCutAFinishedFileAgainWhoseCutIsLost() throws IOException {
        Path log = Life.DIRECTORY.resolve(FileNames.log(Life.BASE));
        try (Life left = powerCutAfter(Step.FINISH, Survival.NONE);
                MediumFile found = left.medium.open(log, false)) {
            assertEquals(MarkPages.fileBytes(Life.ROOM), found.size());
            left.segment().finishSeal(Life.INDEX, Life.TIME_INDEX);
            assertEquals(Life.LENGTH, found.size());
            assertEquals(Life.LENGTH, left.tier.usedBytes());
        }
    }

    /** Otherwise a crash would leave a file that neither its end nor a mark file describes. */
    @Test
    void shouldNotCutTheFileBeforeItsMarkFileAndItsNameAreDurable() throws IOException {
        List<SimulatedFileMedium> left = new ArrayList<>();
        try (Life life = Life.after(Step.SEAL)) {
            life.medium.onOperation(
                    number -> {
                        left.add(life.medium.crash(Survival.NAMES));
                        left.add(life.medium.crash(Survival.BYTES));
                        for (int seed = 0; seed < 50; seed++) {
                            left.add(life.medium.crash(Survival.random(seed)));
                        }
                    });
            life.take(Step.FINISH);
        }
        for (SimulatedFileMedium medium : left) {
            try (Life found = Life.reopened(medium)) {
                assertTrue(found.step().compareTo(Step.SEAL) >= 0);
            }
        }
    }

    /** An older Firn cut the file first, so that its mark file is all that says where it ends. */
    @Test
    void shouldKeepTheMarkFileOfAnOlderVersionWhileItIsReplaced() throws IOException {
        SimulatedFileMedium older;
        try (Life life = Life.after(Step.FINISH)) {
            life.medium.rename(Life.DIRECTORY.resolve(FileNames.log(Life.BASE)), ACTIVE);
            life.medium.forceDirectory(Life.DIRECTORY);
            try (MediumFile file = life.medium.open(ACTIVE, true)) {
                file.force();
            }
            older = life.medium.kill();
        }
        List<SimulatedFileMedium> left = new ArrayList<>();
        try (Life life = Life.reopened(older)) {
            assertEquals(Step.SEAL, life.step());
            life.medium.onOperation(
                    number -> {
                        left.add(life.medium.crash(Survival.NONE));
                        left.add(life.medium.crash(Survival.NAMES));
                    });
            life.take(Step.FINISH);
        }
        for (SimulatedFileMedium medium : left) {
            try (Life found = Life.reopened(medium)) {
                assertTrue(found.step().compareTo(Step.SEAL) >= 0);
            }
        }
    }

    /** Its mark pages are all that says so. */
    @Test
    void shouldKeepASealThatAnEarlierProcessStoredButNeverForced() throws IOException {
        List<SimulatedFileMedium> killed = new ArrayList<>();
        try (Life life = Life.after(Step.REWRITE)) {
            life.medium.onOperation(number -> killed.add(life.medium.killAndDisguiseLostPages()));
            life.take(Step.SEAL);
        }
        int sealed = 0;
        for (SimulatedFileMedium medium : killed) {
            Life next = Life.reopened(medium);
            if (next.step() == Step.SEAL) {
                sealed++;
                try (Life found = Life.reopened(medium.crash(Survival.NONE))) {
                    assertEquals(Step.SEAL, found.step());
                }
            }
        }
        assertTrue(sealed > 0);
    }

    /** In the next process the page looks as if it were written. It is not. */
    @Test
    void shouldStoreASealAgainWhoseForceHadFailed() throws IOException {
        SimulatedFileMedium killed;
        Life life = Life.after(Step.REWRITE);
        int failing = life.medium.operations() + 1;
        life.medium.faults().failOperations(number -> number == failing);
        assertThrows(IOException.class, () -> life.take(Step.SEAL));
        killed = life.medium.killAndDisguiseLostPages();
        Life next = Life.reopened(killed);
        assertEquals(Step.SEAL, next.step());
        try (Life found = Life.reopened(killed.crash(Survival.NONE))) {
            assertEquals(Step.SEAL, found.step());
        }
    }

    /** It has one slot only; the mark before it counts then. Its timestamps are not needed. */
    @Test
    void shouldNotBeSealedWhenTheSealIsDestroyed() throws IOException {
        int timestamps = 12;
        int length = SealMark.MAX_LENGTH;
        try (Life life = Life.after(Step.SEAL)) {
            long size = MarkPages.fileBytes(Life.ROOM);
            int unsealed = 0;
            for (int slot = 0; slot < TwoSlots.COUNT; slot++) {
                for (int i = 0; i < length; i++) {
                    SimulatedFileMedium rotten = life.medium.kill();
                    rotten.rot(ACTIVE, (int) MarkPages.slotPosition(size, slot) + i, 1 << i % 8);
                    try (Life found = Life.reopened(rotten)) {
                        Step step = found.step();
                        assertTrue(step == Step.SEAL || step == Step.REWRITE, "found " + step);
                        unsealed += step == Step.REWRITE ? 1 : 0;
                    }
                }
            }
            int bytes = MarkPages.encode(life.segment().mark(), 42).length;
            assertEquals(bytes - timestamps, unsealed);
        }
    }

    @Test
    void shouldCutAgainWhatAnEarlierProcessCutButNeverForced() throws IOException {
        List<SimulatedFileMedium> killed = new ArrayList<>();
        try (Life life = Life.after(Step.SEAL)) {
            life.medium.onOperation(number -> killed.add(life.medium.kill()));
            life.take(Step.FINISH);
        }
        for (SimulatedFileMedium medium : killed) {
            Life next = Life.reopened(medium);
            next.segment().finishSeal(Life.INDEX, Life.TIME_INDEX);
            try (Life found = Life.reopened(medium.crash(Survival.NONE))) {
                assertEquals(Step.FINISH, found.step());
            }
        }
    }

    @Test
    void shouldNotBringBackADeletedSegment() throws IOException {
        for (Step last : List.of(Step.RESERVE, Step.MARK, Step.SEAL, Step.FINISH)) {
            try (Life life = Life.after(last)) {
                life.take(Step.DELETE);
                try (Life left = Life.reopened(life.medium.crash(Survival.NONE))) {
                    assertEquals(Step.OPEN, left.step(), "deleted after " + last);
                }
            }
        }
    }

    @Test
    void shouldLeaveNoMarkOrSidecarBehindWhenADeletionIsInterrupted() throws IOException {
        List<SimulatedFileMedium> left = new ArrayList<>();
        try (Life life = Life.after(Step.FINISH)) {
            life.medium.onOperation(
                    number -> {
                        for (int seed = 0; seed < 50; seed++) {
                            left.add(life.medium.crash(Survival.random(seed)));
                        }
                    });
            life.take(Step.DELETE);
        }
        for (SimulatedFileMedium medium : left) {
            try (Life found = Life.reopened(medium)) {
                if (found.segment() == null) {
                    assertEquals(List.of(), medium.list(Life.DIRECTORY));
                }
            }
        }
    }

    @Test
    void shouldKeepASegmentThatAnEarlierProcessNamedButNeverForced() throws IOException {
        List<SimulatedFileMedium> killed = new ArrayList<>();
        try (Life life = Life.after(Step.OPEN)) {
            life.medium.onOperation(number -> killed.add(life.medium.kill()));
            life.take(Step.RESERVE);
        }
        for (SimulatedFileMedium medium : killed) {
            Life next = Life.reopened(medium);
            if (next.segment() != null) {
                try (Life found = Life.reopened(medium.crash(Survival.NONE))) {
                    assertEquals(Step.RESERVE, found.step());
                }
            }
        }
    }

    @Test
    void shouldKeepAnIdentityThatAnEarlierProcessWroteButNeverForced() throws IOException {
        List<SimulatedFileMedium> killed = new ArrayList<>();
        try (Life life = Life.on(new SimulatedFileMedium())) {
            life.medium.onOperation(number -> killed.add(life.medium.kill()));
            life.take(Step.OPEN);
        }
        for (SimulatedFileMedium medium : killed) {
            UUID shown = Life.reopened(medium).tier.id();
            try (Life found = Life.reopened(medium.crash(Survival.NONE))) {
                assertEquals(shown, found.tier.id());
            }
        }
    }

    @Test
    void shouldRefuseToCallBytesDurableThatWereCutOffTheFile() throws IOException {
        Life life = Life.after(Step.STORE);
        try (MediumFile other = life.medium.open(ACTIVE, true)) {
            other.setSize(4096);
        }

        IOException cut = assertThrows(IOException.class, () -> life.segment().force(8192, 8256));

        assertTrue(cut.getMessage().contains(ACTIVE.toString()), cut.getMessage());
        assertTrue(cut.getMessage().contains("4096"), cut.getMessage());
        assertThrows(IOException.class, () -> life.take(Step.MARK));
        life.close();
    }

    @Test
    void shouldStoreAndForceAMarkThatHadFailedBefore() throws IOException {
        Life life = Life.after(Step.STORE);
        int failing = life.medium.operations() + 1;
        life.medium.faults().failOperations(number -> number == failing);
        assertThrows(IOException.class, () -> life.take(Step.MARK));

        // In the next process the page looks as if it were written. It is not.
        SimulatedFileMedium killed = life.medium.killAndDisguiseLostPages();
        Life next = Life.reopened(killed);
        assertEquals(Step.MARK, next.step());
        next.recover();
        next.segment().writeMark(next.segment().mark().active(50, Life.BASE, 6000, 1006));
        for (int slot = 0; slot < TwoSlots.COUNT; slot++) {
            assertEquals(slot == 1 ? 6000 : 5000, markIn(killed.crash(Survival.NONE), slot));
        }
    }

    private static int markIn(SimulatedFileMedium medium, int slot) throws IOException {
        try (MediumFile file = medium.open(ACTIVE, false)) {
            byte[] bytes = new byte[MarkFormat.LENGTH];
            file.read(MarkPages.slotPosition(file.size(), slot), bytes, 0, bytes.length);
            return MarkFormat.decode(bytes, 0).position();
        }
    }
}
