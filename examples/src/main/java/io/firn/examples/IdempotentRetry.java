package io.firn.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.ProducerFencedException;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.host.HostedStore;
import io.firn.host.OutOfOrderSequenceException;
import java.io.PrintStream;
import java.nio.file.Path;

/**
 * Appends a batch again, as a producer does that received no answer. It is stored once, because the
 * batch carries the producer's id, epoch and sequence. This also works after the store was opened
 * again.
 */
public final class IdempotentRetry {
    private IdempotentRetry() {}

    /** Runs it; the directory is the only argument. */
    public static void main(String[] args) {
        run(Examples.directory(args), System.out);
    }

    static void run(Path dir, PrintStream out) {
        long producer;
        try (LogStore store = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open()) {
            Partition log = store.createTopic("payments", TopicOptions.defaults()).partition(0);
            producer = HostedStore.of(store).newProducerId(); // the producer has to remember it
            try (Appender appender = log.openAppender()) {
                out.println(
                        "Appended at offset " + appender.append(payment(appender, producer, 0)));
                out.println("Again, at offset " + appender.append(payment(appender, producer, 0)));
            }
        }
        out.println("Closed, and opened again.");
        try (LogStore store = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open()) {
            Partition log = store.openTopic("payments").partition(0);
            try (Appender appender = log.openAppender()) {
                out.println("Again, at offset " + appender.append(payment(appender, producer, 0)));
                out.println("Records in the log: " + log.nextOffset());
                refused(appender, payment(appender, producer, 7), out);

                // A successor takes over with a higher epoch and begins at sequence 0.
                appender.append(payment(appender, producer, 0).producer(producer, 1, 0));
                refused(appender, payment(appender, producer, 2), out);
            }
        }
    }

    /** Returns a batch of two records; the sequence of the next batch is therefore greater by 2. */
    private static Batch payment(Appender appender, long producer, int sequence) {
        return appender.newBatch()
                .add("from Alice: -10".getBytes(UTF_8))
                .add("to Bob: +10".getBytes(UTF_8))
                .producer(producer, 0, sequence);
    }

    private static void refused(Appender appender, Batch batch, PrintStream out) {
        try {
            appender.append(batch);
        } catch (OutOfOrderSequenceException | ProducerFencedException e) {
            out.println("Refused: " + e.getMessage());
        }
    }
}
