package io.firn.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PartitionReader.TimestampedOffset;
import io.firn.log.InMemory;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The largest timestamp is that of a record which can be read. */
class LatestTimestampTest {
    private LogStore store;
    private Partition partition;
    private Appender appender;

    @BeforeEach
    void open() {
        store = InMemory.store().open();
        partition = store.createTopic("t", InMemory.small()).partition(0);
        appender = partition.openAppender();
    }

    @AfterEach
    void close() {
        appender.close();
        store.close();
    }

    private void append(long... timestamps) {
        appender.append(batch(timestamps));
    }

    private Batch batch(long... timestamps) {
        Batch batch = appender.newBatch();
        for (long timestamp : timestamps) {
            batch.value(new byte[100]).timestamp(timestamp).add();
        }
        return batch;
    }

    private void assertLatest(long offset, long timestamp) {
        assertEquals(new FoundTimestamp(offset, timestamp), partition.findLatestTimestamp());
    }

    @Test
    void shouldFindTheLatestVisibleRecordWhenALaterOneIsNotDurableYet() {
        append(1000);
        append(500);

        appender.tryAppend(batch(2000));

        assertLatest(0, 1000);
        partition.force();
        assertLatest(2, 2000);
    }

    @Test
    void shouldFindTheLatestReadableRecordWhenALaterOneIsBelowTheLogStart() {
        append(1000);
        append(500);
        append(700, 600);

        partition.deleteRecordsBefore(1);
        assertLatest(2, 700);
        partition.deleteRecordsBefore(3); // in the middle of a batch
        assertLatest(3, 600);
        partition.deleteRecordsBefore(4);
        assertNull(partition.findLatestTimestamp());
    }

    @Test
    void shouldFindTheFirstOfSeveralRecordsWithTheLargestTimestamp() {
        append(5, 9, 9);
        append(9);

        assertLatest(1, 9);
    }

    @Test
    void shouldAgreeWithALookAtAllRecordsWhateverTheTimestampsAre() {
        Random random = new Random(1);
        long[] timestamps = new long[4000];
        int count = 0;
        long start = 0;
        while (count < timestamps.length - 5) {
            long[] some = new long[1 + random.nextInt(4)];
            for (int i = 0; i < some.length; i++) {
                some[i] = random.nextInt(3) == 0 ? random.nextInt(4000) : count;
                timestamps[count++] = some[i];
            }
            boolean isDurable = random.nextInt(4) > 0;
            if (isDurable) {
                append(some);
            } else {
                while (appender.tryAppend(batch(some)) < 0) {
                    store.doWork();
                }
            }
            if (random.nextInt(20) == 0) {
                start += random.nextInt((int) (partition.durableOffset() - start) + 1);
                partition.deleteRecordsBefore(start);
            }
            if (random.nextInt(5) == 0) {
                assertEquals(
                        latest(timestamps, start, (int) partition.visibleOffset()),
                        partition.findLatestTimestamp());
            }
            if (random.nextInt(10) == 0) {
                store.doWork();
            }
        }
    }

    private static TimestampedOffset latest(long[] timestamps, long start, int end) {
        int latest = -1;
        for (int i = (int) start; i < end; i++) {
            latest = latest < 0 || timestamps[i] > timestamps[latest] ? i : latest;
        }
        return latest < 0 ? null : new FoundTimestamp(latest, timestamps[latest]);
    }
}
