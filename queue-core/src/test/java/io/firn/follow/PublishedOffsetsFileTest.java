package io.firn.follow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.StoreLockedException;
import io.firn.follow.FollowedOffsets.Published;
import io.firn.log.PublishedOffsets.OffsetPublisher;
import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.FilterFileMedium.FilterMediumFile;
import io.firn.medium.MediumFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What readers believe of the file in which a writer publishes its offsets, and what they do not.
 */
class PublishedOffsetsFileTest {
    private static final UUID STORE = new UUID(1, 2);
    private static final UUID TOPIC = new UUID(3, 4);
    private static final OffsetPublisher.State STATE =
            new OffsetPublisher.State(100, 7, 5L << 32 | 500, 103, 50);

    @TempDir private Path directory;
    private final Machine machine = new Machine();
    private TestLock held = new TestLock("first");
    private PublishedOffsetsFile writer;
    private final List<FollowedOffsetsFile> readers = new ArrayList<>();
    private final List<String> findings = new ArrayList<>();

    /** Tells who holds the lock, and which start of the system this is. */
    private static final class Machine extends FilterFileMedium {
        private String holder = "pid 1";
        private UUID start = new UUID(5, 6);
        private boolean isFull;
        private boolean knowsFiles = true;
        private int opened;
        private Life life = Life.RUNS;

        Machine() {
            super(FileMedium.real());
        }

        @Override
        public String holder(Path file) {
            return holder;
        }

        @Override
        public UUID runningSystem() {
            return start;
        }

        @Override
        public Life lifeOf(String process) {
            return life;
        }

        @Override
        public FileStatus statusOf(Path file) throws IOException {
            return knowsFiles ? super.statusOf(file) : null;
        }

        @Override
        public Object identityOf(Path file) throws IOException {
            return knowsFiles ? super.identityOf(file) : null;
        }

        @Override
        protected MediumFile wrap(Path path, MediumFile file) {
            opened++;
            return new FilterMediumFile(file) {
                @Override
                public void write(long at, byte[] bytes, int offset, int length)
                        throws IOException {
                    if (isFull) {
                        throw new IOException("No space left on device");
                    }
                    super.write(at, bytes, offset, length);
                }
            };
        }
    }

    @BeforeEach
    void open() throws IOException {
        writer = create();
    }

    @AfterEach
    void close() {
        readers.forEach(FollowedOffsetsFile::close);
        if (writer != null) {
            writer.close();
        }
    }

    private Path path() {
        return directory.resolve(PublishedOffsetsFormat.NAME);
    }

    private Path lock() {
        return directory.resolve("lock");
    }

    private PublishedOffsetsFile create() throws IOException {
        return PublishedOffsetsFile.create(
                machine,
                directory,
                new PublishedOffsetsFile.Writer(STORE, held, machine.holder),
                findings::add);
    }

    /** Publishes a partition, of a log that always has the same offsets. */
    private static OffsetSlot assign(
            PublishedOffsetsFile file, UUID topic, int partition, OffsetPublisher.State state) {
        return file.assign(topic, partition, state, new Unchanged(state));
    }

    private record Unchanged(OffsetPublisher.State state) implements OffsetSlot.Log {
        @Override
        public void publishAgain(OffsetSlot slot) {
            slot.publish(state);
        }

        @Override
        public void publishMissed(OffsetSlot slot) {
            slot.raise(state);
        }
    }

    private FollowedOffsetsFile see() throws IOException {
        FollowedOffsetsFile seen = FollowedOffsetsFile.open(machine, directory, STORE, lock());
        if (seen != null) {
            readers.add(seen);
        }
        return seen;
    }

