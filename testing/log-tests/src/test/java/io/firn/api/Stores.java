package io.firn.api;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.RecordHandler.Action;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.medium.FileMedium;
import io.firn.open.StoreBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.FileVisitor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.NanoClock;

/** What most of these tests begin with. */
final class Stores {
    static final int SEGMENT_BYTES = 64 * 1024;

    /**
     * Pauses after failures, which a test would only wait for, are a tenth as long by this clock.
     */
    static final NanoClock FAST = () -> 10 * System.nanoTime();

    /** After so long something hangs; nothing is expected to take a time. */
    private Stores() {}

    /** A store in a directory, on a medium that forces nothing. */
    static LogStoreBuilder at(Path directory) {
        return at(directory, new ObservedMedium());
    }

    static LogStoreBuilder at(Path directory, FileMedium medium) {
        return StoreBuilder.over(directory.resolve("store"), medium)
                .tier(FileTier.at(tierOf(directory)).withMedium(medium).withDeclaredDurable());
    }

    static Path tierOf(Path directory) {
        return directory.resolve("tier");
    }

    /** DURABLE, with segments that are soon full. */
    static TopicOptions small() {
        return TopicOptions.defaults().withSegmentBytes(SEGMENT_BYTES).withMaxRecordBytes(32_000);
    }

    /** All files below a directory that are there now, while others may come and go. */
    static List<Path> filesIn(Path root) {
        List<Path> found = new ArrayList<>();
        FileVisitor<Path> visitor =
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        found.add(file);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFileFailed(Path file, IOException vanished) {
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path path, IOException vanished) {
                        return FileVisitResult.CONTINUE;
                    }
                };
        try {
            Files.walkFileTree(root, visitor);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }

    static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    static String text(byte[] bytes) {
        return bytes == null ? null : new String(bytes, UTF_8);
    }

    /** A value that says which one it is, of a length. */
    static byte[] numbered(long number, int length) {
        byte[] value = new byte[length];
        for (int i = 0; i < length; i++) {
            value[i] = (byte) (i < 8 ? number >>> (8 * i) : number + i);
        }
        return value;
    }

    /** Appends so many values made by {@link #numbered}, in batches of up to ten. */
    static void fill(Appender appender, int count, int length) {
        int each = Math.max(1, Math.min(10, 30_000 / length));
        var batch = appender.newBatch();
        for (int i = 0; i < count; i++) {
            batch.add(numbered(i, length));
            if (batch.count() == each || i == count - 1) {
                appender.append(batch);
                batch.clear();
            }
        }
    }

    /** Waits for a number of records and returns them. */
    static List<StoredRecord> read(Tailer tailer, int count) {
        List<StoredRecord> records = new ArrayList<>();
        await(
                count + " records",
                () -> {
                    tailer.poll(
                            record -> {
                                records.add(record.copy());
                                return Action.CONTINUE;
                            },
                            Math.max(1, count - records.size()),
                            Duration.ofMillis(100));
                    return records.size() >= count;
                });
        assertEquals(count, records.size());
        return records;
    }

    /** Reads what is there, without waiting. */
    static List<StoredRecord> readAll(Tailer tailer) {
        List<StoredRecord> records = new ArrayList<>();
        while (tailer.poll(
                        record -> {
                            records.add(record.copy());
                            return Action.CONTINUE;
                        },
                        1000)
                > 0) {
            continue;
        }
        return records;
    }

    static List<String> texts(List<StoredRecord> records) {
        return records.stream().map(record -> text(record.value())).toList();
    }

    static List<Long> offsets(List<StoredRecord> records) {
        return records.stream().map(StoredRecord::offset).toList();
    }

    static void await(String what, BooleanSupplier condition) {
        Waiting.await(what, condition);
    }

    /** Does the work of an invoker-mode store until there is none. */
    static void work(LogStore store) {
        await("the end of the work", () -> store.doWork() == 0);
    }

    /** Something that runs on a thread of its own. */
    static <T> Task<T> start(Callable<T> callable) {
        FutureTask<T> task = new FutureTask<>(callable);
        Thread thread = new Thread(task, "test");
        thread.setDaemon(true);
        thread.start();
        return new Task<>(task, thread);
    }

    record Task<T>(FutureTask<T> task, Thread thread) {
        T result() throws Exception {
            try {
                return task.get(HANGS_AFTER_S, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof Exception cause) {
                    throw cause;
                }
                throw (Error) e.getCause();
            } catch (TimeoutException e) {
                AssertionError hangs = new AssertionError("it hangs");
                hangs.setStackTrace(thread.getStackTrace());
                throw hangs;
            }
        }

        boolean isDone() {
            return task.isDone();
        }
    }
}
