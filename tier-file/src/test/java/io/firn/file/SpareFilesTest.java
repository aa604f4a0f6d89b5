package io.firn.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import io.firn.spi.Block;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import io.firn.spi.MarkFormat;
import io.firn.spi.StorageTier.TierContext;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of deleted segments become those of the next ones (O37), unless somebody may see it. */
class SpareFilesTest {
    private static final UUID STORE = new UUID(1, 2);
    private static final UUID TOPIC = new UUID(3, 4);
    private static final int ROOM = 20_000;
    private static final int LENGTH = 9_000;
    private static final long FILE_BYTES = MarkPages.fileBytes(ROOM);

    @TempDir private Path real;
    private final SimulatedFileMedium medium = new SimulatedFileMedium();
    private Path root = Path.of("/tier");

    private FileTier open(FileMedium on, boolean readOnly) throws IOException {
        return open(FileTier.at(root).withMedium(on), readOnly);
    }

    private static FileTier open(FileTier tier, boolean readOnly) throws IOException {
        tier.open(new TierContext(STORE, !readOnly, readOnly));
        return tier;
    }

    private FileTier open() throws IOException {
        return open(medium, false);
    }

    private Path directory() {
        return root.resolve(FileNames.topic(TOPIC)).resolve("0");
    }

    private List<String> names() throws IOException {
        return names(medium);
    }

    private List<String> names(FileMedium on) throws IOException {
        return on.list(directory());
    }

    private static byte[] bytes(long epoch) {
        byte[] bytes = new byte[LENGTH];
        Arrays.fill(bytes, (byte) epoch);
        return bytes;
    }

    /** A finished segment, whose offsets begin with a thousand times its epoch. */
    private static Block sealed(FileTier tier, int partition, long epoch) throws IOException {
        Block block = tier.reserve(TOPIC, partition, ROOM, epoch);
        long base = 1_000 * epoch;
        block.writeMark(block.mark().active(epoch, base, 0, base));
        block.write(0, ByteBuffer.wrap(bytes(epoch)));
        block.force(0, LENGTH);
        block.seal(block.mark().sealed(epoch, base, LENGTH, base + 9, 77));
        block.finishSeal(new byte[] {1}, new byte[] {2});
        return block;
    }

    private static Block sealed(FileTier tier, long epoch) throws IOException {
        return sealed(tier, 0, epoch);
    }

    private void assertRecycles(FileTier tier) throws IOException {
        assertRecycles(tier, medium);
    }

    /** The partition's spare file, which there has to be, becomes that of its next segment. */
    private void assertRecycles(FileTier tier, FileMedium on) throws IOException {
        assertTrue(names(on).stream().anyMatch(each -> each.endsWith(".spare")), "" + names(on));
        Block next = tier.reserve(TOPIC, 0, ROOM, 77);
        assertTrue(next.mayHoldStaleBytes());
        assertFalse(names(on).stream().anyMatch(each -> each.endsWith(".spare")), "" + names(on));
        next.delete();
    }

    @Test
    void shouldMakeTheNextSegmentOfTheFileOfADeletedOne() throws IOException {
        try (FileTier tier = open()) {
            Block old = sealed(tier, 1);
            old.recycle();
            assertEquals(List.of(FileNames.spare(1)), names());
            assertEquals(LENGTH, tier.usedBytes());
            assertEquals(0, old.usedBytes());
            assertEquals(List.of(), tier.list());

            Block next = tier.reserve(TOPIC, 0, ROOM, 2);
            assertEquals(List.of(FileNames.active(2)), names());
            assertEquals(FILE_BYTES, tier.usedBytes());
            assertEquals(SegmentState.RESERVED, next.mark().state());
            assertEquals(2, next.mark().epoch());
            assertTrue(next.mayHoldStaleBytes());
            byte[] found = new byte[LENGTH];
            next.read(0, found, 0, LENGTH);
            assertArrayEquals(bytes(1), found);
            SimulatedFileMedium left = medium.crash(Survival.NONE);
            try (FileTier again = open(left, false)) {
                assertEquals(List.of(), again.strangers());
                assertTrue(again.list().get(0).mayHoldStaleBytes());
            }
            assertFalse(tier.reserve(TOPIC, 0, ROOM, 3).mayHoldStaleBytes());
        }
    }

