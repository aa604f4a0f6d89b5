package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Durability;
import io.firn.Finding;
import io.firn.FirnException;
import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PartitionReader;
import io.firn.PoisonedException;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TopicOptions;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Somebody cuts a file that is mapped: pages are gone under the JVM's hands. That is an error with
 * a type, for appends the end, and never that of the JVM (O10).
 */
class TruncatedUnderMappingTest {
    private static final String LIVES = "the JVM lives";

    @TempDir Path temporary;

    /** Appends to a segment that is cut meanwhile. */
    static final class CutWhileAppending {
        private static final int MOST_APPENDS = 200_000;

        private CutWhileAppending() {}

        /** With the directory, the length to cut to, and whether the topic is DURABLE. */
        public static void main(String[] arguments) throws IOException {
            Disk disk = new Disk(Path.of(arguments[0]));
            try (LogStore store = disk.open()) {
                Partition partition =
                        store.createTopic(
                                        Disk.TOPIC,
                                        Disk.SMALL.withDurability(Durability.valueOf(arguments[2])))
                                .partition(0);
                Disk.append(partition, 2);
                partition.force();
                long durable = partition.durableOffset();
                cut(disk.active(), Long.parseLong(arguments[1]));
                appendUntilItFails(partition);
                System.out.println("durable " + (partition.durableOffset() == durable));
                System.out.println("poisoned " + partition.metrics().isPoisoned());
                read(partition);
            }
            System.out.println(LIVES);
        }

        private static void appendUntilItFails(Partition partition) {
            byte[] value = new byte[500];
            try (Appender appender = partition.openExclusiveAppender()) {
                for (int i = 0; i < MOST_APPENDS; i++) {
                    try {
                        while (appender.tryAppend(new UnsafeBuffer(value), 0, value.length)
                                == Appender.BACK_PRESSURED) {
                            Thread.onSpinWait();
                        }
                        if (i % 50 == 49) {
                            appender.awaitDurable(partition.nextOffset() - 1);
                        }
                    } catch (InternalError e) {
                        // Java 17 may tell of the fault late, in whatever code runs then. The next
                        // force must find it all the same.
                        System.out.println("told late");
                    }
                }
                System.out.println("never failed");
            } catch (PoisonedException e) {
                System.out.println("append: " + e.getClass().getSimpleName());
            }
            try (Tailer tailer = partition.openTailer()) {
                tailer.seekToEnd();
            }
        }
    }

    /** Reads a sealed segment that is cut under the readers' mapping. */
    static final class CutWhileReading {
        private CutWhileReading() {}

        /**
         * With the directory, the length to cut to, and whether all was read before, so that it is
         * not verified again.
         */
        public static void main(String[] arguments) throws IOException {
            Disk disk = new Disk(Path.of(arguments[0]));
            disk.fill();
            try (LogStore store = disk.open()) {
                Partition partition = Disk.partition(store);
                if (Boolean.parseBoolean(arguments[2])) {
                    read(partition);
                } else {
                    readOne(partition, 10); // the last batch of the segment
                }
                cut(disk.sealed(6, "log"), Long.parseLong(arguments[1]));
                read(partition);
                try (Tailer tailer = partition.openTailer()) {
                    tailer.seek(12);
                    int[] count = {0};
                    while (tailer.poll(
                                    record -> {
                                        count[0]++;
                                        return Action.CONTINUE;
                                    },
                                    100)
                            > 0) {
                        continue;
                    }
                    System.out.println("after it " + count[0]);
                }
                Disk.append(partition, 2);
            }
            System.out.println(LIVES);
        }
    }

    /** Appends while the file with the published offsets is cut, of which the log needs nothing. */
    static final class CutEnds {
        private CutEnds() {}

