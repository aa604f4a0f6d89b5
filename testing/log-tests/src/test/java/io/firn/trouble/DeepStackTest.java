package io.firn.trouble;

import static io.firn.api.Waiting.HANGS_AFTER_S;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.Claim;
import io.firn.Durability;
import io.firn.ExclusiveAppender;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PoisonedException;
import io.firn.Topic;
import io.firn.TopicOptions;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Appends at the bottom of a thread's stack, at each depth from which some calls still work. */
class DeepStackTest {
    private static final Logger LOG = Logger.getLogger("io.firn");
    private static final int PARTITIONS = 600;
    private static final int DEPTHS = 500;
    private static final long STACK_BYTES = 256 << 10;

    @TempDir private Path directory;

    /** Something that is done with a partition's appender, deep down. */
    @FunctionalInterface
    private interface Operation {
        void run(Appender appender);
    }

    /** More than any stack of this size has room for. */
    private static final int TOO_DEEP = 1_000_000;

    private static int left;

    private static int descend(int depth, Runnable then) {
        left = depth;
        if (depth <= 0) {
            then.run();
            return 0;
        }
        return descend(depth - 1, then) + 1;
    }

    /** Another size of frames, so that the depths differ by less than one of them. */
    private static long descendWider(int depth, Runnable then, long a, long b) {
        left = depth;
        if (depth <= 0) {
            then.run();
            return a + b;
        }
        return descendWider(depth - 1, then, b, a + 1) + a;
    }

    /** The depth at which the stack ends now; it grows as methods are compiled. */
    private static int limit(boolean wider) {
        Runnable nothing = () -> {};
        try {
            return wider ? (int) descendWider(TOO_DEEP, nothing, 1, 2) : descend(TOO_DEEP, nothing);
        } catch (StackOverflowError e) {
            return TOO_DEEP - left;
        }
    }

    private void run(TopicOptions options, boolean exclusive, Operation operation)
            throws InterruptedException {
        AtomicReference<Throwable> failed = new AtomicReference<>();
        Thread thread =
                new Thread(
                        null,
                        () -> {
                            try {
                                runDeep(options, exclusive, operation);
                            } catch (Throwable e) {
                                failed.set(e);
                            }
                        },
                        "deep",
                        STACK_BYTES);
        thread.setDaemon(true);
        thread.start();
        thread.join(TimeUnit.SECONDS.toMillis(HANGS_AFTER_S));
        String where = Arrays.toString(thread.getStackTrace());
        assertFalse(thread.isAlive(), where);
        assertNull(failed.get());
    }

    private void runDeep(TopicOptions options, boolean exclusive, Operation operation) {
        Level before = LOG.getLevel();
        LOG.setLevel(Level.OFF);
        try (LogStore store = new Disk(directory).builder().forceThreads(1).open()) {
            Topic topic = store.createTopic("deep", options.withPartitions(PARTITIONS));
            int next = 0;
            Appender appender = open(topic.partition(next), exclusive);
            int overflows = 0;
            for (int i = 0; i < DEPTHS; i++) {
                Appender used = appender;
                Runnable then = () -> operation.run(used);
                boolean wider = i % 2 == 1;
                int depth = limit(wider) - i / 2;
                try {
                    if (wider) {
                        descendWider(depth, then, 1, 2);
                    } else {
                        descend(depth, then);
                    }
                } catch (StackOverflowError e) {
                    overflows++;
                } catch (PoisonedException e) {
                    overflows++; // caught on the way
                } catch (ArrayIndexOutOfBoundsException e) {
                    overflows++; // FileChannel removes a thread that it had no stack to add
                }
                if (!works(appender)) {
                    appender.close();
                    appender = open(topic.partition(++next), exclusive);
                }
            }
            appender.close();
            assertTrue(overflows > 10, "overflows: " + overflows);
        } finally {
            LOG.setLevel(before);
        }
    }

    private static Appender open(Partition partition, boolean exclusive) {
        Appender appender =
                exclusive ? partition.openExclusiveAppender() : partition.openAppender();
        appender.append(new byte[9]);
        return appender;
    }

    /** Appends work, or are refused with an error that says why. */
    private static boolean works(Appender appender) {
        try {
            long offset = appender.append(new byte[9]);
            assertEquals(offset + 1, appender.append(new byte[9]));
            return true;
        } catch (PoisonedException e) {
            return false;
        } catch (IllegalStateException e) {
            assertTrue(e.getMessage().contains("claim"), e.getMessage());
            return false;
        }
    }

    private static TopicOptions written() {
        return Disk.SMALL.withDurability(Durability.WRITTEN);
    }

    private static void appendBatch(Appender appender) {
        Batch batch = appender.newBatch();
        batch.add(new byte[3], new byte[9]);
        appender.append(batch);
    }

    private static void claim(Appender appender) {
        Claim claim = ((ExclusiveAppender) appender).tryClaim(9);
        if (claim != null) {
            claim.commit();
        }
    }

    /**
     * In a JVM of its own, whose code is compiled by this alone; and in one that only interprets,
     * where each method needs a frame, so that more of them meet the end.
     */
    @ParameterizedTest
    @ValueSource(strings = {"-Xmixed", "-Xint"})
    void shouldGiveBackTheTurnAndTheGateWhereNoStackIsLeft(String mode) throws Exception {
        try (Jvm child = new Jvm(List.of(mode), DeepAppends.class, directory)) {
            assertTrue(child.end().contains("gave back"));
        }
    }

    /** Appends in each way. */
    static final class DeepAppends {
        private DeepAppends() {}

        public static void main(String[] arguments) throws InterruptedException {
            DeepStackTest test = new DeepStackTest();
            test.directory = Path.of(arguments[0]);
            test.runIn("shared", written(), false, appender -> appender.append(new byte[9]));
            test.runIn("durable", Disk.SMALL, true, appender -> appender.append(new byte[9]));
            test.runIn(
                    "async",
                    written(),
                    true,
                    each -> each.tryAppend(new UnsafeBuffer(new byte[9]), 0, 9));
            test.runIn("batch", written(), false, DeepStackTest::appendBatch);
            test.runIn("claim", written(), true, DeepStackTest::claim);
            System.out.println("gave back");
        }
    }

    private void runIn(String name, TopicOptions options, boolean exclusive, Operation operation)
            throws InterruptedException {
        Path all = directory;
        directory = all.resolve(name);
        run(options, exclusive, operation);
        directory = all;
    }
}
