package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Cursor;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PoisonedException;
import io.firn.StoreLockedException;
import io.firn.TopicOptions;
import io.firn.api.Waiting;
import io.firn.file.FileTier;
import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.MediumFile;
import io.firn.open.StoreBuilder;
import io.firn.sim.SimulatedFileMedium;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.agrona.concurrent.CachedEpochClock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Lock files that are deleted, replaced or moved while a store is open: the writer finds out before
 * it acknowledges records that another writer does not know (O31).
 */
class LostLockTest {
    private static final Logger LOG = Logger.getLogger("io.firn");
    private static final String OPEN = "open";

    /** More than a writer makes until it looks, however slow its watching thread is. */
    private static final int MOST_APPENDS = 20_000;

    @TempDir Path temporary;

    @BeforeEach
    void silence() {
        LOG.setLevel(Level.OFF);
    }

    /** What is done to a store that is open. */
    enum Loss {
        LOCK_DELETED {
            @Override
            void inflict(Disk disk) throws IOException {
                Files.delete(lockOf(disk));
            }
        },
        LOCK_REPLACED {
            @Override
            void inflict(Disk disk) throws IOException {
                replace(lockOf(disk));
            }
        },
        LOCK_OF_TIER_DELETED {
            @Override
            void inflict(Disk disk) throws IOException {
                Files.delete(disk.segments().resolve("lock"));
            }
        },
        LOCK_OF_TIER_REPLACED {
            @Override
            void inflict(Disk disk) throws IOException {
                replace(disk.segments().resolve("lock"));
            }
        },
        STORE_MOVED {
            @Override
            void inflict(Disk disk) throws IOException {
                Files.move(storeOf(disk), disk.root.resolve("moved"));
            }
        },
        STORE_DELETED {
            @Override
            void inflict(Disk disk) throws IOException {
                deleteAll(storeOf(disk));
            }
        },
        STORE_RESTORED {
            @Override
            void inflict(Disk disk) throws IOException {
                copyAll(storeOf(disk), disk.root.resolve("backup"));
                Files.move(storeOf(disk), disk.root.resolve("moved"));
                Files.move(disk.root.resolve("backup"), storeOf(disk));
            }
        };

        abstract void inflict(Disk disk) throws IOException;
    }

    private static Path storeOf(Disk disk) {
        return disk.root.resolve("store");
    }

    private static Path lockOf(Disk disk) {
        return storeOf(disk).resolve("lock");
    }

    private static void replace(Path file) throws IOException {
        Path copy = Files.copy(file, file.resolveSibling("copy"));
        Files.move(copy, file, StandardCopyOption.REPLACE_EXISTING);
    }

    /** What is there; the writer creates and deletes files meanwhile. */
    private static List<Path> all(Path directory) throws IOException {
        while (true) {
            try (Stream<Path> found = Files.walk(directory)) {
                return found.toList();
            } catch (UncheckedIOException e) {
                if (!(e.getCause() instanceof NoSuchFileException)) {
                    throw e;
                }
            }
        }
    }

    private static void copyAll(Path from, Path to) throws IOException {
        for (Path each : all(from)) {
            try {
                Files.copy(each, to.resolve(from.relativize(each).toString()));
            } catch (NoSuchFileException e) {
                continue;
            }
        }
    }

    private static void deleteAll(Path directory) throws IOException {
        while (Files.exists(directory)) {
            List<Path> found = new ArrayList<>(all(directory));
            found.sort(Comparator.reverseOrder());
            try {
                for (Path each : found) {
                    Files.deleteIfExists(each);
                }
            } catch (DirectoryNotEmptyException e) {
                continue; // the writer has created a file
            }
        }
    }

    /** What is in files, when nothing is being written any more. */
    private static Map<String, String> contents(Path directory) throws IOException {
        Map<String, String> before = Map.of();
        while (true) {
            Map<String, String> now = new TreeMap<>();
            for (Path each : all(directory)) {
                try {
                    if (Files.isRegularFile(each)) {
                        byte[] bytes = Files.readAllBytes(each);
                        now.put(each.toString(), new String(bytes, StandardCharsets.ISO_8859_1));
                    }
                } catch (NoSuchFileException e) {
                    continue;
                }
            }
            if (now.equals(before)) {
                return now;
            }
            before = now;
            LockSupport.parkNanos(20_000_000);
        }
    }

