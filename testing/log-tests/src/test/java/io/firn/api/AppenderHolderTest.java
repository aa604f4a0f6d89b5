package io.firn.api;

import static io.firn.api.Stores.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.BusyException;
import io.firn.ClosedException;
import io.firn.ExclusiveAppender;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.host.AppenderHolder;
import io.firn.host.HostedPartition;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Shared appenders that are given up when an exclusive one is wanted. */
class AppenderHolderTest {
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

    /** Gives its appender up unless it is busy. */
    private static final class Holder implements AppenderHolder {
        volatile boolean isBusy;
        volatile int asked;

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // under the partition's lock
        public boolean giveUp() {
            asked++;
            return !isBusy;
        }

        @Override
        public String toString() {
            return "the holder of this test";
        }
    }

    private BusyException refused() {
        return assertThrows(BusyException.class, () -> partition.openExclusiveAppender());
    }

    @Test
    void shouldCloseWhatIsGivenUpAndOpenTheExclusiveAppender() {
        Holder holder = new Holder();
        Appender shared = HostedPartition.of(partition).openAppender(holder);
        shared.append(bytes("a"));
        try (ExclusiveAppender exclusive = partition.openExclusiveAppender()) {
            assertEquals(1, exclusive.append(bytes("b")));
            assertThrows(ClosedException.class, () -> shared.append(bytes("c")));
            shared.close();
            assertThrows(
                    BusyException.class, () -> HostedPartition.of(partition).openAppender(holder));
            refused();
        }
        assertEquals(1, holder.asked, "what is closed is not asked for");
        Appender again = HostedPartition.of(partition).openAppender(holder);
        assertEquals(2, again.append(bytes("c")));
        try (Appender other = partition.openAppender()) {
            assertEquals(3, other.append(bytes("d")));
        }
        again.close();
        partition.openExclusiveAppender().close();
        assertEquals(1, holder.asked);
    }

    @Test
    void shouldSayWhoHasTheSharedAppenderThatIsInUse() {
        Holder holder = new Holder();
        holder.isBusy = true;
        try (Appender shared = HostedPartition.of(partition).openAppender(holder)) {
            BusyException e = refused();
            assertTrue(e.getMessage().contains("the holder of this test"), e::getMessage);
            assertEquals(0, shared.append(bytes("a")));
            holder.isBusy = false;
            partition.openExclusiveAppender().close();
        }
    }

    @Test
    void shouldNotTakeAnAppenderWhereAnotherOneIsOpenAnyway() {
        Holder holder = new Holder();
        try (Appender shared = HostedPartition.of(partition).openAppender(holder);
                Appender other = partition.openAppender()) {
            refused();
            assertEquals(0, holder.asked);
            assertEquals(0, shared.append(bytes("a")));
            assertEquals(1, other.append(bytes("b")));
        }
    }
}
