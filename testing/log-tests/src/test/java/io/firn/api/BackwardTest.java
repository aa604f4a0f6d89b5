package io.firn.api;

import static io.firn.api.Stores.numbered;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Compression;
import io.firn.InvalidOptionException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.kafka.CompactedFiles;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading backwards. */
class BackwardTest {
    @TempDir private Path directory;
    private LogStore store;
    private Partition partition;

    @BeforeEach
    void open() {
        store = Stores.at(directory).open();
        partition = store.createTopic("t", Stores.small()).partition(0);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void fill(int count, int length) {
        try (Appender appender = partition.openExclusiveAppender()) {
            Stores.fill(appender, count, length);
        }
    }

    private static void assertBackwards(Iterator<StoredRecord> records, long from, long to) {
        for (long offset = from - 1; offset >= to; offset--) {
            assertTrue(records.hasNext(), "at " + offset);
            StoredRecord record = records.next();
            assertEquals(offset, record.offset());
            byte[] value = record.value();
            assertArrayEquals(numbered(offset, value.length), value);
        }
        assertFalse(records.hasNext());
        assertThrows(NoSuchElementException.class, records::next);
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 700, 20_000})
    void shouldReadAllBackwardsAcrossBatchesAndSegments(int length) {
        int count = 6_000_000 / length / (length < 100 ? 30 : 5);
        fill(count, length);
        assertTrue(partition.metrics().segments() > 3);
        Tailer tailer = partition.openTailer();
        tailer.seekToEnd();
        assertBackwards(tailer.backwards(), count, 0);
        tailer.seek(count / 2);
        assertBackwards(tailer.backwards(), count / 2, 0);
        tailer.seek(0);
        assertBackwards(tailer.backwards(), 0, 0);
    }

    @Test
    void shouldReadCompressedBatchesBackwards() {
        Partition packed =
                store.createTopic("gzip", Stores.small().withCompression(Compression.GZIP))
                        .partition(0);
        try (Appender appender = packed.openExclusiveAppender()) {
            Stores.fill(appender, 5_000, 50);
        }
        Tailer tailer = packed.openTailer();
        tailer.seekToEnd();
        assertBackwards(tailer.backwards(), 5_000, 0);
    }

    @Test
    void shouldLeaveTheTailerAtTheRecordThatWasReturnedLast() {
        fill(100, 50);
        Tailer tailer = partition.openTailer();
        tailer.seek(60);
        Iterator<StoredRecord> records = tailer.backwards();
        assertTrue(records.hasNext());
        assertEquals(60, tailer.offset(), "nothing was returned");
        assertEquals(59, records.next().offset());
        assertEquals(58, records.next().offset());
        assertEquals(58, tailer.offset());
        List<Long> forwards = new ArrayList<>();
        tailer.poll(
                record -> {
                    forwards.add(record.offset());
                    return Action.CONTINUE;
                },
                2);
        assertEquals(List.of(58L, 59L), forwards);
    }

    @Test
    void shouldEndAtTheLogStart() {
        fill(100, 50);
        partition.deleteRecordsBefore(33);
        Tailer tailer = partition.openTailer();
        tailer.seekToLast(5);
        assertBackwards(tailer.backwards(), 95, 33);
        tailer.seekToStart();
        assertFalse(tailer.backwards().hasNext());
        tailer.seek(10);
        assertFalse(tailer.backwards().hasNext(), "all of it is gone");
        for (long behindTheEnd : new long[] {101, 1_000, Long.MAX_VALUE}) {
            tailer.seek(behindTheEnd);
            assertBackwards(tailer.backwards(), 100, 33);
        }
    }

    @Test
    void shouldRefuseSeveralPartitionsWhoseOrderIsNotKnown() {
        Tailer tailer = store.createTopic("two", Stores.small().withPartitions(2)).openTailer();
        assertThrows(InvalidOptionException.class, tailer::backwards);
    }

    /** Each record is handed out once, and each piece costs a search: no square of anything. */
    @Test
    void shouldReadEachRecordOnce() {
        int count = 20_000;
        fill(count, 20);
        Tailer tailer = partition.openTailer();
        tailer.seekToEnd();
        long[] calls = new long[2];
        Tailer counting = counting(tailer, calls);
        assertBackwards(counting.backwards(), count, 0);
        assertEquals(count, calls[1]);
        assertTrue(calls[0] < 30, "pieces: " + calls[0]);
    }

    /** Counts polls, and what they hand out. */
    private static Tailer counting(Tailer tailer, long[] calls) {
        return (Tailer)
                Proxy.newProxyInstance(
                        Tailer.class.getClassLoader(),
                        new Class<?>[] {Tailer.class},
                        (proxy, method, args) -> {
                            if (method.getName().equals("backwards")) {
                                return java.lang.reflect.InvocationHandler.invokeDefault(
                                        proxy, method, args);
                            }
                            Object result;
                            try {
                                result = method.invoke(tailer, args);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                            if (method.getName().equals("poll")) {
                                calls[0]++;
                                calls[1] += (int) result;
                            }
                            return result;
                        });
    }

    /** A batch of the gap's offsets each way would take a minute. */
    @Test
    void shouldSkipALongGapThatCompactionHasLeftInFewSteps() throws IOException {
        fill(100, 20);
        store.close();
        Path files = CompactedFiles.partitionsOf(Stores.tierOf(directory)).get(0);
        CompactedFiles.rewrite(files, record -> record.offset() < 50);
        long end = CompactedFiles.addFillers(files, 100, 1_000, 1_000_000);
        store = Stores.at(directory).open();
        partition = store.openTopic("t").partition(0);
        Tailer tailer = partition.openTailer();
        tailer.seekToEnd();
        assertEquals(end, tailer.offset());
        long[] calls = new long[2];
        assertBackwards(counting(tailer, calls).backwards(), 50, 0);
        assertTrue(calls[0] < 150, "polls: " + calls[0]);
    }
}