    /** Appends until that is refused; records in {@code acknowledged} what was not. */
    private static PoisonedException appendUntilRefused(
            Partition partition, AtomicLong acknowledged) {
        try (Appender appender = partition.openExclusiveAppender()) {
            for (int i = 0; i < MOST_APPENDS; i++) {
                acknowledged.set(appender.append(Disk.value(partition.nextOffset())) + 1);
                LockSupport.parkNanos(1_000_000);
            }
            throw new AssertionError("it went on: " + acknowledged);
        } catch (PoisonedException e) {
            return e;
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldPoisonAWriterWhoseLockFileIsNotTheOneItLocked(Loss loss) throws IOException {
        Disk disk = new Disk(temporary);
        try (LogStore store = disk.open()) {
            Partition partition = Disk.partition(store);
            Disk.append(partition, 2);
            Cursor cursor = store.openTopic(Disk.TOPIC).cursor("reader");
            loss.inflict(disk);
            PoisonedException why = appendUntilRefused(partition, new AtomicLong());
            assertTrue(why.getMessage().contains("not the only writer"), why.getMessage());
            assertTrue(why.getMessage().contains("expected "), why.getMessage());
            assertTrue(why.getMessage().contains("lock to be the file"), why.getMessage());
            assertTrue(why.getMessage().contains("found "), why.getMessage());
            Throwable first = why;
            while (first.getCause() != null) {
                first = first.getCause();
            }
            assertInstanceOf(StoreLockedException.class, first);
            String findings = store.findings().toString();
            assertTrue(findings.contains("not the only writer"), findings);
            assertFalse(findings.contains("appends are not affected"), findings);
            assertThrows(
                    PoisonedException.class,
                    () -> store.createTopic("another", TopicOptions.defaults()));
            assertThrows(PoisonedException.class, () -> store.deleteTopic(Disk.TOPIC));
            assertThrows(PoisonedException.class, () -> cursor.commit(0, 1));
            assertThrows(PoisonedException.class, cursor::force);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LOCK_REPLACED", "STORE_RESTORED"})
    void shouldChangeNothingAnyMoreOfAStoreThatWasLost(Loss loss) throws IOException {
        Disk disk = new Disk(temporary);
        Map<String, String> before;
        try (LogStore store = disk.builder().cursorInterval(Duration.ofHours(1)).open()) {
            Partition partition = Disk.partition(store);
            Disk.append(partition, 2);
            Cursor cursor = store.openTopic(Disk.TOPIC).cursor("reader");
            cursor.commit(0, 1);
            loss.inflict(disk);
            appendUntilRefused(partition, new AtomicLong());
            before = contents(storeOf(disk).resolve("topics"));
        }
        assertEquals(before, contents(storeOf(disk).resolve("topics")));
    }

    @ParameterizedTest
    @EnumSource(names = {"LOCK_DELETED", "LOCK_OF_TIER_DELETED"})
    void shouldGiveBackNoBlockOfAStoreThatWasLost(Loss loss) throws IOException {
        Disk disk = new Disk(temporary);
        try (LogStore store = disk.open()) {
            Disk.append(Disk.partition(store), 2);
            Waiting.await("a block that is set aside", () -> active(disk).size() == 2);
            loss.inflict(disk);
        }
        Set<String> left = active(disk);
        assertEquals(2, left.size(), left + ": another process may have the block");
    }

    /** The files of segments that are written, or set aside. */
    private static Set<String> active(Disk disk) {
        try {
            Set<String> found = new TreeSet<>();
            all(disk.segments()).forEach(each -> found.add(each.toString()));
            found.removeIf(each -> !each.endsWith(".active"));
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldRefuseASecondWriterWhileTheFirstOneRunsAlthoughItsLockFilesAreGone()
            throws Exception {
        Disk disk = new Disk(temporary);
        AtomicLong acknowledged = new AtomicLong(2);
        try (LogStore store = disk.open()) {
            Partition partition = Disk.partition(store);
            Disk.append(partition, 2);
            Files.delete(lockOf(disk));
            Files.delete(disk.segments().resolve("lock"));
            try (Jvm intruder = new Jvm(SecondProcessTest.Intruder.class, temporary)) {
                String said = String.join("\n", intruder.end());
                assertTrue(said.contains("refused"), said);
                assertTrue(said.contains("pid " + ProcessHandle.current().pid()), said);
                assertTrue(said.contains("was deleted or replaced"), said);
            }
            appendUntilRefused(partition, acknowledged);
        }
        try (LogStore store = disk.open()) {
            assertTrue(Disk.partition(store).nextOffset() >= acknowledged.get());
        }
    }

    @Test
    void shouldOpenWhatAKilledProcessHadOpenAlsoWithoutItsLockFile() throws Exception {
        Disk disk = new Disk(temporary);
        try (Jvm holder = new Jvm(SecondProcessTest.Holder.class, temporary)) {
            holder.await(OPEN);
            holder.kill();
        }
        Files.delete(lockOf(disk));
        try (LogStore store = disk.open()) {
            assertEquals(2, Disk.partition(store).nextOffset());
        }
    }

    @Test
    void shouldGiveAWriterThatMayHaveLostItsLockFileTimeToNotice() throws IOException {
        Disk disk = new Disk(temporary);
        disk.fill();
        List<String> logged = new CopyOnWriteArrayList<>();
        Handler handler =
                new Handler() {
                    @Override
                    public void publish(LogRecord record) {
                        logged.add(record.getMessage());
                    }

                    @Override
                    public void flush() {}

                    @Override
                    public void close() {}
                };
        LOG.setLevel(Level.WARNING);
        LOG.addHandler(handler);
        try {
            disk.open().close();
            assertEquals(List.of(), logged);
            Files.delete(lockOf(disk));
            disk.open().close();
            assertTrue(logged.get(0).contains("had no lock file"), logged.toString());
        } finally {
            LOG.removeHandler(handler);
        }
    }

    /** Opens a store, and appends. */
    static final class Second {
        private Second() {}

        /** With the directory. */
        public static void main(String[] arguments) {
            try (LogStore store = new Disk(Path.of(arguments[0])).open()) {
                Disk.append(Disk.partition(store), 20);
                System.out.println(OPEN);
            }
        }
    }

    @Test
    void shouldLoseNoAcknowledgedRecordWhenLockFilesAndPublishedEndsAreDeleted() throws Exception {
        Disk disk = new Disk(temporary);
        AtomicLong acknowledged = new AtomicLong();
        try (LogStore store = disk.open()) {
            Partition partition = Disk.partition(store);
            Disk.append(partition, 2);
            FutureTask<PoisonedException> writing =
                    new FutureTask<>(() -> appendUntilRefused(partition, acknowledged));
            new Thread(writing, "writer").start();
            while (acknowledged.get() < 10) {
                Thread.onSpinWait();
            }
            Files.delete(lockOf(disk));
            Files.delete(disk.segments().resolve("lock"));
            Files.delete(storeOf(disk).resolve("ends"));
            try (Jvm second = new Jvm(Second.class, temporary)) {
                second.await(OPEN);
                assertTrue(writing.get().getMessage().contains("not the only writer"));
                second.end();
            }
        }
        try (LogStore store = disk.open()) {
            long next = Disk.partition(store).nextOffset();
            assertTrue(
                    next >= acknowledged.get() + 20,
                    acknowledged + " and 20 were acknowledged, there are " + next);
        }
    }

    /** A disk on which the creation of segments can be made to hang. */
    private static final class Hanging extends FilterFileMedium {
        private final CountDownLatch end = new CountDownLatch(1);
        private volatile boolean hangs;

        Hanging() {
            super(FileMedium.real());
        }

        @Override
        public MediumFile create(Path file) throws IOException {
            while (hangs && file.toString().endsWith(".active") && end.getCount() > 0) {
                LockSupport.parkNanos(1_000_000);
            }
            return super.create(file);
        }
    }

    @Test
    void shouldRefuseAnAppendThatWaitsForABlockWhenTheStoreIsLost() throws Exception {
        Hanging medium = new Hanging();
        Disk disk = new Disk(temporary, medium);
        try (LogStore store = disk.open()) {
            medium.hangs = true;
            TopicOptions small = Disk.SMALL.withPartitions(1);
            Partition partition = store.createTopic("waits", small).partition(0);
            FutureTask<PoisonedException> writing =
                    new FutureTask<>(() -> appendUntilRefused(partition, new AtomicLong()));
            new Thread(writing, "writer").start();
            Files.delete(lockOf(disk));
            assertTrue(writing.get().getMessage().contains("not the only writer"));
            medium.end.countDown();
        }
    }

    @Test
    void shouldOpenACopyOfAStoreThatIsOpen() throws IOException {
        Disk disk = new Disk(Files.createDirectory(temporary.resolve("first")));
        try (LogStore store = disk.open()) {
            Disk.append(Disk.partition(store), 2);
            copyAll(disk.root, temporary.resolve("second"));
            try (LogStore copy = new Disk(temporary.resolve("second")).open()) {
                Disk.append(Disk.partition(copy), 2);
            }
            Disk.append(Disk.partition(store), 2);
            assertEquals(List.of(), store.findings());
        }
    }

    @Test
    void shouldAcknowledgeNothingAfterASecondWriterHasOpenedOnAnyMedium() throws IOException {
        SimulatedFileMedium medium = new SimulatedFileMedium();
        LogStore first = open(medium);
        Appender appender = Disk.partition(first).openExclusiveAppender();
        appender.append(Disk.value(0));
        medium.delete(Path.of("/sim/store/lock"));
        medium.delete(Path.of("/sim/segments/lock"));
        LogStore second = open(medium);
        Disk.append(Disk.partition(second), 4);
        assertThrows(PoisonedException.class, () -> appender.append(Disk.value(1)));
        assertThrows(PoisonedException.class, () -> appender.append(Disk.value(1)));
        Disk.append(Disk.partition(second), 4);
        appender.close();
        first.close();
        second.close();
        LogStore third = open(medium);
        assertEquals(9, Disk.partition(third).nextOffset());
        third.close();
    }

    private static LogStore open(SimulatedFileMedium on) {
        return StoreBuilder.over(Path.of("/sim/store"), on)
                .tier(FileTier.at(Path.of("/sim/segments")).withMedium(on))
                .clock(new CachedEpochClock())
                .invokerMode()
                .open();
    }
}
