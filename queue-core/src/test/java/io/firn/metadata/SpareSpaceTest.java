package io.firn.metadata;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.TopicOptions;
import io.firn.background.Attempts;
import io.firn.background.DutyScheduler;
import io.firn.findings.Findings;
import io.firn.medium.FileErrors.OutOfInodesException;
import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.MediumFile;
import io.firn.medium.WholeFile;
import io.firn.producer.ProducerFiles;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Deletions are recorded on a disk of which others take every byte as soon as it is free. */
class SpareSpaceTest {
    private static final Path DIRECTORY = Path.of("/sim/store");
    private static final Path SPARE = DIRECTORY.resolve("spare");

    private static final UUID[] IDS = {new UUID(1, 1), new UUID(2, 2)};

    private static SimulatedFileMedium withTopics() throws IOException {
        SimulatedFileMedium medium = new SimulatedFileMedium();
        medium.createDirectories(StoreFiles.topicsIn(DIRECTORY));
        Files files = new Files(medium);
        for (UUID id : IDS) {
            files.topic(id).create("t", TopicOptions.defaults());
            files.topic(id).ensureLogStart(0, 0);
        }
        medium.forceDirectory(DIRECTORY);
        return medium;
    }

    /** The small files of a store that was opened. */
    private static final class Files {
        private final DutyScheduler duties =
                DutyScheduler.invoked(() -> 0, new Attempts(SystemNanoClock.INSTANCE));
        private final SpareSpace spare;
        private final StoreFiles files;

        Files(FileMedium medium) {
            spare = new SpareSpace(duties, medium, DIRECTORY, new Findings());
            files = new StoreFiles(medium, DIRECTORY, spare, new Findings());
            spare.open();
        }

        TopicFiles topic(UUID id) {
            return new TopicFiles(files, id);
        }
    }

    /** Whatever is free before an operation is taken by somebody else. */
    private static void takeAll(SimulatedFileMedium medium) {
        medium.onOperation(number -> limitToUsed(medium));
        limitToUsed(medium);
    }