        /** With the directory, and whether the topic is DURABLE. */
        public static void main(String[] arguments) throws IOException {
            Path directory = Path.of(arguments[0]);
            Disk disk = new Disk(directory);
            int appended = 0;
            try (LogStore store = disk.open()) {
                TopicOptions options = Disk.SMALL.withDurability(Durability.valueOf(arguments[1]));
                Partition partition = store.createTopic(Disk.TOPIC, options).partition(0);
                try (Appender appender = partition.openExclusiveAppender()) {
                    byte[] value = new byte[100];
                    for (; appended < 3_000; appended++) {
                        appender.append(value);
                    }
                    cut(directory.resolve("store/ends"), 0);
                    while (cutFoundIn(store) == null) {
                        try {
                            appender.append(value);
                        } catch (InternalError e) {
                            // Java tells late of what came before the file was looked at.
                        }
                    }
                    System.out.println("found " + cutFoundIn(store));
                    appended = (int) partition.nextOffset();
                    int late = 0;
                    while (partition.nextOffset() < appended + 3_000) {
                        try {
                            appender.append(value);
                        } catch (InternalError e) {
                            late++;
                        }
                    }
                    System.out.println("appended on " + (late <= 1));
                }
            } catch (RuntimeException | InternalError e) {
                sayWhatStoppedIt(e);
            }
            try (LogStore store = disk.open()) {
                Partition partition = store.openTopic(Disk.TOPIC).partition(0);
                System.out.println("reopened " + (partition.nextOffset() >= appended));
                try (Appender appender = partition.openExclusiveAppender()) {
                    appender.append(new byte[1]);
                }
            }
            System.out.println(LIVES);
        }
    }

    /**
     * Follows a store that also appends, while the file with the published offsets is cut. Marks
     * are not written meanwhile, so only a file that was made again shows the records that come
     * then.
     */
    static final class CutEndsOfReaders {
        private CutEndsOfReaders() {}

        /** With the directory, and the length to cut to. */
        public static void main(String[] arguments) throws IOException {
            Path directory = Path.of(arguments[0]);
            Disk disk = new Disk(directory);
            try (LogStore writer = disk.builder().markInterval(Duration.ofHours(1)).open();
                    LogReader reader = disk.builder().openReadOnly()) {
                TopicOptions options = Disk.SMALL.withDurability(Durability.WRITTEN);
                Partition partition = writer.createTopic(Disk.TOPIC, options).partition(0);
                while (reader.topicNames().isEmpty()) {
                    Thread.onSpinWait();
                }
                PartitionReader followed = reader.openTopic(Disk.TOPIC).partition(0);
                try (Appender appender = partition.openExclusiveAppender();
                        Tailer tailer = followed.openTailer()) {
                    while (tailer.offset() < 3_000) {
                        appendAndRead(partition, appender, tailer);
                    }
                    cut(directory.resolve("store/ends"), Long.parseLong(arguments[1]));
                    while (cutFoundIn(writer) == null) {
                        appendAndRead(partition, appender, tailer);
                    }
                    System.out.println("found " + cutFoundIn(writer));
                    long cut = partition.nextOffset();
                    while (tailer.offset() < cut + 3_000 && reader.findings().isEmpty()) {
                        appendAndRead(partition, appender, tailer);
                    }
                    reader.findings().forEach(System.out::println);
                    System.out.println("seen, damage " + followed.damage());
                }
            } catch (RuntimeException | InternalError e) {
                sayWhatStoppedIt(e);
            }
            System.out.println(LIVES);
        }

        /** Stops the appends some records ahead of the reader. */
        private static void appendAndRead(Partition partition, Appender appender, Tailer tailer) {
            try {
                if (partition.nextOffset() < tailer.offset() + 100) {
                    appender.append(new byte[100]);
                }
                tailer.poll(record -> Action.CONTINUE, 10);
            } catch (InternalError e) {
                System.out.println("told late"); // before the file was looked at
            }
        }
    }

    /** Returns the finding of the cut; those of duties that met the fault come and go. */
    private static String cutFoundIn(LogStore store) {
        return store.findings().stream()
                .filter(each -> each.text().contains("was truncated while the store is open"))
                .map(Finding::text)
                .findFirst()
                .orElse(null);
    }

    /** Says why the appends ended, which Java may tell late. */
    private static void sayWhatStoppedIt(Throwable e) {
        if (e instanceof PoisonedException) {
            System.out.println("poisoned: " + e.getMessage());
        } else if (e instanceof ConcurrentModificationException) {
            System.out.println("late: the turn was not left"); // told in the middle of that
        } else if (e instanceof InternalError || isOfTheJdk(e)) {
            System.out.println("late: " + e.getMessage()); // Java tells it anywhere
        } else {
            throw (RuntimeException) e;
        }
    }

