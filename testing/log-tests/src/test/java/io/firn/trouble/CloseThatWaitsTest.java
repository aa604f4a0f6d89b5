package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.ClosedException;
import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.LogStore.MoveOutcome;
import io.firn.Partition;
import io.firn.Topic;
import io.firn.file.FileTier;
import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.FilterFileMedium.FilterMediumFile;
import io.firn.medium.MediumFile;
import io.firn.open.StoreBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Closes that meet something that does not end: they say what, and can be repeated. */
class CloseThatWaitsTest {
    private static final Logger LOG = Logger.getLogger("io.firn");

    @TempDir private Path directory;

    /** A file system on which a write takes as long as the test wants. */
    private static final class Slow extends FilterFileMedium {
        private final CountDownLatch writes = new CountDownLatch(1);
        private final CountDownLatch goesOn = new CountDownLatch(1);
        private volatile boolean isSlow;

        Slow() {
            super(FileMedium.real());
        }

        @Override
        protected MediumFile wrap(Path path, MediumFile file) {
            return new FilterMediumFile(file) {
                @Override
                public void write(long position, ByteBuffer source) throws IOException {
                    if (isSlow) {
                        writes.countDown();
                        try {
                            goesOn.await();
                        } catch (InterruptedException e) {
                            throw new IOException(e);
                        }
                    }
                    super.write(position, source);
                }
            };
        }
    }

    @Test
    void shouldGiveUpAndSayWhoHoldsTheTurnAndCloseWhenCalledAgain() throws Exception {
        Level before = LOG.getLevel();
        LOG.setLevel(Level.OFF);
        Slow medium = new Slow();
        AtomicLong minutes = new AtomicLong();
        LogStore store =
                new Disk(directory, medium)
                        .builder()
                        .nanoClock(() -> minutes.getAndIncrement() * 60_000_000_000L)
                        .open();
        Partition partition = Disk.partition(store);
        Appender appender = partition.openExclusiveAppender();
        appender.append(Disk.value(0));
        medium.isSlow = true;
        Thread writer = new Thread(() -> appender.append(Disk.value(1)), "slow-writer");
        writer.start();
        medium.writes.await();

        FirnException ofAppender = assertThrows(FirnException.class, appender::close);
        assertTrue(ofAppender.getMessage().contains("slow-writer"), ofAppender.getMessage());
        FirnException ofStore = assertThrows(FirnException.class, store::close);
        assertTrue(ofStore.getMessage().contains("slow-writer"), ofStore.getMessage());
        assertTrue(ofStore.getMessage().contains("t-0"), ofStore.getMessage());
        assertThrows(FirnException.class, () -> new Disk(directory, medium).open());

        medium.goesOn.countDown();
        medium.isSlow = false;
        writer.join();
        appender.close();
        store.close();
        try (LogStore again = new Disk(directory).open()) {
            assertEquals(2, Found.in(Disk.partition(again)).records().size());
        } finally {
            LOG.setLevel(before);
        }
    }

    @Test
    void shouldRefuseToCloseInTheControlOfAMove() {
        try (LogStore store =
                StoreBuilder.over(directory.resolve("store"), FileMedium.real())
                        .tier(FileTier.at(directory.resolve("hot")))
                        .tier(FileTier.at(directory.resolve("cold")))
                        .open()) {
            Partition partition = Disk.partition(store);
            Disk.append(partition, 20);
            MoveOutcome outcome = MoveOutcome.NOT_SEALED;
            while (outcome == MoveOutcome.NOT_SEALED) {
                outcome =
                        store.migrate(
                                Disk.TOPIC,
                                0,
                                0,
                                "tier-1",
                                (copied, total, next) -> {
                                    assertThrows(IllegalStateException.class, store::close);
                                    return 0;
                                });
            }
            assertEquals(MoveOutcome.MOVED, outcome);
        }
    }

    @Test
    void shouldNotAnswerForTheCursorsOfAClosedStore() {
        LogStore store = new Disk(directory).open();
        Topic topic = store.createTopic(Disk.TOPIC, Disk.SMALL);
        store.close();
        assertThrows(ClosedException.class, () -> topic.hasCursor("reader"));
        assertThrows(ClosedException.class, topic::cursorNames);
    }
}