    private static void limitToUsed(SimulatedFileMedium medium) {
        try {
            medium.faults().limitBytes(Long.MAX_VALUE - 1);
            long free = medium.usableBytes(DIRECTORY);
            medium.faults().limitBytes(Long.MAX_VALUE - 1 - free);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void makeRoom(SimulatedFileMedium medium) {
        medium.ignoreOperations();
        medium.faults().none();
    }

    @Test
    void shouldRecordAnyNumberOfDeletionsOnAFullDisk() throws IOException {
        SimulatedFileMedium medium = withTopics();
        Files files = new Files(medium);
        takeAll(medium);
        for (int i = 1; i < 1_000; i *= 2) {
            files.topic(IDS[0]).writeLogStart(0, i);
            files.topic(IDS[1]).writeLogStart(0, 2L * i);
        }
        files.topic(IDS[1]).writeTombstone("t", TopicOptions.defaults());
        files = new Files(medium);
        files.topic(IDS[0]).writeLogStart(0, 999);
        SimulatedFileMedium lost = medium.crash(Survival.NONE);
        assertEquals(999, new Files(lost).topic(IDS[0]).readLogStart(0));
        assertTrue(new Files(lost).topic(IDS[1]).read().deleted());
    }

    /** No file is there that could be replaced: the spare one is used up, and created again. */
    @Test
    void shouldReserveSpaceAgainWhenThereIsRoom() throws IOException {
        SimulatedFileMedium medium = withTopics();
        Files files = new Files(medium);
        takeAll(medium);
        files.topic(IDS[0]).writeLogStart(1, 500);
        assertThrows(IOException.class, () -> files.topic(IDS[0]).writeLogStart(2, 500));
        makeRoom(medium);
        files.duties.run();
        takeAll(medium);
        files.topic(IDS[0]).writeLogStart(2, 500);
        assertEquals(500, files.topic(IDS[0]).readLogStart(1));
    }

    @Test
    void shouldExtendTheSpareFileAgainWhenThereIsRoom() throws IOException {
        SimulatedFileMedium medium = withTopics();
        Files files = new Files(medium);
        takeAll(medium);
        files.topic(IDS[0]).writeLogStart(0, 500);
        ProducerFiles producers = new ProducerFiles(files.topic(IDS[0]).directory());
        Map<String, String> large = Map.of("offset", "x".repeat(10_000));
        assertThrows(IOException.class, () -> producers.write(0, large));
        files.topic(IDS[0]).writeLogStart(0, 600); // what failed has left the spare file whole
        makeRoom(medium);
        files.duties.run();
        takeAll(medium);
        producers.write(0, large);
    }

    /** The old file did not become the spare one, and still has its second name. */
    @Test
    void shouldKeepTheOldFileAlthoughThatHasFailedBefore() throws IOException {
        SimulatedFileMedium medium = withTopics();
        Files files = new Files(medium);
        takeAll(medium);
        medium.faults().refuseChanges(path -> path.equals(DIRECTORY.resolve(".spare.tmp")));
        files.topic(IDS[0]).writeLogStart(0, 500);
        makeRoom(medium);
        files.duties.run();
        takeAll(medium);
        files.topic(IDS[0]).writeLogStart(0, 600);
        files.topic(IDS[0]).writeLogStart(0, 700);
        assertEquals(700, files.topic(IDS[0]).readLogStart(0));
    }

    /** Backups are made with links, too: their files must not change. */
    @Test
    void shouldLeaveAFileAloneThatHasAnotherName() throws IOException {
        SimulatedFileMedium medium = withTopics();
        Files files = new Files(medium);
        Path backup = DIRECTORY.resolve("backup");
        medium.link(files.topic(IDS[0]).startFile(0), backup);
        byte[] before = bytes(medium, backup);
        takeAll(medium);
        files.topic(IDS[0]).writeLogStart(0, 700);
        assertEquals(700, files.topic(IDS[0]).readLogStart(0));
        assertArrayEquals(before, bytes(medium, backup));
    }

    private static byte[] bytes(FileMedium medium, Path path) throws IOException {
        return WholeFile.read(medium, path, 1 << 20);
    }

    /** Does something while a reader has opened a file and not read it yet, once. */
    private static TopicFiles readerThatIsOvertaken(
            FileMedium medium, Findings findings, Step step) {
        int[] opened = {0};
        FileMedium readers =
                new FilterFileMedium(medium) {
                    @Override
                    public MediumFile open(Path file, boolean writable) throws IOException {
                        MediumFile old = super.open(file, writable);
                        if (opened[0]++ == 0) {
                            step.run();
                        }
                        return old;
                    }
                };
        return new TopicFiles(new StoreFiles(readers, DIRECTORY, null, findings), IDS[0]);
    }

    /** Something that writes. */
    private interface Step {
        void run() throws IOException;
    }

    /** A reader has opened the file that becomes the spare one, which then is overwritten. */
    @Test
    void shouldReadTheNewLogStartWhenTheOldOneIsOverwrittenMeanwhile() throws IOException {
        SimulatedFileMedium medium = withTopics();
        Files files = new Files(medium);
        takeAll(medium);
        Findings findings = new Findings();
        TopicFiles seen =
                readerThatIsOvertaken(
                        medium, findings, () -> files.topic(IDS[0]).writeLogStart(0, 900));
        assertEquals(900, seen.readLogStart(0));
        assertEquals(List.of(), findings.all());
    }

    /** The file that it has opened becomes that of another partition. */
    @Test
    void shouldNotTakeTheLogStartOfAnotherPartition() throws IOException {
        SimulatedFileMedium medium = withTopics();
        Files files = new Files(medium);
        takeAll(medium);
        Findings findings = new Findings();
        TopicFiles seen =
                readerThatIsOvertaken(
                        medium,
                        findings,
                        () -> {
                            files.topic(IDS[0]).writeLogStart(0, 10);
                            files.topic(IDS[1]).writeLogStart(0, 900_000);
                        });
        assertEquals(10, seen.readLogStart(0));
        assertEquals(List.of(), findings.all());
    }

    /** What copies and crashes make of it: it would be of no use on a full disk. */
    @ParameterizedTest
    @ValueSource(ints = {16 * 1024, 16 * 1024 + 1, 100})
    void shouldNotUseASpareFileThatMayHaveNoBlocks(int length) throws IOException {
        SimulatedFileMedium medium = withTopics();
        medium.delete(SPARE);
        try (MediumFile hole = medium.create(SPARE)) {
            hole.setSize(length);
        }
        Files files = new Files(medium);
        byte[] bytes = bytes(medium, SPARE);
        assertEquals(16 * 1024, bytes.length);
        for (byte b : bytes) {
            assertNotEquals(0, b);
        }
        takeAll(medium);
        files.topic(IDS[0]).writeLogStart(0, 900);
        assertEquals(900, files.topic(IDS[0]).readLogStart(0));
    }

    @Test
    void shouldNotUseASpareFileThatContainsSomething() throws IOException {
        SimulatedFileMedium medium = withTopics();
        try (MediumFile file = medium.open(SPARE, true)) {
            file.write(9_999, new byte[] {1}, 0, 1);
        }
        Files files = new Files(medium);
        takeAll(medium);
        files.topic(IDS[0]).writeLogStart(0, 900);
        assertEquals(900, files.topic(IDS[0]).readLogStart(0));
        makeRoom(medium);
        files.duties.run();
        assertEquals(16 * 1024, bytes(medium, SPARE).length);
        for (byte b : bytes(medium, SPARE)) {
            assertNotEquals(0, b);
        }
    }

    /**
     * Crashes before each operation of deletions on a full disk; the disk is full afterwards, too:
     * each log start is an old or a new one, and another deletion is possible, twice.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldKeepEachLogStartAndRemainAbleToDeleteWhenTheSystemCrashes(boolean isSpaceTakenLate)
            throws IOException {
        SimulatedFileMedium medium = withTopics();
        Files files = new Files(medium);
        if (isSpaceTakenLate) {
            medium.faults().takeSpaceLate();
        }
        limitToUsed(medium);
        for (Crash crash : crashesIn(medium, files, 200)) {
            for (Survival survival : survivals()) {
                Crash second = crash.survivedBy(survival);
                second.check();
                SimulatedFileMedium image = second.medium();
                image.faults().limitBytes(crash.capacity());
                if (isSpaceTakenLate) {
                    image.faults().takeSpaceLate();
                }
                Files reopened = new Files(image);
                for (Crash again : crashesIn(image, reopened, 300)) {
                    Crash third = again.survivedBy(survival);
                    third.check();
                    third.medium().faults().limitBytes(crash.capacity());
                    if (isSpaceTakenLate) {
                        third.medium().faults().takeSpaceLate();
                    }
                    Files last = new Files(third.medium());
                    last.topic(IDS[1]).writeLogStart(0, 400);
                    last.topic(IDS[0]).writeLogStart(0, 400);
                    new Crash(third.medium(), 400, 400, 400, 400, 0)
                            .survivedBy(Survival.NONE)
                            .check();
                }
            }
        }
    }

    private static List<Survival> survivals() {
        List<Survival> all = new ArrayList<>();
        all.addAll(List.of(Survival.NONE, Survival.ALL, Survival.NAMES, Survival.BYTES));
        for (int seed = 0; seed < 1; seed++) {
            all.add(Survival.random(seed));
        }
        return all;
    }

    /** What is there before an operation, with the lowest and highest log starts allowed. */
    private record Crash(
            SimulatedFileMedium medium,
            long least0,
            long most0,
            long least1,
            long most1,
            long capacity) {

        Crash survivedBy(Survival survival) {
            return new Crash(medium.crash(survival), least0, most0, least1, most1, capacity);
        }

        void check() throws IOException {
            Findings findings = new Findings();
            StoreFiles files = new StoreFiles(medium, DIRECTORY, null, findings);
            long found0 = new TopicFiles(files, IDS[0]).readLogStart(0);
            long found1 = new TopicFiles(files, IDS[1]).readLogStart(0);
            assertEquals(List.of(), findings.all());
            assertTrue(found0 == least0 || found0 == most0, () -> this + " has " + found0);
            assertTrue(found1 == least1 || found1 == most1, () -> this + " has " + found1);
        }
    }

    /** Raises two log starts in turn, and returns what was there before each operation. */
    private static List<Crash> crashesIn(SimulatedFileMedium medium, Files files, long offset)
            throws IOException {
        List<Crash> crashes = new ArrayList<>();
        long[] acked = {files.topic(IDS[0]).readLogStart(0), files.topic(IDS[1]).readLogStart(0)};
        long[] wanted = acked.clone();
        medium.faults().limitBytes(Long.MAX_VALUE - 1);
        long free = medium.usableBytes(DIRECTORY);
        long capacity = Long.MAX_VALUE - 1 - free;
        takeAll(medium);
        medium.onOperation(
                number -> {
                    limitToUsed(medium);
                    crashes.add(
                            new Crash(
                                    medium.kill(),
                                    acked[0],
                                    wanted[0],
                                    acked[1],
                                    wanted[1],
                                    capacity));
                });
        for (int i = 0; i < 3; i++) {
            int topic = i % 2;
            wanted[topic] = offset + i;
            files.topic(IDS[topic]).writeLogStart(0, offset + i);
            acked[topic] = offset + i;
        }
        medium.ignoreOperations();
        medium.faults().limitBytes(Long.MAX_VALUE);
        return crashes;
    }

    /** A file system as tmpfs, where each name takes an inode. */
    private static final class FewInodes extends FilterFileMedium {
        private int free = Integer.MAX_VALUE;

        FewInodes(FileMedium medium) {
            super(medium);
        }

        private void take(Path path) throws IOException {
            if (free == 0) {
                throw new OutOfInodesException(path, 1 << 20, new IOException("none is left"));
            }
            free--;
        }

        @Override
        public MediumFile create(Path file) throws IOException {
            take(file);
            return super.create(file);
        }

        @Override
        public void link(Path file, Path second) throws IOException {
            take(second);
            super.link(file, second);
        }

        @Override
        public void rename(Path from, Path to) throws IOException {
            free += exists(to) ? 1 : 0;
            super.rename(from, to);
        }

        @Override
        public void delete(Path path) throws IOException {
            free += exists(path) ? 1 : 0;
            super.delete(path);
        }
    }

    @Test
    void shouldRecordEachDeletionWhereNoInodeIsLeft() throws IOException {
        FewInodes medium = new FewInodes(withTopics());
        TopicFiles topic = new Files(medium).topic(IDS[0]);
        medium.free = 0;
        for (int offset = 1; offset <= 3; offset++) {
            topic.writeLogStart(0, offset);
            assertEquals(offset, topic.readLogStart(0));
            assertTrue(medium.exists(SPARE));
        }
        topic.writeTombstone("t", TopicOptions.defaults());
        assertTrue(topic.read().deleted());
    }
}
