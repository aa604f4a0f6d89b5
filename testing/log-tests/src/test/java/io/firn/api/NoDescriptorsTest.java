package io.firn.api;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.StoreFullException;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.medium.FileErrors.OutOfDescriptorsException;
import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.FilterFileMedium.FilterMediumFile;
import io.firn.medium.MediumFile;
import io.firn.open.StoreBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that has too many open files waits; its log is none the worse for it. */
class NoDescriptorsTest {
    @TempDir Path directory;
    private final Scarce medium = new Scarce();

    /** A file system on which files cannot be opened for a number of times. */
    private static final class Scarce extends FilterFileMedium {
        private final AtomicInteger refuseWrites = new AtomicInteger();
        private final AtomicInteger refuseFiles = new AtomicInteger();

        Scarce() {
            super(FileMedium.real());
        }

        private static void refuse(AtomicInteger left, Path path) throws IOException {
            if (left.get() > 0 && left.getAndDecrement() > 0) {
                throw new OutOfDescriptorsException(path, new IOException("Too many open files"));
            }
        }

        @Override
        public MediumFile create(Path file) throws IOException {
            refuse(refuseFiles, file);
            return super.create(file);
        }

        @Override
        public MediumFile open(Path file, boolean writable) throws IOException {
            refuse(refuseFiles, file);
            return super.open(file, writable);
        }

        @Override
        protected MediumFile wrap(Path path, MediumFile file) {
            return new FilterMediumFile(file) {
                @Override
                public void write(long position, ByteBuffer source) throws IOException {
                    refuse(refuseWrites, path);
                    super.write(position, source);
                }
            };
        }
    }

    private LogStore open() {
        return LogStore.at(directory.resolve("store"))
                .tier(FileTier.at(directory.resolve("tier")).withMedium(medium))
                .nanoClock(Stores.FAST)
                .open();
    }

    /** The store's own files, too, cannot be opened. */
    private LogStore openOnScarceMedium() {
        return StoreBuilder.over(directory.resolve("store"), medium)
                .tier(FileTier.at(directory.resolve("tier")).withMedium(medium))
                .nanoClock(Stores.FAST)
                .open();
    }

    private static TopicOptions small() {
        return TopicOptions.defaults().withSegmentBytes(256 << 10).withMaxRecordBytes(100_000);
    }

    @Test
    void shouldAppendWhatCouldNotBeWrittenForALackOfDescriptors() throws Exception {
        try (LogStore store = open()) {
            Partition partition = store.createTopic("orders", small()).partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                appender.append(new byte[50_000]); // large ones are written by a call
                medium.refuseWrites.set(5);
                for (int i = 0; i < 10; i++) {
                    appender.append(new byte[50_000]);
                }
                assertEquals(0, Math.max(0, medium.refuseWrites.get()));
                assertEquals(11, partition.durableOffset());
            }
            assertFalse(partition.metrics().isPoisoned());
        }
        try (LogStore store = open()) {
            assertEquals(11, store.openTopic("orders").partition(0).nextOffset());
        }
    }

    @Test
    void shouldKeepATopicWritableThatCannotBeDeletedForALackOfDescriptors() {
        try (LogStore store = openOnScarceMedium()) {
            Partition partition = store.createTopic("orders", small()).partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                appender.append(new byte[100]);
                medium.refuseFiles.set(Integer.MAX_VALUE);
                FirnException refused =
                        assertThrows(FirnException.class, () -> store.deleteTopic("orders"));
                assertTrue(refused.getMessage().contains("ulimit -n"), refused.getMessage());
                medium.refuseFiles.set(0);
                appender.append(new byte[100]);
            }
            assertEquals(2, partition.durableOffset());
        }
        try (LogStore store = open()) {
            assertEquals(2, store.openTopic("orders").partition(0).nextOffset());
            store.deleteTopic("orders");
        }
        try (LogStore store = open()) {
            assertFalse(store.hasTopic("orders"));
        }
    }

    @Test
    void shouldFailAnAppendThatFindsNoDescriptorForLongAndAppendWhenThereIsOne() throws Exception {
        try (LogStore store = open()) {
            Partition partition = store.createTopic("orders", small()).partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                medium.refuseFiles.set(Integer.MAX_VALUE); // there is no segment yet
                checkFails(appender);
                medium.refuseFiles.set(0);
                assertEquals(0, appender.append(new byte[50_000]));
                medium.refuseWrites.set(Integer.MAX_VALUE);
                checkFails(appender);
                medium.refuseWrites.set(0);
                assertEquals(1, appender.append(new byte[50_000]));
            } finally {
                medium.refuseFiles.set(0);
                medium.refuseWrites.set(0);
            }
        }
        try (LogStore store = open()) {
            assertEquals(2, store.openTopic("orders").partition(0).nextOffset());
        }
    }

    private static void checkFails(Appender appender) throws Exception {
        CompletableFuture<Long> append =
                CompletableFuture.supplyAsync(() -> appender.append(new byte[50_000]));
        ExecutionException failed =
                assertThrows(
                        ExecutionException.class,
                        () -> append.get(HANGS_AFTER_S, TimeUnit.SECONDS));
        StoreFullException why = assertInstanceOf(StoreFullException.class, failed.getCause());
        assertTrue(why.getMessage().contains("ulimit -n"), why.getMessage());
        assertTrue(why.getMessage().contains("nothing is appended"), why.getMessage());
    }

    @Test
    void shouldForceAndSealWhenFilesCanBeOpenedAgain() throws Exception {
        try (LogStore store = open()) {
            Partition partition = store.createTopic("orders", small()).partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                CompletableFuture<?> last = null;
                for (int i = 0; i < 40; i++) { // several segments
                    medium.refuseFiles.set(i % 10 == 0 ? 3 : 0);
                    long offset = Appender.BACK_PRESSURED;
                    while (offset == Appender.BACK_PRESSURED) {
                        offset = tryAppend(appender);
                    }
                    last = appender.whenDurable(offset);
                }
                last.get(HANGS_AFTER_S, TimeUnit.SECONDS);
                assertEquals(40, partition.durableOffset());
            }
            assertFalse(partition.metrics().isPoisoned());
        }
    }

    /** While no segment can be reserved, the store says that it is full, and later goes on. */
    private static long tryAppend(Appender appender) {
        try {
            return appender.tryAppend(new UnsafeBuffer(new byte[50_000]), 0, 50_000);
        } catch (StoreFullException e) {
            return Appender.BACK_PRESSURED;
        }
    }
}
