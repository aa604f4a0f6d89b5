package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Finding;
import io.firn.FirnException;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.RecordHandler.Action;
import io.firn.StoreFullException;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.medium.FileErrors.OutOfDescriptorsException;
import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.MediumFile;
import io.firn.open.StoreBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the user of a store is told while files cannot be opened because too many are open. */
class DescriptorShortageTest {
    private static final Logger LOG = Logger.getLogger("io.firn");
    private static final int RECORD = 50_000;
    private static final int SHORT_ONES = 10;

    @TempDir Path directory;
    private final ManualClock clock = new ManualClock();
    private final Full medium = new Full();
    private final Level before = LOG.getLevel();
    private final List<LogRecord> logged = new ArrayList<>();
    private final Handler handler =
            new Handler() {
                @Override
                public void publish(LogRecord record) {
                    if (record.getLevel().intValue() >= Level.INFO.intValue()) {
                        logged.add(record);
                    }
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };

    private LogStore store;
    private Appender appender;

    /** A file system that opens files only while there are descriptors. */
    private static final class Full extends FilterFileMedium {
        private volatile boolean isFull;

        Full() {
            super(FileMedium.real());
        }

        private void check(Path path) throws IOException {
            if (isFull) {
                throw new OutOfDescriptorsException(path, new IOException("Too many open files"));
            }
        }

        @Override
        public MediumFile create(Path file) throws IOException {
            check(file);
            return super.create(file);
        }

        @Override
        public MediumFile open(Path file, boolean writable) throws IOException {
            check(file);
            return super.open(file, writable);
        }
    }

    @BeforeEach
    void open() {
        store =
                StoreBuilder.over(directory.resolve("store"), medium)
                        .tier(FileTier.at(directory.resolve("tier")).withMedium(medium))
                        .clock(clock)
                        .nanoClock(() -> clock.time() * 1_000_000)
                        .invokerMode()
                        .open();
        TopicOptions small =
                TopicOptions.defaults().withSegmentBytes(256 << 10).withMaxRecordBytes(100_000);
        Topic topic = store.createTopic("orders", small.withPartitions(1 + SHORT_ONES));
        appender = topic.partition(0).openExclusiveAppender();
        while (append() < 0) {
            work(1);
        }
        LOG.setLevel(Level.INFO); // other tests switch it off
        LOG.addHandler(handler);
    }

    @AfterEach
    void close() {
        LOG.removeHandler(handler);
        LOG.setLevel(before);
        medium.isFull = false;
        store.close();
    }

    private long append() {
        try {
            return appender.tryAppend(new UnsafeBuffer(new byte[RECORD]), 0, RECORD);
        } catch (StoreFullException e) {
            return Appender.BACK_PRESSURED; // after some seconds
        }
    }

    /** Does the work of some seconds, and appends in each of them. */
    private long work(int seconds) {
        long offset = Appender.BACK_PRESSURED;
        for (int i = 0; i < seconds; i++) {
            tidy(1);
            offset = append();
        }
        return offset;
    }

    private void tidy(int seconds) {
        for (int i = 0; i < seconds; i++) {
            clock.advance(1_000);
            while (store.doWork() > 0) {
                continue;
            }
        }
    }

    private void checkLines(Level level, int count) {
        List<LogRecord> found = logged.stream().filter(r -> level.equals(r.getLevel())).toList();
        assertEquals(count, found.size(), found.stream().map(LogRecord::getMessage).toList() + "");
        found.forEach(line -> assertNull(line.getThrown(), line.getMessage()));
    }

    @Test
    void shouldBeAFindingWhileItLastsAndALineInTheLogWhenItBeginsAndEnds() {
        assertEquals(List.of(), store.findings());
        medium.isFull = true;
        assertEquals(Appender.BACK_PRESSURED, work(30));

        assertEquals(1, store.findings().size(), store.findings().toString());
        Finding listed = store.findings().get(0);
        String finding = listed.text();
        for (String part : List.of("files and connections open", "ulimit -n", "Raise the limit")) {
            assertTrue(finding.contains(part), finding);
        }
        checkLines(Level.WARNING, 1);
        assertEquals(1, logged.size());
        StoreFullException refused =
                assertThrows(
                        StoreFullException.class,
                        () -> appender.tryAppend(new UnsafeBuffer(new byte[RECORD]), 0, RECORD));
        assertTrue(refused.getMessage().contains("ulimit -n"), refused.getMessage());

        assertEquals(Appender.BACK_PRESSURED, work(80));
        checkLines(Level.WARNING, 1);
        assertEquals(1, logged.size());
        assertEquals(List.of(listed), store.findings());

        medium.isFull = false;
        assertTrue(work(10) > 0);
        assertEquals(List.of(), store.findings());
        checkLines(Level.WARNING, 1);
        checkLines(Level.INFO, 1);
        assertEquals(2, logged.size());
    }

    @Test
    void shouldRefuseAtOnceWhatNeedsAFileWhenItHasLasted() {
        medium.isFull = true;
        work(12);
        tidy(30); // no one appends
        checkRefusedAtOnce();
        appender = store.openTopic("orders").partition(1).openExclusiveAppender();
        checkRefusedAtOnce(); // it has no segment yet

        medium.isFull = false;
        while (append() < 0) {
            tidy(1);
        }
    }

    /** After a look of the background, in no time. */
    private void checkRefusedAtOnce() {
        UnsafeBuffer value = new UnsafeBuffer(new byte[RECORD]);
        assertThrows(
                StoreFullException.class,
                () -> {
                    while (appender.tryAppend(value, 0, RECORD) != Appender.BACK_PRESSURED) {
                        continue; // what the last segment has room for
                    }
                    while (store.doWork() > 0) {
                        continue;
                    }
                    appender.tryAppend(value, 0, RECORD);
                });
    }

    @Test
    void shouldReserveNothingAheadOfNeedWhileItLasts() throws IOException {
        tidy(1);
        assertEquals(2, files(), "the active one and the next");
        medium.isFull = true;
        appender = store.openTopic("orders").partition(1).openExclusiveAppender();
        assertEquals(Appender.BACK_PRESSURED, work(2));
        tidy(1);
        assertEquals(1, files());

        medium.isFull = false;
        while (append() < 0) {
            tidy(1);
        }
        tidy(10);
        assertEquals(List.of(), store.findings());
        assertEquals(4, files());
    }

    /** How many segments that are not sealed have a file. */
    private int files() throws IOException {
        try (Stream<Path> all = Files.walk(directory.resolve("tier"))) {
            return (int) all.filter(file -> file.toString().endsWith(".active")).count();
        }
    }

    @Test
    void shouldNotLogEachOfManyShortOnes() {
        for (int i = 1; i <= SHORT_ONES; i++) {
            medium.isFull = true;
            appender = store.openTopic("orders").partition(i).openExclusiveAppender();
            assertEquals(Appender.BACK_PRESSURED, work(20)); // it has no segment yet
            assertEquals(1, store.findings().size());
            medium.isFull = false;
            while (append() < 0) {
                tidy(1);
            }
            tidy(10);
            assertEquals(List.of(), store.findings());
        }
        long warned = logged.stream().filter(r -> Level.WARNING.equals(r.getLevel())).count();
        assertTrue(warned >= 3 && warned <= SHORT_ONES / 2 + 1, warned + " lines");
        long ended = logged.stream().filter(r -> Level.INFO.equals(r.getLevel())).count();
        assertEquals(warned, ended);
    }

    /** That is how tiered stores are most of the time. */
    @Test
    void shouldMakeAppendsWaitAlsoWhenAnotherTierIsFull() {
        Path other = directory.resolve("other");
        try (LogStore tiered =
                        StoreBuilder.over(other.resolve("store"), FileMedium.real())
                                .tier(FileTier.at(other.resolve("hot")).withCapacityBytes(1 << 20))
                                .tier(FileTier.at(other.resolve("cold")).withMedium(medium))
                                .open();
                Appender waiting =
                        tiered.createTopic(
                                        "trades",
                                        TopicOptions.defaults()
                                                .withSegmentBytes(256 << 10)
                                                .withMaxRecordBytes(100_000))
                                .partition(0)
                                .openExclusiveAppender()) {
            byte[] value = new byte[RECORD];
            for (int i = 0; i < 40; i++) { // 2 MB
                waiting.append(value);
            }
            medium.isFull = true;
            try {
                // Until there is no block left, also none of those whose files were open before.
                int[] refused = {0};
                Stores.await(
                        "appends to wait for a block",
                        () -> {
                            boolean waits =
                                    waiting.tryAppend(new UnsafeBuffer(value), 0, value.length) < 0;
                            refused[0] = waits ? refused[0] + 1 : 0;
                            return refused[0] >= 5 && !tiered.findings().isEmpty();
                        });
            } finally {
                medium.isFull = false; // or the store could not be closed
            }
            waiting.append(value);
        }
    }

    /** The pauses after other failures become longer and longer: a minute at last. */
    @Test
    void shouldBeToldToReadersOfAnotherProcessWhoSeeNewRecordsSoonAfterIt() {
        Full ofReader = new Full();
        try (LogReader reader =
                        StoreBuilder.over(directory.resolve("store"), ofReader)
                                .tier(FileTier.at(directory.resolve("tier")).withMedium(ofReader))
                                .nanoClock(() -> clock.time() * 1_000_000)
                                .invokerMode()
                                .openReadOnly();
                Tailer tailer = reader.openTopic("orders").partition(0).openTailer()) {
            look(reader, tailer);
            ofReader.isFull = true;
            appendSegments();
            for (int i = 0; i < 100; i++) {
                clock.advance(1_000);
                look(reader, tailer);
            }
            assertTrue(tailer.offset() < store.openTopic("orders").partition(0).durableOffset());
            assertEquals(1, reader.findings().size(), reader.findings().toString());
            String finding = reader.findings().get(0).text();
            assertTrue(finding.contains("readers do not see new records"), finding);

            ofReader.isFull = false;
            for (int i = 0; i < 100; i++) {
                clock.advance(100);
                look(reader, tailer);
            }
            assertEquals(store.openTopic("orders").partition(0).durableOffset(), tailer.offset());
            assertEquals(List.of(), reader.findings());
            checkLines(Level.WARNING, 1);
            checkLines(Level.INFO, 1);
            assertEquals(2, logged.size());
        }
    }

    private void appendSegments() {
        for (int i = 0; i < 20; ) {
            i += append() < 0 ? 0 : 1;
            tidy(1);
        }
    }

    /** Looks at the files, if it is time, and reads what is to be seen. */
    private static void look(LogReader reader, Tailer tailer) {
        LockSupport.parkNanos(20_000_000); // the follower's own pauses are real ones
        while (reader.doWork() > 0) {
            continue;
        }
        try {
            while (tailer.poll(record -> Action.CONTINUE, 100) > 0) {
                continue;
            }
        } catch (FirnException e) {
            assertTrue(e.getMessage().contains("too many open files"), e.getMessage());
        }
    }
}
