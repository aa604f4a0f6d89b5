package io.firn.examples;

import io.firn.Appender;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.PrintStream;
import java.nio.file.Path;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Uses a log without background threads: one loop of the application appends, forces, reads and
 * does the background work, and idles when there is nothing to do.
 */
public final class EmbeddedAgent {
    private static final int RECORDS = 1_000;

    private EmbeddedAgent() {}

    /** Runs it; the directory is the only argument. */
    public static void main(String[] args) {
        run(Examples.directory(args), System.out);
    }

    static void run(Path dir, PrintStream out) {
        FileTier tier = FileTier.at(dir.resolve("segments"));
        try (LogStore store = LogStore.at(dir).tier(tier).invokerMode().open()) {
            Partition log = store.createTopic("ticks", TopicOptions.defaults()).partition(0);
            IdleStrategy idle = new BackoffIdleStrategy();
            UnsafeBuffer tick = new UnsafeBuffer(new byte[Integer.BYTES]);
            int[] read = {0};

            try (Appender appender = log.openExclusiveAppender();
                    Tailer tailer = log.openTailer()) {
                while (read[0] < RECORDS) {
                    int work = 0;
                    if (log.nextOffset() < RECORDS) {
                        tick.putInt(0, (int) log.nextOffset());
                        long offset = appender.tryAppend(tick, 0, Integer.BYTES);
                        work += offset == Appender.BACK_PRESSURED ? 0 : 1;
                    }
                    work += store.doWork(); // reserves segments, forces, seals, deletes
                    work +=
                            tailer.poll(
                                    record -> {
                                        read[0]++;
                                        return Action.CONTINUE;
                                    },
                                    10);
                    idle.idle(work);
                }
            }
            out.println("Appended, forced and read " + read[0] + " records.");
            out.println("Threads of the log: " + threadsOfTheLog() + ".");
        }
    }

    private static long threadsOfTheLog() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("firn-"))
                .count();
    }
}