    /** Told within a write, it becomes what the JDK's own clean-up makes of it. */
    private static boolean isOfTheJdk(Throwable e) {
        return e.getStackTrace()[0].getClassName().startsWith("sun.nio.ch.");
    }

    private static void read(Partition partition) {
        int[] count = {0};
        try (Tailer tailer = partition.openTailer()) {
            while (tailer.poll(
                            record -> {
                                byte[] value = new byte[record.valueLength()];
                                record.getValue(value, 0);
                                count[0]++;
                                return Action.CONTINUE;
                            },
                            100)
                    > 0) {
                continue;
            }
            System.out.println("read all, " + count[0]);
        } catch (FirnException e) {
            System.out.println("read " + count[0] + ", then a FirnException");
        }
    }

    private static void readOne(Partition partition, long offset) {
        try (Tailer tailer = partition.openTailer()) {
            tailer.seek(offset);
            tailer.poll(record -> Action.CONTINUE, 1);
            System.out.println("read one");
        }
    }

    private static void cut(Path file, long length) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.setLength(length);
        }
    }

    @ParameterizedTest(name = "shouldPoisonWhenTheSegmentIsCutTo {0}")
    @ValueSource(ints = {0, 4096, 32 * 1024, 64 * 1024})
    void shouldPoisonWhenTheSegmentIsCutTo(int length) throws Exception {
        for (String durability : List.of("DURABLE", "WRITTEN")) {
            try (Jvm jvm =
                    new Jvm(
                            CutWhileAppending.class,
                            temporary.resolve(durability),
                            length,
                            durability)) {
                List<String> said = jvm.end();
                assertTrue(said.contains("append: PoisonedException"), said::toString);
                assertTrue(said.contains("durable true"), said::toString);
                assertTrue(said.contains("poisoned true"), said::toString);
                assertTrue(said.contains(LIVES), said::toString);
            }
        }
    }

    /** The largest length is that of a part of the first batch. */
    @ParameterizedTest(name = "shouldReadAroundASealedSegmentThatIsCutTo {0}, read before: {1}")
    @CsvSource({"0, true", "4096, true", "16384, true", "16384, false"})
    void shouldReadAroundASealedSegmentThatIsCutTo(int length, boolean isVerified)
            throws Exception {
        try (Jvm jvm = new Jvm(CutWhileReading.class, temporary, length, isVerified)) {
            List<String> said = jvm.end();
            assertTrue(said.contains(isVerified ? "read all, 30" : "read one"), said::toString);
            assertTrue(said.contains("read 6, then a FirnException"), said::toString);
            assertTrue(said.contains("after it 18"), said::toString);
            assertEquals(LIVES, said.get(said.size() - 1));
        }
    }

    /** The file is for other processes only. */
    @ParameterizedTest
    @ValueSource(strings = {"DURABLE", "WRITTEN"})
    void shouldSayThatThePublishedEndsAreCutAndAppendOn(String durability) throws Exception {
        try (Jvm jvm = new Jvm(CutEnds.class, temporary, durability)) {
            List<String> said = jvm.end();
            assertWentOnOrStopped(said, "appended on true");
            assertTrue(said.contains("reopened true"), said::toString);
        }
    }

    @ParameterizedTest(name = "shouldShowRecordsAgainAfterThePublishedEndsWereCutTo {0}")
    @ValueSource(ints = {0, 4096, 8192, 61_440})
    void shouldShowRecordsAgainAfterThePublishedEndsWereCut(int length) throws Exception {
        try (Jvm jvm = new Jvm(CutEndsOfReaders.class, temporary, length)) {
            assertWentOnOrStopped(jvm.end(), "seen, damage []");
        }
    }

    /**
     * Java tells of the fault late, in any frame. In the middle of an append, or on a thread of the
     * store's, that ends appends; in the caller's own nobody can catch it.
     */
    private static void assertWentOnOrStopped(List<String> said, String wentOn) {
        String all = said.toString();
        boolean isPoisoned = all.contains("poisoned: ");
        assertTrue(said.contains(wentOn) || isPoisoned || all.contains("late: "), all);
        assertTrue(!isPoisoned || all.contains("ends was truncated"), all);
        assertEquals(LIVES, said.get(said.size() - 1));
    }
}
