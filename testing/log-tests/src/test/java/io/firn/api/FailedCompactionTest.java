package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.CleanupPolicy;
import io.firn.Finding;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PartitionReader.CompactionMetrics;
import io.firn.TopicOptions;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.FilterFileMedium.FilterMediumFile;
import io.firn.medium.MediumFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a store does after a compaction has ended with an error. */
class FailedCompactionTest {
    private final ManualClock clock = new ManualClock();
    private final FailingMedium medium = new FailingMedium();
    private final KeyedRecords records = new KeyedRecords(7, 100, 20);

    @TempDir Path directory;

    /** Throws an error when a copy is written. */
    private static final class FailingMedium extends FilterFileMedium {
        private volatile Error error;
        private final AtomicInteger thrown = new AtomicInteger();

        FailingMedium() {
            super(new ObservedMedium());
        }

        @Override
        protected MediumFile wrap(Path path, MediumFile file) {
            boolean isCopy = path.getParent().toString().endsWith(".copy");
            return new FilterMediumFile(file) {
                @Override
                public void write(long position, byte[] source, int offset, int length)
                        throws IOException {
                    Error now = error;
                    if (isCopy && now != null) {
                        thrown.incrementAndGet();
                        throw now;
                    }
                    super.write(position, source, offset, length);
                }
            };
        }
    }

    private LogStore open() {
        LogStore store = Stores.at(directory, medium).clock(clock).open();
        store.ensureTopic("t", options());
        return store;
    }

    private static TopicOptions options() {
        return Stores.small().withCleanup(CleanupPolicy.COMPACT).withMinDirtyRatio(0);
    }

    /** Appends until a few segments are sealed. */
    private void append(LogStore store, String topic, KeyedRecords some) {
        try (Appender appender = store.openTopic(topic).partition(0).openAppender()) {
            some.append(appender, 1_000, clock.time());
        }
        clock.advance(3_600_000); // after any pause
    }

    /** Lets the thread that compacts do what was called before. */
    private void compactAnother(LogStore store) {
        store.ensureTopic("other", options());
        append(store, "other", new KeyedRecords(8, 100, 20));
        Stores.await("the other topic", () -> metrics(store, "other").runs() > 0);
    }

    private static CompactionMetrics metrics(LogStore store, String topic) {
        return store.openTopic(topic).partition(0).metrics().compaction().orElseThrow();
    }

    private static List<Finding> findings(LogStore store) {
        return store.findings().stream()
                .filter(each -> each.text().contains("compaction"))
                .toList();
    }

    @Test
    void shouldCompactAPartitionNoMoreAfterAnErrorUntilItIsAskedFor() {
        try (LogStore store = open()) {
            medium.error = new OutOfMemoryError("injected");
            append(store, "t", records);
            Stores.await("the error", () -> metrics(store, "t").failure().isPresent());
            assertSame(medium.error, metrics(store, "t").failure().orElseThrow());
            assertEquals(1, medium.thrown.get());
            Stores.await("the finding", () -> !findings(store).isEmpty());
            List<Finding> findings = findings(store);
            assertEquals(1, findings.size(), findings.toString());
            assertTrue(
                    findings.get(0).text().contains("OutOfMemoryError: injected"),
                    findings.toString());
            assertTrue(findings.get(0).text().contains("on request"), findings.toString());

            assertThrows(OutOfMemoryError.class, () -> store.compact("t", 0));
            medium.error = null;
            append(store, "t", records);
            compactAnother(store);
            assertEquals(0, metrics(store, "t").runs());
            assertEquals(findings, findings(store));

            store.compact("t", 0);
            assertTrue(metrics(store, "t").failure().isEmpty());
            assertEquals(List.of(), findings(store));
            append(store, "t", records);
            Stores.await("a compaction by itself", () -> metrics(store, "t").runs() > 1);
            assertAllThere(store);
        }
    }

    @Test
    void shouldCompactAPartitionAgainAfterAnErrorWhenTheStoreIsOpenedAgain() {
        try (LogStore store = open()) {
            medium.error = new StackOverflowError("injected");
            append(store, "t", records);
            Stores.await("the error", () -> metrics(store, "t").failure().isPresent());
            medium.error = null;
        }
        try (LogStore store = open()) {
            append(store, "t", records);
            Stores.await("a compaction by itself", () -> metrics(store, "t").runs() > 0);
            assertTrue(metrics(store, "t").failure().isEmpty());
            assertAllThere(store);
        }
    }

    private void assertAllThere(LogStore store) {
        Partition partition = store.openTopic("t").partition(0);
        records.assertLeft(partition, 0, false);
    }
}
