package io.firn.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.Claim;
import io.firn.ExclusiveAppender;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordId;
import io.firn.Topic;
import io.firn.TopicAppender;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/** The ways to append a record: wait, batch, choose the partition by key, not wait, or claim. */
public final class Appending {
    private static final String TRADES = "trades";

    private Appending() {}

    /** Runs it; the directory is the only argument. */
    public static void main(String[] args) {
        run(Examples.directory(args), System.out);
    }

    static void run(Path dir, PrintStream out) {
        try (LogStore store = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open()) {
            TopicOptions options = TopicOptions.defaults().withPartitions(3);
            Topic topic = store.ensureTopic(TRADES, options);
            wait(topic.partition(0), out);
            batch(topic.partition(0), out);
            byKey(topic, out);
            withoutWaiting(topic.partition(2), out);
            claim(topic.partition(2), out);
        }
    }

    private static void wait(Partition partition, PrintStream out) {
        try (Appender appender = partition.openAppender()) {
            long offset = appender.append(bytes("100 at 17.5")); // durable when it returns
            appender.append(bytes("ACME"), bytes("200 at 17.4")); // with a key
            out.println("The first record has offset " + offset);
        }
    }

    private static void batch(Partition partition, PrintStream out) {
        try (Appender appender = partition.openAppender()) {
            Batch batch = appender.newBatch(); // can be used again after clear()
            batch.add(bytes("ACME"), bytes("50 at 17.6"));
            batch.key(bytes("ACME"))
                    .value(bytes("70 at 17.7"))
                    .header("venue", bytes("XETRA"))
                    .add();
            long first = appender.append(batch); // one force for both records
            out.println("The batch has offsets " + first + " to " + (first + batch.count() - 1));
        }
    }

    private static void byKey(Topic topic, PrintStream out) {
        try (TopicAppender appender = topic.openAppender()) {
            RecordId id = appender.append(bytes("ACME"), bytes("10 at 17.8"));
            RecordId next = appender.append(bytes("ACME"), bytes("20 at 17.9"));
            out.println("Same partition: " + (id.partition() == next.partition()));
        }
    }

    private static void withoutWaiting(Partition partition, PrintStream out) {
        AtomicLong durable = new AtomicLong(partition.durableOffset());
        try (Appender appender = partition.openAppender()) {
            appender.onDurable((index, offset) -> durable.set(offset)); // called after each force
            Batch batch = appender.newBatch().add(bytes("30 at 18.0"));
            long offset = appender.tryAppend(batch);
            while (offset < 0) { // BACK_PRESSURED: nothing was stored
                Thread.onSpinWait();
                offset = appender.tryAppend(batch);
            }
            while (durable.get() <= offset) { // other work is done here
                Thread.onSpinWait();
            }
        }
        out.println("Durable below offset " + durable.get());
    }

    private static void claim(Partition partition, PrintStream out) {
        try (ExclusiveAppender appender = partition.openExclusiveAppender()) {
            Claim claim = appender.claim(Integer.BYTES + Double.BYTES); // the exact length
            claim.buffer().putInt(0, 40).putDouble(Integer.BYTES, 18.1);
            out.println("Claimed, then committed: " + claim.commit()); // or claim.abort()
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