    /** Overwrites a word of the file. */
    private void store(long at, long word) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder()).putLong(0, word);
        try (RandomAccessFile file = new RandomAccessFile(path().toFile(), "rw")) {
            file.seek(at);
            file.write(bytes.array());
        }
    }

    @Test
    void shouldReadWhatAWriterPublishes() throws IOException {
        OffsetSlot slot = assign(writer, TOPIC, 3, STATE);
        FollowedOffsets seen = see().find(TOPIC, 3);
        Published first = seen.read();
        assertEquals(
                new Published(first.sequence(), 100, 7, -1, 0, 5L << 32 | 500, 103, 50), first);
        assertEquals(105, first.next());
        assertEquals(500, first.position());

        slot.end(6L << 32 | 600);
        slot.durable(106);
        slot.start(60);
        assertTrue(seen.isOf(first.sequence()));
        assertEquals(6L << 32 | 600, seen.end());
        assertEquals(106, seen.durable());
        assertEquals(60, seen.start());
    }

    @Test
    void shouldLeaveAFileThatTookTheNameOfItsOwnWhenItCloses() throws IOException {
        assign(writer, TOPIC, 0, STATE);
        Files.delete(path());
        PublishedOffsetsFile another = create();
        assign(another, TOPIC, 1, STATE);
        writer.close();
        assertNotNull(see().find(TOPIC, 1), "the other one's file is there");
        another.close();
        assertFalse(Files.exists(path()), "its own file is deleted");
    }

    @Test
    void shouldLeaveAFileOfAnotherKindThatTookTheNameOfItsOwnWhenItCloses() throws IOException {
        Files.delete(path());
        Files.writeString(path(), "notes");
        writer.close();
        assertEquals("notes", Files.readString(path()));
    }

    @Test
    void shouldTellTheEndOfOneSegmentFromThatOfTheNext() throws IOException {
        OffsetSlot slot = assign(writer, TOPIC, 0, STATE);
        FollowedOffsets seen = see().find(TOPIC, 0);
        long first = seen.read().sequence();
        long changes = seen.changes();
        slot.begin(105, 8, 100, 5L << 32 | 500);
        slot.changed();
        slot.end(5L << 32 | 500); // as far as the one before
        assertFalse(seen.isOf(first));
        Published now = seen.read();
        assertEquals(
                new Published(now.sequence(), 105, 8, 100, 5L << 32 | 500, 5L << 32 | 500, 103, 50),
                now);
        assertTrue(seen.changes() > changes);
    }

    @Test
    void shouldBelieveNothingInASlotThatChanges() throws IOException {
        assign(writer, TOPIC, 0, STATE);
        FollowedOffsets seen = see().find(TOPIC, 0);
        long sequence = seen.read().sequence();
        long slot = PublishedOffsetsFormat.FIRST_SLOT * PublishedOffsetsFormat.SLOT_BYTES;
        store(slot + PublishedOffsetsFormat.SEQUENCE, sequence + 1);
        store(slot + PublishedOffsetsFormat.BASE, 999);
        assertFalse(seen.isOf(sequence));
        assertNull(seen.read());
    }

    @Test
    void shouldNotTakeThePartitionThatGotASlotForTheOneThatHadIt() throws IOException {
        OffsetSlot slot = assign(writer, TOPIC, 0, STATE);
        FollowedOffsetsFile file = see();
        FollowedOffsets before = file.find(TOPIC, 0);
        long sequence = before.read().sequence();
        writer.release(slot);
        assertNull(before.read());
        assertFalse(before.isAssigned());
        assertNull(file.find(TOPIC, 0));

        UUID other = new UUID(9, 9);
        OffsetSlot reused = assign(writer, other, 0, STATE);
        assertEquals(slot.slot(), reused.slot());
        assertNull(before.read());
        assertFalse(before.isOf(sequence));
        assertFalse(before.isAssigned());
        assertNotNull(file.find(other, 0).read());
    }

    @Test
    void shouldFindEachOfTenThousandPartitions() throws IOException {
        FollowedOffsetsFile file = see();
        int count = 10_000;
        for (int i = 0; i < count; i++) {
            OffsetPublisher.State state = new OffsetPublisher.State(i, 1, 0, i, 0);
            assertNotNull(assign(writer, TOPIC, i, state));
        }
        for (int i = 0; i < count; i++) {
            assertEquals(i, file.find(TOPIC, i).read().base());
        }
        assertNull(file.find(TOPIC, count));
    }

    @Test
    void shouldStopBelievingAWriterThatIsClosed() throws IOException {
        assign(writer, TOPIC, 0, STATE);
        FollowedOffsetsFile file = see();
        FollowedOffsets seen = file.find(TOPIC, 0);
        writer.close();
        assertFalse(file.isLive());
        assertNull(seen.read());
        assertFalse(Files.exists(path()));
        assertNull(see());
    }

    @Test
    void shouldStopBelievingAKilledWriterBeforeTheNextOneChangesAnything() throws IOException {
        assign(writer, TOPIC, 0, STATE);
        FollowedOffsetsFile file = see();
        FollowedOffsets seen = file.find(TOPIC, 0);
        // Killed: it ended nothing, and another process has the lock.
        machine.holder = "pid 2";
        assertNotNull(seen.read(), "nothing has changed so far");
        PublishedOffsetsFile next = create();
        try {
            assertNull(seen.read());
            assertFalse(file.isLive());
            assign(next, TOPIC, 0, new OffsetPublisher.State(0, 8, 0, 0, 0));
            assertNull(seen.read());
            assertEquals(8, see().find(TOPIC, 0).read().epoch());
        } finally {
            next.close();
        }
    }

    @Test
    void shouldNotBelieveAWriterThatDoesNotHoldTheLock() throws IOException {
        FollowedOffsetsFile file = see();
        assertTrue(file.isWritersThere());
        for (String other : new String[] {null, "pid 2", ""}) {
            machine.holder = other;
            assertFalse(file.isWritersThere(), "held by " + other);
            assertNull(see(), "held by " + other);
        }
    }

    @Test
    void shouldRefuseToReplaceAWriterThatMayRunWhenItsLockFileIsNotTheOneThatIsLocked()
            throws IOException {
        held = new TestLock("second");
        for (FileMedium.Life life : List.of(FileMedium.Life.RUNS, FileMedium.Life.UNKNOWN)) {
            machine.life = life;
            StoreLockedException refused = assertThrows(StoreLockedException.class, this::create);
            assertTrue(refused.getMessage().contains("pid "), refused.getMessage());
            assertTrue(refused.getMessage().contains("first"), refused.getMessage());
            assertTrue(writer.hasTerm());
        }
        machine.life = FileMedium.Life.ENDED;
        create().close();
        assertFalse(writer.hasTerm());
    }

    @Test
    void shouldReplaceAWriterWhoseOwnLockFileIsLockedWhateverIsKnownOfItsProcess()
            throws IOException {
        create().close();
        assertFalse(writer.hasTerm(), "it notices, should it run nevertheless");
    }

    @Test
    void shouldReplaceAWriterOfAnEarlierStartOfTheSystem() throws IOException {
        held = new TestLock("second");
        machine.start = new UUID(9, 9);
        create().close();
        assertFalse(writer.hasTerm());
    }

    @Test
    void shouldTellACopyOfTheFileFromOneThatCameToItsPlace() throws IOException {
        held = new TestLock("second");
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Files.copy(path(), elsewhere.resolve(PublishedOffsetsFormat.NAME));
        PublishedOffsetsFile.create(
                        machine,
                        elsewhere,
                        new PublishedOffsetsFile.Writer(STORE, held, "pid 2"),
                        findings::add)
                .close();
        assertTrue(writer.hasTerm(), "a copy of a store is a store of its own");

        Path copy = Files.copy(path(), directory.resolve("copy"));
        Files.move(copy, path(), StandardCopyOption.REPLACE_EXISTING);
        assertThrows(StoreLockedException.class, this::create);
        machine.life = FileMedium.Life.UNKNOWN; // another container, whose paths mean nothing here
        create().close();
    }

    @Test
    void shouldHaveNoTermInAFileThatSomebodyOverwrote() throws IOException {
        assertTrue(writer.hasTerm());
        store(PublishedOffsetsFormat.TERM, 0);
        assertFalse(writer.hasTerm());
        writer.check();
        assertTrue(writer.hasTerm(), "in the file that was made again");
        writer.close();
        assertFalse(writer.hasTerm());
    }

    @Test
    void shouldNotBelieveWhatIsLeftOfAnotherStartOfTheSystem() throws IOException {
        machine.start = new UUID(7, 7);
        assertNull(see());
    }

    @Test
    void shouldNotBelieveTheFileOfAnotherStore() throws IOException {
        assertNull(FollowedOffsetsFile.open(machine, directory, new UUID(8, 8), lock()));
    }

    @Test
    void shouldNotBelieveAnotherVersionOrGarbage() throws IOException {
        store(PublishedOffsetsFormat.VERSION_AT, PublishedOffsetsFormat.VERSION + 1);
        assertNull(see());
        store(PublishedOffsetsFormat.VERSION_AT, PublishedOffsetsFormat.VERSION);
        assertNotNull(see());
        store(PublishedOffsetsFormat.MAGIC_AT, 0x1234);
        assertNull(see());
        store(PublishedOffsetsFormat.MAGIC_AT, PublishedOffsetsFormat.MAGIC);
        store(PublishedOffsetsFormat.HOLDER_LENGTH, -1);
        assertNull(see());
    }

    @Test
    void shouldNotMapAFileThatIsTooShort() throws IOException {
        for (int length : new int[] {0, 8, 4096, PublishedOffsetsFormat.PIECE_BYTES - 1}) {
            try (RandomAccessFile file = new RandomAccessFile(path().toFile(), "rw")) {
                file.setLength(length);
            }
            assertNull(see(), length + " bytes");
        }
        Files.delete(path());
        assertNull(see());
    }

    @Test
    void shouldNoticeThatAnotherFileHasTheName() throws IOException {
        FollowedOffsetsFile file = see();
        Files.delete(path());
        assertFalse(file.isWritersThere());
        Files.write(path(), new byte[PublishedOffsetsFormat.PIECE_BYTES]);
        assertFalse(file.isWritersThere());
    }

    @Test
    void shouldPublishNothingWhenThereIsNoSpace() throws IOException {
        writer.close();
        machine.isFull = true;
        writer = create();
        assertNull(writer);
        assertFalse(Files.exists(path()));
    }

    @Test
    void shouldPublishWhatItHasSpaceForWhenItCannotGrow() throws IOException {
        int room = PublishedOffsetsFormat.SLOTS_IN_PIECE - PublishedOffsetsFormat.FIRST_SLOT;
        machine.isFull = true;
        for (int i = 0; i < room; i++) {
            assertNotNull(assign(writer, TOPIC, i, STATE));
        }
        assertNull(assign(writer, TOPIC, room, STATE));
        FollowedOffsetsFile file = see();
        assertNotNull(file.find(TOPIC, room - 1).read());
        assertNull(file.find(TOPIC, room));
    }

    @Test
    void shouldPublishNothingWhereMappingsAreNotShared() throws IOException {
        writer.close();
        machine.start = null;
        writer = create();
        assertNull(writer);
        assertNull(see());
    }

    @Test
    void shouldStayMappedUntilTheLastAppenderIsClosed() throws IOException {
        OffsetSlot slot = assign(writer, TOPIC, 0, STATE);
        assertTrue(writer.pin());
        writer.close();
        slot.end(1); // would end the process if it were not mapped
        assertFalse(writer.pin());
        writer.unpin();
    }

    @Test
    void shouldNeverMixTwoSegmentsWhileTheWriterGoesOn() throws Exception {
        OffsetSlot slot = assign(writer, TOPIC, 0, new OffsetPublisher.State(0, 0, 0, 0, 0));
        FollowedOffsets seen = see().find(TOPIC, 0);
        int rounds = 300_000;
        FutureTask<Void> writing =
                new FutureTask<>(
                        () -> {
                            for (long i = 1; i <= rounds; i++) {
                                slot.begin(i, 2 * i, 3 * i, 4 * i);
                                slot.end(i << 32 | 1); // says whose end it is
                            }
                            return null;
                        });
        new Thread(writing).start();
        long last = 0;
        try {
            while (last < rounds) {
                Published read = seen.read();
                if (read != null && read.base() > 0) {
                    assertOfOneSegment(read, last);
                    last = read.base();
                }
            }
        } finally {
            writing.get(); // before the file is unmapped
        }
    }

    private static void assertOfOneSegment(Published read, long last) {
        long base = read.base();
        assertTrue(base >= last, base + " after " + last);
        assertEquals(2 * base, read.epoch());
        assertEquals(3 * base, read.baseBefore());
        assertEquals(4 * base, read.endBefore());
        long of = read.end() >>> 32;
        assertTrue(read.end() == 0 || of == base, "the end of " + of + " at " + base);
    }

    private void cut(long length) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path().toFile(), "rw")) {
            file.setLength(length);
        }
    }

    @Test
    void shouldStoreNothingIntoATruncatedFileAnyMore() throws IOException {
        OffsetSlot slot = assign(writer, TOPIC, 3, STATE);
        assertFalse(writer.wasTruncated());
        cut(0);
        assertTrue(writer.wasTruncated());
        for (int i = 0; i < 20_000; i++) { // compiled, too: would otherwise throw an InternalError
            slot.end(i);
            slot.durable(i);
            slot.changed();
        }
        slot.begin(100, 7, 50, 100);
        slot.start(3);
        writer.topicsChanged();
        writer.release(slot);
        assertNotNull(assign(writer, TOPIC, 4, STATE), "it is published when the file is there");
        assertEquals(0, Files.size(path()));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8, 4096, 8192, PublishedOffsetsFormat.PIECE_BYTES - 1})
    void shouldMakeATruncatedFileAgain(int length) throws IOException {
        OffsetSlot slot = assign(writer, TOPIC, 3, STATE);
        OffsetSlot released = assign(writer, TOPIC, 4, STATE);
        writer.release(released);
        cut(length);
        writer.check();
        assertEquals(1, findings.size(), findings.toString());
        assertTrue(
                findings.get(0)
                        .startsWith(
                                path()
                                        + " was truncated while the store is open (it has "
                                        + length
                                        + " bytes, expected were 65536): it was made again;"),
                findings.toString());
        FollowedOffsetsFile file = see();
        FollowedOffsets seen = file.find(TOPIC, 3);
        assertEquals(STATE.end(), seen.read().end());
        assertNull(file.find(TOPIC, 4));
        slot.end(6L << 32 | 600);
        assertEquals(6L << 32 | 600, seen.end());
        assertNotNull(assign(writer, TOPIC, 5, STATE));
        assertNotNull(file.find(TOPIC, 5).read());
        writer.check();
        assertEquals(1, findings.size(), findings.toString());
    }

    /** Its own page is there, so nothing else tells it that nobody publishes there any more. */
    @Test
    void shouldNotLeaveAReaderWithThePagesThatATruncatedFileStillHas() throws IOException {
        assign(writer, TOPIC, 3, STATE);
        FollowedOffsetsFile before = see();
        FollowedOffsets seen = before.find(TOPIC, 3);
        assertNotNull(seen.read());
        cut(PublishedOffsetsFormat.PIECE_BYTES - 4096);
        writer.check();
        assertFalse(before.isLive());
        assertNull(seen.read());
    }

    @Test
    void shouldMakeAFileAgainThatWasRemovedOrReplaced() throws IOException {
        List<Change> changes =
                List.of(
                        () -> Files.delete(path()),
                        () -> Files.write(path(), new byte[PublishedOffsetsFormat.PIECE_BYTES]),
                        () -> replaceBy(new byte[2 * PublishedOffsetsFormat.PIECE_BYTES]),
                        () -> replaceBy(Files.readAllBytes(path())),
                        () -> store(PublishedOffsetsFormat.TERM, 99));
        OffsetSlot slot = assign(writer, TOPIC, 3, STATE);
        long number = 0;
        for (Change change : changes) {
            FollowedOffsetsFile before = see();
            change.make();
            findings.clear();
            writer.check();
            String what = number == 0 ? "removed" : "replaced";
            String found = path() + " was " + what + " while the store is open: it was made";
            assertTrue(findings.get(0).startsWith(found), findings.toString());
            assertFalse(before.isLive(), "an earlier file is believed");
            slot.end(++number);
            assertEquals(number, see().find(TOPIC, 3).end());
        }
    }

    /** A look is taken each second, by code that the compiler has hardly seen. */
    @Test
    void shouldNotOpenAFileToWhichNothingWasDone() throws IOException {
        FollowedOffsetsFile file = see();
        assign(writer, TOPIC, 3, STATE);
        machine.opened = 0;
        writer.check();
        assertTrue(file.isWritersThere());
        assertEquals(0, machine.opened);
        replaceBy(Files.readAllBytes(path()));
        writer.check();
        assertTrue(machine.opened > 0, "a copy was not noticed");
        assertFalse(file.isWritersThere());
    }

    @Test
    void shouldNoticeWhatWasDoneToTheFileWhereAMediumKnowsNoFile() throws IOException {
        writer.close();
        machine.knowsFiles = false;
        writer = create();
        shouldMakeAFileAgainThatWasRemovedOrReplaced();
        shouldNoticeThatAnotherFileHasTheName();
    }

    private interface Change {
        void make() throws IOException;
    }

    private void replaceBy(byte[] content) throws IOException {
        Path other = directory.resolve("other");
        Files.write(other, content);
        Files.move(other, path(), StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void shouldLeaveALongerFileAsItIs() throws IOException {
        assign(writer, TOPIC, 3, STATE);
        cut(3 * PublishedOffsetsFormat.PIECE_BYTES + 17);
        FollowedOffsetsFile file = see();
        writer.check();
        assertEquals(List.of(), findings);
        for (int i = 0; i < 2 * PublishedOffsetsFormat.SLOTS_IN_PIECE; i++) {
            assertNotNull(assign(writer, TOPIC, 10 + i, STATE));
            assertNotNull(file.find(TOPIC, 10 + i).read());
        }
        assertTrue(file.isLive());
    }

    @Test
    void shouldMakeALargeFileAgainWithAllItsPartitions() throws IOException {
        int count = 1_000;
        for (int i = 0; i < count; i++) {
            assign(writer, TOPIC, i, new OffsetPublisher.State(i, 1, 0, i, 0));
        }
        Files.delete(path());
        writer.check();
        FollowedOffsetsFile file = see();
        for (int i = 0; i < count; i++) {
            assertEquals(i, file.find(TOPIC, i).read().base());
        }
    }

    @Test
    void shouldNotMakeTheFileAgainWhenAnotherWriterHasTheLock() throws IOException {
        assign(writer, TOPIC, 3, STATE);
        Files.write(path(), new byte[PublishedOffsetsFormat.PIECE_BYTES]);
        held.lost = "found another file";
        writer.check();
        assertEquals(List.of(), findings, "the store says that it was lost");
        assertEquals(0, Files.readAllBytes(path())[0], "the other one's file is there");
    }

    @Test
    void shouldMakeTheFileAgainOnlyAFewTimes() throws IOException {
        OffsetSlot slot = assign(writer, TOPIC, 3, STATE);
        for (int i = 0; i < PublishedOffsetsFile.MOST_RENEWALS; i++) {
            assertNotNull(see());
            Files.delete(path());
            writer.check();
        }
        FollowedOffsetsFile before = see();
        cut(PublishedOffsetsFormat.PIECE_BYTES - 4096); // a reader may see its own page
        writer.check();
        assertFalse(before.isLive());
        assertNull(see());
        writer.check();
        slot.end(7);
        String last = findings.get(findings.size() - 1);
        assertTrue(last.contains("is not any more"), last);
    }

    @Test
    void shouldMakeTheFileAgainWhenThereIsSpace() throws IOException {
        assign(writer, TOPIC, 3, STATE);
        cut(0);
        machine.isFull = true;
        writer.check();
        assertTrue(findings.get(0).contains("could not be made again"), findings.toString());
        assertFalse(Files.exists(path()));
        OffsetSlot meanwhile = assign(writer, TOPIC, 4, STATE);
        machine.isFull = false;
        writer.check();
        meanwhile.durable(104);
        FollowedOffsetsFile file = see();
        assertNotNull(file.find(TOPIC, 3).read());
        assertEquals(104, file.find(TOPIC, 4).durable());
    }

    @Test
    void shouldPublishEndsThatWentIntoAnEarlierFile() throws IOException {
        AtomicReference<OffsetPublisher.State> now = new AtomicReference<>(STATE);
        OffsetSlot.Log log =
                new OffsetSlot.Log() {
                    @Override
                    public void publishAgain(OffsetSlot slot) {
                        slot.publish(STATE); // loaded before the last append
                    }

                    @Override
                    public void publishMissed(OffsetSlot slot) {
                        slot.raise(now.get());
                    }
                };
        writer.assign(TOPIC, 3, STATE, log);
        Files.delete(path());
        now.set(new OffsetPublisher.State(100, 7, 9L << 32 | 900, 109, 50));
        writer.check();
        FollowedOffsets seen = see().find(TOPIC, 3);
        writer.check();
        assertEquals(STATE.end(), seen.end(), "the thread that appends may be about to store it");
        writer.check();
        assertEquals(9L << 32 | 900, seen.end());
        assertEquals(109, seen.durable());

        now.set(
                new OffsetPublisher.State(
                        200, 8, 1L << 32 | 10, 201, 50)); // another segment is begun
        writer.check();
        writer.check();
        assertEquals(9L << 32 | 900, seen.end());
    }

    @Test
    void shouldNotTakeAnErrorOfAnotherMappingForItsOwn() throws IOException {
        InternalError other = new InternalError("of another mapping");
        assertSame(other, assertThrows(InternalError.class, () -> writer.lost(other)));
        Files.delete(path()); // it stays mapped
        assertSame(other, assertThrows(InternalError.class, () -> writer.lost(other)));
        assertEquals(List.of(), findings);
    }
}