    @Test
    void shouldMakeAFileOfAnotherSizeFit() throws IOException {
        try (FileTier tier = open()) {
            sealed(tier, 1).recycle();
            Block smaller = tier.reserve(TOPIC, 0, 5_000, 2);
            assertTrue(smaller.mayHoldStaleBytes());
            assertEquals(MarkPages.fileBytes(5_000), tier.usedBytes());
            assertEquals(5_000, smaller.memory().capacity());
        }
    }

    @Test
    void shouldKeepOneFileOfEachPartition() throws IOException {
        try (FileTier tier = open()) {
            Block first = sealed(tier, 1);
            Block second = sealed(tier, 2);
            Block elsewhere = sealed(tier, 1, 3);
            first.recycle();
            second.recycle();
            elsewhere.recycle();
            assertEquals(List.of(FileNames.spare(1)), names());
            assertEquals(2 * LENGTH, tier.usedBytes());
            assertFalse(tier.reserve(TOPIC, 2, ROOM, 4).mayHoldStaleBytes());
            assertRecycles(tier);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldDeleteAFileThatAReaderHasPinned(boolean isMappedAgain) throws IOException {
        try (FileTier tier = open()) {
            Block old = sealed(tier, 1);
            if (isMappedAgain) {
                assertTrue(old.detachView().tryRelease());
            }
            View view = old.view();
            assertTrue(view.pin());
            old.recycle();
            assertEquals(List.of(), names());
            view.unpin();
        }
    }

    @Test
    void shouldDeleteAFileWhoseRetiredViewIsStillPinned() throws IOException {
        try (FileTier tier = open()) {
            Block old = sealed(tier, 1);
            View view = old.view();
            assertTrue(view.pin());
            assertEquals(view, old.detachView());
            old.recycle();
            assertEquals(List.of(), names());
            view.unpin();
            view.tryRelease();
        }
    }

    @Test
    void shouldRecycleAFileThatNobodyReadsAnyMore() throws IOException {
        try (FileTier tier = open()) {
            Block old = sealed(tier, 1);
            View view = old.view();
            assertTrue(view.pin());
            view.unpin();
            old.recycle();
            assertRecycles(tier);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldDeleteAFileThatTheSystemMayBeSending(boolean isMappedAgain) throws IOException {
        root = real.resolve("tier");
        FileMedium on = FileMedium.real();
        try (FileTier tier = open(on, false)) {
            Block old = sealed(tier, 1);
            if (isMappedAgain) {
                assertTrue(old.detachView().tryRelease());
            }
            View view = old.view();
            assertTrue(view.pin());
            assertNotNull(view.file());
            view.unpin();
            old.recycle();
            assertEquals(List.of(), names(on));
            sealed(tier, 2).recycle();
            assertRecycles(tier, on);
        }
    }

    @Test
    void shouldDeleteAFileOfWhichAUserMayHoldABufferThatStaysMapped() throws IOException {
        root = real.resolve("tier");
        FileMedium on = FileMedium.real();
        try (FileTier tier = open(on, false)) {
            Block old = sealed(tier, 1);
            View view = old.view();
            assertTrue(view.pin());
            view.handOut();
            view.unpin();
            boolean staysMapped = Runtime.version().feature() < 22;
            old.recycle();
            assertEquals(staysMapped ? List.of() : List.of(FileNames.spare(1)), names(on));
        }
    }

    @Test
    void shouldDeleteAFileThatABackupHasLinked() throws IOException {
        try (FileTier tier = open()) {
            Block old = sealed(tier, 1);
            medium.createDirectories(Path.of("/backup"));
            medium.link(directory().resolve(FileNames.log(1_000)), Path.of("/backup/log"));
            old.recycle();
            assertEquals(List.of(), names());

            sealed(tier, 2).recycle();
            medium.link(directory().resolve(FileNames.spare(2)), Path.of("/backup/spare"));
            assertFalse(tier.reserve(TOPIC, 0, ROOM, 3).mayHoldStaleBytes(), "linked later");
            assertFalse(names().contains(FileNames.spare(2)));
        }
    }

    /** A backup of this process links a file before its deletion begins, or not at all. */
    @Test
    void shouldGiveNoSecondNameToAFileWhoseDeletionHasBegun() throws IOException {
        medium.createDirectories(Path.of("/backup"));
        Block[] old = {null};
        FileMedium on =
                new FilterFileMedium(medium) {
                    @Override
                    public void rename(Path from, Path to) throws IOException {
                        if (to.endsWith(FileNames.deleted(1_000))) {
                            assertFalse(old[0].linkTo(Path.of("/backup/log")));
                        }
                        super.rename(from, to);
                    }
                };
        try (FileTier tier = open(on, false)) {
            old[0] = sealed(tier, 1);
            old[0].recycle();
            assertRecycles(tier);
        }
    }

    @Test
    void shouldCountTheNamesOfARealFile() throws IOException {
        Path file = Files.createFile(real.resolve("file"));
        assertTrue(FileMedium.real().hasOneName(file));
        Files.createLink(real.resolve("second"), file);
        assertFalse(FileMedium.real().hasOneName(file));
    }

    @Test
    void shouldDeleteFilesWhileAnotherProcessMayReadThem() throws IOException {
        try (FileTier tier = open()) {
            FileTier reader = open(medium, true);
            sealed(tier, 1).recycle();
            assertEquals(List.of(), names());
            reader.close();
            sealed(tier, 2).recycle();
            assertRecycles(tier);
        }
    }

    @Test
    void shouldKnowAReaderThatWasThereBeforeTheFileInWhichItSaysSo() throws IOException {
        Path readers = root.resolve(FileNames.READERS);
        open().close();
        medium.delete(readers); // as an older version leaves it
        FileTier reader = open(medium, true);
        try (FileTier tier = open()) {
            assertTrue(medium.exists(readers));
            sealed(tier, 1).recycle();
            assertEquals(List.of(), names());
            assertFalse(medium.isShared(readers));
            reader.list(); // as it does when it finds another writer
            assertTrue(medium.isShared(readers));
        }
        reader.close();
        try (FileTier tier = open()) {
            sealed(tier, 2).recycle();
            assertRecycles(tier);
        }
    }

    @Test
    void shouldTellOtherProcessesOfReadersOnThisMachine() throws IOException {
        root = real.resolve("tier");
        FileMedium on = FileMedium.real();
        try (FileTier tier = open(on, false)) {
            assertEquals(List.of(), tier.list());
            Path readers = root.resolve(FileNames.READERS);
            assertFalse(on.isShared(readers));
            FileTier first = open(on, true);
            FileTier second = open(on, true);
            first.close();
            assertTrue(on.isShared(readers));
            assertTrue(isLockedElsewhere(readers), "another process finds the lock");
            second.close();
            assertFalse(on.isShared(readers));
            assertFalse(isLockedElsewhere(readers));
        }
    }

    /** The system lists each lock with the number of the file. */
    private static boolean isLockedElsewhere(Path file) throws IOException {
        Path locks = Path.of("/proc/locks");
        if (!Files.exists(locks)) {
            return FileMedium.real().isShared(file);
        }
        String inode = ":" + Files.getAttribute(file, "unix:ino") + " ";
        return Files.readString(locks).contains(inode);
    }

    @Test
    void shouldDeleteAFileThatWasThereWhenTheTierWasOpened() throws IOException {
        try (FileTier tier = open()) {
            sealed(tier, 1);
        }
        try (FileTier tier = open()) {
            tier.list().get(0).recycle(); // sockets of the process before may still send it
            assertEquals(List.of(), names());
        }
    }

    @Test
    void shouldDropSpareFilesBeforeATierIsFull() throws IOException {
        long capacity = 3 * FILE_BYTES + LENGTH - 1;
        FileTier limited = FileTier.at(root).withMedium(medium).withCapacityBytes(capacity);
        try (FileTier tier = open(limited, false)) {
            sealed(tier, 1).recycle();
            tier.reserve(TOPIC, 1, ROOM, 2);
            tier.reserve(TOPIC, 2, ROOM, 3);
            assertEquals(List.of(FileNames.spare(1)), names());
            tier.reserve(TOPIC, 3, ROOM, 4);
            assertEquals(List.of(), names());
            assertEquals(3 * FILE_BYTES, tier.usedBytes());
        }
    }

    @Test
    void shouldDropSpareFilesBeforeTheFileSystemIsFull() throws IOException {
        try (FileTier tier = open()) {
            sealed(tier, 1).recycle();
            leave(FILE_BYTES - 1);
            tier.reserve(TOPIC, 1, ROOM, 2);
            assertEquals(List.of(), names());
        }
    }

    @Test
    void shouldUseTheSpaceOfItsOwnFileWhenThereIsNoOther() throws IOException {
        try (FileTier tier = open()) {
            sealed(tier, 1).recycle();
            leave(FILE_BYTES - LENGTH + 4096); // and for its seal
            assertTrue(tier.reserve(TOPIC, 0, ROOM, 2).mayHoldStaleBytes());
        }
    }

    @Test
    void shouldKeepNoMoreThanAnEighthOfWhatIsFree() throws IOException {
        try (FileTier tier = open()) {
            Block first = sealed(tier, 1);
            Block second = sealed(tier, 1, 2);
            leave(12 * LENGTH);
            first.recycle();
            second.recycle();
            assertEquals(List.of(FileNames.spare(1)), names());
            assertEquals(List.of(), medium.list(directory().resolveSibling("1")));
        }
    }

    private void leave(long bytes) throws IOException {
        medium.faults().limitBytes(Long.MAX_VALUE - 1);
        long used = Long.MAX_VALUE - 1 - medium.usableBytes(root);
        medium.faults().limitBytes(used + bytes);
    }

    @Test
    void shouldKeepASpareFileOverAReopen() throws IOException {
        try (FileTier tier = open()) {
            sealed(tier, 1);
            sealed(tier, 2).recycle();
        }
        medium.create(directory().resolve(FileNames.spare(3))).close();
        try (FileTier tier = open()) {
            assertEquals(List.of(), tier.strangers());
            assertFalse(names().contains(FileNames.spare(3)), "one of each partition is kept");
            assertEquals(2 * LENGTH, tier.usedBytes());
            assertRecycles(tier);
        }
    }

    @Test
    void shouldRemoveASpareFileOfAPartitionWithoutSegmentsAtOpen() throws IOException {
        try (FileTier tier = open()) {
            sealed(tier, 1).recycle();
        }
        try (FileTier tier = open()) {
            assertEquals(0, tier.usedBytes());
            assertFalse(medium.exists(directory()));
        }
    }

    @Test
    void shouldRemoveASpareFileWithItsTopic() throws IOException {
        try (FileTier tier = open()) {
            sealed(tier, 1).recycle();
            tier.forgetTopic(TOPIC);
            assertFalse(medium.exists(directory().getParent()));
            assertEquals(0, tier.usedBytes());
        }
    }

    // ---- crashes

    /** Something to look at, and how far the steps had come. */
    private record Image(SimulatedFileMedium left, int done, String what) {}

    private static List<Survival> survivals(int operation) {
        List<Survival> all = new ArrayList<>();
        all.addAll(List.of(Survival.NONE, Survival.ALL, Survival.NAMES, Survival.BYTES));
        for (int i = 0; i < 12; i++) {
            all.add(Survival.random(31L * operation + i));
            all.add(Survival.shredded(37L * operation + i));
        }
        return all;
    }

    private void addImages(List<Image> images, int[] done, int number) {
        images.add(new Image(medium.kill(), done[0], "killed before " + number));
        for (Survival each : survivals(number)) {
            images.add(new Image(medium.crash(each), done[0], each + " before " + number));
        }
    }

    /** Deletes the first of two segments, and writes another one into its file. */
    private void live(FileTier tier, int[] done) throws IOException {
        Block old = tier.list().stream().filter(each -> each.mark().epoch() == 1).findFirst().get();
        old.recycle();
        done[0] = 1;
        Block next = tier.reserve(TOPIC, 0, ROOM, 3);
        done[0] = 2;
        next.write(0, ByteBuffer.wrap(bytes(3), 0, 5_000));
        next.force(0, 5_000);
        done[0] = 3;
        next.writeMark(next.mark().active(3, 3_000, 5_000, 3_005));
        done[0] = 4;
        next.write(5_000, ByteBuffer.wrap(bytes(3), 5_000, 4_000));
        next.force(5_000, LENGTH);
        next.seal(next.mark().sealed(3, 3_000, LENGTH, 3_009, 78));
        next.finishSeal(new byte[] {3}, new byte[] {4});
        done[0] = 5;
        next.recycle();
        done[0] = 6;
        tier.reserve(TOPIC, 0, ROOM, 4);
        done[0] = 7;
    }

    private FileTier withTwoSegments() throws IOException {
        FileTier tier = open();
        sealed(tier, 1);
        sealed(tier, 2);
        return tier;
    }

    @Test
    void shouldShowEachSegmentWholeOrNotAtAllWhereverThePowerWasCut() throws IOException {
        List<Image> images = new ArrayList<>();
        int[] done = {0};
        try (FileTier tier = withTwoSegments()) {
            medium.onOperation(number -> addImages(images, done, number));
            live(tier, done);
            addImages(images, done, 0);
            medium.onOperation(number -> {});
        }
        List<String> failures = new ArrayList<>();
        for (Image image : images) {
            check(image, failures);
            SimulatedFileMedium again = image.left.kill();
            again.onOperation(
                    number ->
                            check(
                                    new Image(again.crash(Survival.NONE), image.done, image.what),
                                    failures));
            open(again, false).close();
        }
        assertEquals(List.of(), failures);
        assertTrue(images.size() > 29 * 30, images.size() + " images");
    }

    private void check(Image image, List<String> failures) {
        try (FileTier tier = open(image.left.kill(), false)) {
            assertEquals(List.of(), tier.strangers());
            boolean[] found = new boolean[5];
            for (Block block : tier.list()) {
                Mark mark = block.mark();
                assertNotNull(mark, block.name());
                int epoch = (int) mark.epoch();
                found[epoch] = true;
                byte[] read = new byte[mark.position()];
                assertEquals(read.length, block.read(0, read, 0, read.length));
                assertArrayEquals(Arrays.copyOf(bytes(epoch), read.length), read);
                boolean isOld = epoch < 3 || mark.state() == SegmentState.SEALED;
                assertEquals(!isOld, block.mayHoldStaleBytes(), "epoch " + epoch);
            }
            int done = image.done;
            assertTrue(found[2]);
            assertTrue(found[1] ? done < 1 : done >= 0, "the first segment");
            assertTrue(done < 2 || done > 4 || found[3], "the second life");
            assertTrue(found[3] ? done < 6 : done < 2 || done > 4, "the second life");
            assertTrue(done < 7 || found[4], "the third life");
        } catch (AssertionError | IOException | RuntimeException e) {
            failures.add(image.what + ": " + e + "\n" + image.left);
        }
    }

    @Test
    void shouldDeleteOrRecycleWhenItIsTriedAgainAfterAnyError() throws IOException {
        int operations = 0;
        try (FileTier tier = withTwoSegments()) {
            int before = medium.operations();
            tier.list().get(0).recycle();
            operations = medium.operations() - before;
        }
        for (int k = 1; k <= operations; k++) {
            SimulatedFileMedium failing = new SimulatedFileMedium();
            try (FileTier tier = open(failing, false)) {
                Block old = sealed(tier, 1);
                sealed(tier, 2);
                int fatal = failing.operations() + k;
                failing.faults().failOperations(number -> number == fatal);
                try {
                    old.recycle();
                } catch (IOException e) {
                    old.recycle();
                }
                assertFalse(failing.exists(directory().resolve(FileNames.deleted(1_000))));
                tier.reserve(TOPIC, 0, ROOM, 3);
                assertEquals(2, tier.list().size());
            }
            assertEquals(0, failing.inUse());
        }
    }

    @Test
    void shouldLeaveNothingOfAReservationThatFailed() throws IOException {
        for (int k = 1; k <= 6; k++) {
            SimulatedFileMedium failing = new SimulatedFileMedium();
            try (FileTier tier = open(failing, false)) {
                Block old = sealed(tier, 1);
                sealed(tier, 2);
                old.recycle();
                int fatal = failing.operations() + k;
                failing.faults().failOperations(number -> number == fatal);
                try {
                    tier.reserve(TOPIC, 0, ROOM, 3).delete();
                } catch (IOException e) {
                    assertEquals(1, tier.list().size());
                }
                assertEquals(4, names(failing).size(), k + ": " + names(failing));
                assertEquals(LENGTH, tier.usedBytes());
            }
        }
    }

    @Test
    void shouldFindAMarkWhateverBitOfTheMarkPagesIsFlipped() throws IOException {
        try (FileTier tier = withTwoSegments()) {
            tier.list().get(0).recycle();
            Block next = tier.reserve(TOPIC, 0, ROOM, 3);
            next.writeMark(next.mark().active(3, 3_000, 0, 3_000));
        }
        int pages = (int) FILE_BYTES - MarkPages.BYTES;
        for (int at = pages; at < FILE_BYTES; at++) {
            int inPage = (at - pages) % MarkPages.PAGE;
            if (inPage >= MarkFormat.LENGTH && inPage < MarkPages.PAGE - 32) {
                continue; // nothing is there
            }
            for (int bit = 0; bit < 8; bit++) {
                SimulatedFileMedium rotten = medium.kill();
                rotten.rot(directory().resolve(FileNames.active(3)), at, 1 << bit);
                try (FileTier tier = open(rotten, true)) {
                    Mark found = tier.list().get(1).mark();
                    assertNotNull(found);
                    assertEquals(3, found.epoch());
                    assertEquals(0, found.position());
                }
            }
        }
    }
}
