package io.firn.trouble;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.Topic;
import io.firn.medium.FileErrors.OutOfDescriptorsException;
import io.firn.medium.FileMedium;
import io.firn.medium.FilterFileMedium;
import io.firn.medium.MediumFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log whose handler throws an Error for each line. */
class ThrowingLogTest {
    private static final Logger LOG = Logger.getLogger("io.firn");

    private final AtomicInteger lines = new AtomicInteger();
    private final Level before = LOG.getLevel();
    private final Handler handler =
            new Handler() {
                @Override
                public void publish(LogRecord line) {
                    lines.incrementAndGet();
                    throw new Error("the handler of the log fails");
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };

    @TempDir private Path directory;

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
    void log() {
        LOG.setLevel(Level.WARNING);
        LOG.setUseParentHandlers(false);
        LOG.addHandler(handler);
    }

    @AfterEach
    void restore() {
        LOG.removeHandler(handler);
        LOG.setUseParentHandlers(true);
        LOG.setLevel(before);
    }

    @Test
    void shouldGoOnInAShortageOfDescriptorsAndAfterIt() {
        Full medium = new Full();
        try (LogStore store = new Disk(directory, medium).open()) {
            Topic topic = store.createTopic(Disk.TOPIC, Disk.SMALL.withPartitions(2));
            try (Appender first = topic.partition(0).openExclusiveAppender();
                    Appender second = topic.partition(1).openExclusiveAppender()) {
                assertEquals(0, first.append(Disk.value(0)));
                medium.isFull = true;
                DirectBuffer value = new UnsafeBuffer(Disk.value(0));
                while (!store.findings().toString().contains("ulimit")) {
                    assertTrue(second.tryAppend(value, 0, value.capacity()) < 0);
                }
                assertFalse(store.findings().toString().contains("ended"), store.findings() + "");
                assertEquals(1, first.append(Disk.value(1)));
                medium.isFull = false;
                assertEquals(0, second.append(Disk.value(0)));
            }
        }
        assertTrue(lines.get() > 0, "lines: " + lines);
    }
}
