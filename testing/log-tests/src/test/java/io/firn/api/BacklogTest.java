package io.firn.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Durability;
import io.firn.Finding;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PoisonedException;
import io.firn.TopicOptions;
import io.firn.host.BatchRun;
import io.firn.host.HostedPartition;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Appends to a medium that is slower than they are: what they fill is to be worked off first. */
class BacklogTest {
    private static final UnsafeBuffer VALUE = new UnsafeBuffer(new byte[10_000]);

    /** The least limit of a backlog. */
    private static final int LIMIT = 1 << 20;

    /** What a partition may have beyond it: a segment that was filled, and one that is. */
    private static final int MOST = LIMIT + 2 * Stores.SEGMENT_BYTES;

    private static final int MANY = 4 * LIMIT / VALUE.capacity();

    @TempDir private Path directory;
    private final ObservedMedium medium = new ObservedMedium();
    private final ManualClock clock = new ManualClock();
    private final Gate gate = new Gate();
    private LogStore store;

    @BeforeEach
    void open() {
        store = Stores.at(directory, medium).clock(clock).open();
        gate.shut();
    }

    @AfterEach
    void close() {
        gate.open();
        store.close();
    }

    private static TopicOptions options() {
        return Stores.small().withDurability(Durability.WRITTEN);
    }

    /** A tenth of what it keeps is less than the least limit. */
    private Partition created() {
        return store.createTopic("t", options().withRetentionBytes(LIMIT)).partition(0);
    }

    private static Object append(Partition partition, int count) {
        try (Appender appender = partition.openAppender()) {
            for (int i = 0; i < count; i++) {
                appender.append(VALUE, 0, VALUE.capacity());
            }
        }
        return null;
    }

    private boolean isBehind() {
        clock.advance(1_000);
        return store.findings().stream()
                .anyMatch(each -> each.kind() == Finding.Kind.BACKGROUND_BEHIND);
    }

    /** Whether appends wait, as it seems for ever. */
    private boolean isStuck(Partition partition, long[] seen) {
        long next = partition.nextOffset();
        boolean isSame = isBehind() && gate.held() > 0 && next == seen[0];
        seen[0] = next;
        seen[1] = isSame ? seen[1] + 1 : 0;
        return seen[1] > 100;
    }

    private Stores.Task<Object> startWaiting(Partition partition) {
        Stores.Task<Object> appending = Stores.start(() -> append(partition, MANY));
        long[] seen = new long[2];
        Stores.await("appends", () -> appending.isDone() || isStuck(partition, seen));
        assertFalse(appending.isDone(), "nothing has made them wait");
        try (Appender appender = partition.openAppender()) {
            assertEquals(Appender.BACK_PRESSURED, appender.tryAppend(VALUE, 0, VALUE.capacity()));
        }
        return appending;
    }

    private void assertBounded(Partition partition, long most) throws Exception {
        Stores.Task<Object> waiting = startWaiting(partition);
        long bytes = partition.nextOffset() * VALUE.capacity();
        assertTrue(bytes > LIMIT && bytes <= most, bytes + " bytes, at most " + most);
        assertTrue(partition.metrics().backlogBytes() > LIMIT);
        gate.open();
        waiting.result();
        assertEquals(MANY, partition.nextOffset());
        Stores.await("the end of the finding", () -> !isBehind());
        Stores.await("the backlog", () -> partition.metrics().backlogBytes() == 0);
    }

    @Test
    void shouldMakeAppendsWaitWhileFilledSegmentsAreNotSealed() throws Exception {
        medium.beforeForce(gate);
        assertBounded(created(), MOST);
    }

    @Test
    void shouldMakeAppendsWaitWhileSealedSegmentsHaveNotTheirFinalForm() throws Exception {
        holdRenamesTo(".log");
        assertBounded(created(), MOST);
    }

    @Test
    void shouldMakeAppendsWaitWhileSegmentsAreDeleted() throws Exception {
        holdRenamesTo(".deleted");
        assertBounded(created(), LIMIT + 2 * Stores.SEGMENT_BYTES + MOST);
    }

    private void holdRenamesTo(String ending) {
        medium.beforeRename(
                file -> {
                    if (file.toString().endsWith(ending)) {
                        gate.run(file);
                    }
                });
    }

    @Test
    void shouldNotWaitForWorkThatFails() {
        medium.beforeRename(
                file -> {
                    if (file.toString().endsWith(".log")) {
                        throw new IOException("on purpose");
                    }
                });
        Partition partition = created();
        append(partition, MANY);
        assertEquals(MANY, partition.nextOffset());
        medium.beforeRename(null);
    }

    @Test
    void shouldNotWaitForSegmentsThatAreRead() {
        Partition partition = created();
        append(partition, 1);
        try (BatchRun first = HostedPartition.of(partition).openBatchReader().read(0, 1, true)) {
            append(partition, MANY);
            assertTrue(first.bytes().hasRemaining());
        }
        assertTrue(partition.logStartOffset() > 0);
    }

    @Test
    void shouldNotMakeTheThreadWaitThatSeals() throws Exception {
        Partition partition = created();
        try (Appender appender = partition.openAppender()) {
            CompletableFuture<Object> appended =
                    appender.whenDurable(0).thenApply(durable -> append(partition, MANY));
            appender.append(VALUE, 0, VALUE.capacity());
            Waiting.get(appended);
        }
    }

    @Test
    void shouldFailTheAppendThatWaitsWhenASegmentCannotBeSealed() {
        medium.beforeForce(
                file -> {
                    gate.run(file);
                    throw new IOException("on purpose");
                });
        Stores.Task<Object> waiting = startWaiting(created());
        gate.open();
        assertThrows(PoisonedException.class, waiting::result);
    }
}
