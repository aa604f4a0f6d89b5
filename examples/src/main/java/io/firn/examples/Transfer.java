package io.firn.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Appender;
import io.firn.Cursor;
import io.firn.LogStore;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.Transaction;
import io.firn.file.FileTier;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A transfer between two accounts, each in a partition of its own: taking the amount from one,
 * giving it to the other, and moving the cursor past the request happen together or not at all,
 * also when the process is killed in between. So no request is carried out twice, or by half.
 */
public final class Transfer {
    private static final int[] AMOUNTS = {100, 250, -30};
    private static final int MOST = 200;

    private Transfer() {}

    public static void main(String[] args) {
        run(Examples.directory(args), System.out);
    }

    static void run(Path dir, PrintStream out) {
        try (LogStore store = open(dir)) {
            Topic requests = store.createTopic("requests", TopicOptions.defaults());
            store.createTopic("accounts", TopicOptions.defaults().withPartitions(2));
            try (Appender appender = requests.partition(0).openAppender()) {
                for (int amount : AMOUNTS) {
                    appender.append(bytes(amount));
                }
            }
            carryOut(store, 1, out);
        }
        try (LogStore store = open(dir)) {
            out.println("Closed, and opened again.");
            carryOut(store, AMOUNTS.length, out);
            Topic accounts = store.openTopic("accounts");
            out.println("Balances: " + balance(accounts, 0) + " and " + balance(accounts, 1));
        }
    }

    /** Carries out requests from the cursor on, up to a number. */
    private static void carryOut(LogStore store, int to, PrintStream out) {
        Topic requests = store.openTopic("requests");
        Topic accounts = store.openTopic("accounts");
        Cursor cursor = requests.cursor("transfers");
        for (long next = Math.max(0, cursor.offset(0)); next < to; next++) {
            int amount = amounts(requests, 0).get((int) next);
            try (Transaction tx = store.beginTransaction()) {
                tx.append(accounts.partition(0), bytes(-amount));
                tx.append(accounts.partition(1), bytes(amount));
                tx.commitCursor(cursor, 0, next + 1);
                if (amount > MOST) {
                    tx.abort(); // no committed read shows the records, and the cursor stays
                    cursor.commit(0, next + 1);
                    out.println("Request " + next + " is refused: " + amount + " is too much.");
                } else {
                    tx.commit(); // all of it is durable and visible when it returns
                    out.println("Request " + next + " is carried out: " + amount);
                }
            }
        }
    }

    private static int balance(Topic accounts, int partition) {
        return amounts(accounts, partition).stream().mapToInt(Integer::intValue).sum();
    }

    /** Reads what is committed; a tailer shows nothing else. */
    private static List<Integer> amounts(Topic topic, int partition) {
        List<Integer> amounts = new ArrayList<>();
        try (Tailer tailer = topic.partition(partition).openTailer()) {
            tailer.forEach(
                    record -> amounts.add(Integer.valueOf(UTF_8.decode(record.value()).toString())),
                    Integer.MAX_VALUE);
        }
        return amounts;
    }

    private static LogStore open(Path dir) {
        return LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open();
    }

    private static byte[] bytes(int amount) {
        return Integer.toString(amount).getBytes(UTF_8);
    }
}
