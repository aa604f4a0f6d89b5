package io.firn.examples;

import io.firn.Appender;
import io.firn.ExclusiveAppender;
import io.firn.LogStore;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Appends requests without waiting and answers each when its record is durable. One force
 * acknowledges all records that were appended before it. Allocates nothing for a request.
 */
public final class RequestPipeline {
    private static final int REQUESTS = 10_000;
    private static final int IN_FLIGHT = 256;

    private RequestPipeline() {}

    /** Runs it; the directory is the only argument. */
    public static void main(String[] args) {
        run(Examples.directory(args), System.out);
    }

    static void run(Path dir, PrintStream out) {
        try (LogStore store = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open()) {
            Topic topic = store.ensureTopic("requests", TopicOptions.defaults());
            AtomicLong durable = new AtomicLong(topic.partition(0).durableOffset());
            long first = durable.get();
            long answered = first;

            try (ExclusiveAppender appender = topic.partition(0).openExclusiveAppender()) {
                // Called on the thread that forced, so it must return quickly.
                appender.onDurable((partition, offset) -> durable.set(offset));

                UnsafeBuffer request = new UnsafeBuffer(new byte[Long.BYTES]);
                long next = first;
                while (answered < first + REQUESTS) {
                    if (next < first + REQUESTS && next - answered < IN_FLIGHT) {
                        request.putLong(0, next);
                        long offset = appender.tryAppend(request, 0, Long.BYTES);
                        next = offset == Appender.BACK_PRESSURED ? next : offset + 1;
                    }
                    while (answered < durable.get()) {
                        answer(answered++);
                    }
                    Thread.onSpinWait();
                }
            }
            long forces = store.metrics().partitions().get(0).forces();
            out.printf("Answered %d requests, all of them durable.%n", answered - first);
            out.printf("They shared %d forces.%n", forces);
        }
    }

    /** Sends the client its answer; omitted here. */
    private static void answer(long request) {
        assert request >= 0;
    }
}
