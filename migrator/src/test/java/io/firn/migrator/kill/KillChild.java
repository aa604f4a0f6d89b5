package io.firn.migrator.kill;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.Cursor;
import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.OffsetOutOfRangeException;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.UnknownTopicException;
import io.firn.migrator.Migrator;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The JVM that is killed. It appends to all topics, reads each from its start again and again,
 * deletes, and has segments moved all the while. Through its standard output it says what was
 * acknowledged: for each, the topic's number and the offset after it.
 */
final class KillChild {
    static final int REPORT_BYTES = 9;

    private final LogStore store;
    private final int round;
    private final OutputStream out;

    private KillChild(LogStore store, int round, OutputStream out) {
        this.store = store;
        this.round = round;
        this.out = out;
    }

    /** Run by {@link TiersKill} with the directory and the round's number. */
    public static void main(String[] arguments) {
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, e) -> {
                    e.printStackTrace();
                    Runtime.getRuntime().halt(3);
                });
        int round = Integer.parseInt(arguments[1]);
        LogStore store = KillStore.at(Path.of(arguments[0])).open();
        Migrator.of(store)
                .policy(KillStore.policy(round))
                .threads(2)
                .interval(Duration.ofMillis(10))
                .start();
        new KillChild(store, round, new FileOutputStream(FileDescriptor.out)).run();
    }

    private void run() {
        for (String name : KillStore.TOPICS) {
            store.ensureTopic(name, KillStore.options(name));
        }
        report(-1, 0);
        for (String name : KillStore.TOPICS) {
            if (!name.equals(KillStore.MORTAL)) {
                new Thread(() -> append(name)).start();
                new Thread(() -> readAgainAndAgain(name)).start();
            }
        }
        new Thread(this::makeAndDelete).start();
    }

    private void report(int topic, long offset) {
        byte[] bytes = ByteBuffer.allocate(REPORT_BYTES).put((byte) topic).putLong(offset).array();
        try {
            synchronized (out) {
                out.write(bytes); // one call: whole or not at all
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the parent is gone", e);
        }
    }

    private void append(String name) {
        SplittableRandom random = new SplittableRandom(round);
        Topic topic = store.openTopic(name);
        Partition partition = topic.partition(0);
        try (Appender appender = partition.openExclusiveAppender()) {
            Batch batch = appender.newBatch();
            while (true) {
                batch.clear();
                int count = 1 + random.nextInt(6);
                long first = partition.nextOffset();
                for (int i = 0; i < count; i++) {
                    batch.add(KillStore.value(name, first + i));
                }
                if (appender.append(batch) != first) {
                    throw new AssertionError(name + ": another offset than " + first);
                }
                report(KillStore.TOPICS.indexOf(name), first + count);
                if (random.nextInt(200) == 0) {
                    long start = partition.logStartOffset();
                    long keep = Math.max(start, first - 3_000);
                    partition.deleteRecordsBefore(keep);
                }
            }
        }
    }

    /** What a reader sees in the middle of moves is what there is: every record once, in order. */
    private void readAgainAndAgain(String name) {
        Topic topic = store.openTopic(name);
        Partition partition = topic.partition(0);
        Cursor cursor = topic.cursor("reader");
        long[] next = {0};
        while (true) {
            Tailer tailer = partition.openTailer();
            next[0] = tailer.offset();
            try {
                int taken;
                do {
                    taken =
                            tailer.poll(
                                    record -> {
                                        byte[] found = record.copy().value();
                                        byte[] due = KillStore.value(name, next[0]);
                                        if (record.offset() != next[0]++
                                                || !Arrays.equals(found, due)) {
                                            throw new AssertionError(
                                                    name + ": wrong record at " + (next[0] - 1));
                                        }
                                        return Action.CONTINUE;
                                    },
                                    100);
                    cursor.commit(0, next[0]);
                } while (taken > 0);
            } catch (OffsetOutOfRangeException e) {
                continue; // deleted just now
            }
        }
    }

    private void makeAndDelete() {
        while (true) {
            Topic topic = store.ensureTopic(KillStore.MORTAL, KillStore.options(""));
            Partition partition = topic.partition(0);
            try (Appender appender = partition.openExclusiveAppender()) {
                for (int i = 0; i < 600; i++) {
                    appender.append(KillStore.value(KillStore.MORTAL, partition.nextOffset()));
                }
            } catch (UnknownTopicException e) {
                throw new AssertionError(e);
            } catch (FirnException e) {
                throw new AssertionError("no tier is ever full", e);
            }
            store.deleteTopic(KillStore.MORTAL);
        }
    }
}
