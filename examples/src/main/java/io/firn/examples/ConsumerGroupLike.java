package io.firn.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Appender;
import io.firn.LogRecord;
import io.firn.LogStore;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.PrintStream;
import java.nio.file.Path;

/**
 * Resumes reading after a restart, because a cursor in the store remembers the offset. Every record
 * is processed at least once: here the cursor is advanced by hand, by default it is after 1,000
 * records and 100 ms. {@code tailer.run(handler)} reads on for ever.
 */
public final class ConsumerGroupLike {
    private ConsumerGroupLike() {}

    /** Runs it; the directory is the only argument. */
    public static void main(String[] args) {
        run(Examples.directory(args), System.out);
    }

    static void run(Path dir, PrintStream out) {
        try (LogStore store = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open()) {
            Topic orders = store.createTopic("orders", TopicOptions.defaults());
            try (Appender appender = orders.partition(0).openAppender()) {
                for (int i = 1; i <= 5; i++) {
                    appender.append(("order " + i).getBytes(UTF_8));
                }
            }
            consume(orders, 3, out);
        }
        out.println("Closed, and opened again.");
        try (LogStore store = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open()) {
            consume(store.openTopic("orders"), 3, out);
        }
    }

    private static void consume(Topic orders, int limit, PrintStream out) {
        TailerOptions billing = TailerOptions.at("billing").withCommitByHand();
        try (Tailer tailer = orders.openTailer(billing)) {
            tailer.forEach(order -> bill(order, out), limit);
            tailer.commit(); // what was processed is never billed again, whatever happens now
        }
    }

    private static void bill(LogRecord order, PrintStream out) {
        out.println("Billing " + UTF_8.decode(order.value()));
    }
}
