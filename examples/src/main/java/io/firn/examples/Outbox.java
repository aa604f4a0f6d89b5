package io.firn.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Cursor;
import io.firn.LogStore;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.Transaction;
import io.firn.file.FileTier;
import java.io.PrintStream;
import java.nio.file.Path;

/**
 * An outbox: an order and the message that tells of it are appended in one transaction, so there is
 * never one without the other. Another part of the application sends the messages later and moves a
 * cursor behind what was sent.
 */
public final class Outbox {
    private Outbox() {}

    public static void main(String[] args) {
        run(Examples.directory(args), System.out);
    }

    static void run(Path dir, PrintStream out) {
        try (LogStore store = open(dir)) {
            Topic orders = store.createTopic("orders", TopicOptions.defaults());
            Topic outbox = store.createTopic("outbox", TopicOptions.defaults());
            order(store, orders, outbox, "ice");
            try (Transaction tx = store.beginTransaction()) {
                tx.append(orders.partition(0), "rain".getBytes(UTF_8));
                tx.append(outbox.partition(0), "sold: rain".getBytes(UTF_8));
                out.println("Nobody wants rain."); // closed without a commit: aborted
            }
            send(outbox, out);
            order(store, orders, outbox, "snow");
        }
        try (LogStore store = open(dir)) {
            out.println("Closed, and opened again.");
            send(store.openTopic("outbox"), out);
        }
    }

    private static void order(LogStore store, Topic orders, Topic outbox, String what) {
        try (Transaction tx = store.beginTransaction()) {
            tx.append(orders.partition(0), what.getBytes(UTF_8));
            tx.append(outbox.partition(0), ("sold: " + what).getBytes(UTF_8));
            tx.commit();
        }
    }

    /** Sends what is behind the cursor. */
    private static void send(Topic outbox, PrintStream out) {
        Cursor sent = outbox.cursor("sent");
        try (Tailer tailer = outbox.openTailer()) {
            tailer.seek(Math.max(0, sent.offset(0)));
            tailer.poll(
                    record -> {
                        out.println("Sent: " + UTF_8.decode(record.value()));
                        sent.commit(0, record.offset() + 1);
                        return Action.CONTINUE;
                    },
                    Integer.MAX_VALUE);
        }
    }

    private static LogStore open(Path dir) {
        return LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open();
    }
}
