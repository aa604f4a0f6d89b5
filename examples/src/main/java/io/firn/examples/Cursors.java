package io.firn.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Appender;
import io.firn.LogRecord;
import io.firn.LogStore;
import io.firn.RetainUntilRead;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Resumes reading after a restart, because a cursor in the store remembers the offset. Here the
 * cursor is committed by hand; by default it is after 1,000 records and 100 ms.
 */
public final class Cursors {
    private Cursors() {}

    /** Runs it; the directory is the only argument. */
    public static void main(String[] args) {
        run(Examples.directory(args), System.out);
    }

    static void run(Path dir, PrintStream out) {
        try (LogStore store = open(dir)) {
            TopicOptions options =
                    TopicOptions.defaults()
                            .withRetentionAge(Duration.ofDays(7))
                            .withRetentionBytes(10L << 30)
                            .withRetainUntilRead(
                                    RetainUntilRead.by("billing").withLimitBytes(50L << 30));
            Topic orders = store.ensureTopic("orders", options);
            try (Appender appender = orders.partition(0).openAppender()) {
                for (int i = 1; i <= 5; i++) {
                    appender.append(("order " + i).getBytes(UTF_8));
                }
            }
            consume(orders, 3, out);
        }
        out.println("Closed, and opened again.");
        try (LogStore store = open(dir)) {
            consume(store.openTopic("orders"), 3, out);
            lag(store.openTopic("orders"), out);
        }
    }

    private static void consume(Topic orders, int limit, PrintStream out) {
        TailerOptions billing = TailerOptions.at("billing").withCommitByHand();
        try (Tailer tailer = orders.openTailer(billing)) { // where the cursor is
            tailer.forEach(order -> bill(order, out), limit);
            tailer.commit(); // durable: these records are not delivered again
        }
    }

    private static void lag(Topic orders, PrintStream out) {
        orders.cursorMetrics().forEach(lag -> out.println(lag.cursor() + ": " + lag.lagRecords()));
    }

    private static void bill(LogRecord order, PrintStream out) {
        out.println("Billing " + UTF_8.decode(order.value()));
    }

    private static LogStore open(Path dir) {
        return LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open();
    }
}
