package io.firn.kill;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.Cursor;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Producer;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.Transaction;
import io.firn.file.FileTier;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;

/**
 * Carries out requests until it is killed: each takes an amount from the account in one partition
 * and gives it to the account in another, and moves the cursor of the requests, in one transaction.
 * Says of each commit that it has returned. Some transactions are aborted first; some belong to a
 * named producer.
 */
public final class TransferChild {
    static final String CURSOR = "transfers";
    static final String NAME = "transfers";
    static final Duration TIMEOUT = Duration.ofDays(1);

    private static final int SEGMENT_BYTES = 64 * 1024;
    private static final int REQUESTS_AT_ONCE = 50;
    private static final int SHARE_NAMED = 4;
    private static final int SHARE_ABORTED = 5;

    private final LogStore store;
    private final Topic accounts;
    private final Partition requests;
    private final Cursor cursor;
    private final SplittableRandom random;
    private Producer named;

    private TransferChild(LogStore store, long seed) {
        this.store = store;
        this.accounts = accounts(store);
        this.requests = requests(store);
        this.cursor = requests.topic().cursor(CURSOR);
        this.random = new SplittableRandom(seed);
    }

    /** {@code TransferChild DIRECTORY SEED}. */
    public static void main(String[] arguments) {
        LogStore store = open(Path.of(arguments[0]));
        new TransferChild(store, Long.parseLong(arguments[1])).run(System.out);
    }

    static LogStore open(Path directory) {
        return LogStore.at(directory.resolve("store"))
                .tier(FileTier.at(directory.resolve("segments")))
                .open();
    }

    static Topic accounts(LogStore store) {
        return store.ensureTopic(
                "accounts",
                TopicOptions.defaults().withSegmentBytes(SEGMENT_BYTES).withPartitions(2));
    }

    static Partition requests(LogStore store) {
        return store.ensureTopic("requests", TopicOptions.defaults()).partition(0);
    }

    @SuppressWarnings("InfiniteLoopStatement") // the parent ends it
    private void run(PrintStream out) {
        named = store.openProducer(NAME, TIMEOUT);
        while (true) {
            long next = Math.max(0, cursor.offset(0));
            if (next == requests.nextOffset()) {
                request();
            }
            transfer(next, amountOf(next));
            out.println(next + 1);
            out.flush();
        }
    }

    private void request() {
        try (Appender appender = requests.openAppender()) {
            Batch batch = appender.newBatch();
            for (int i = 0; i < REQUESTS_AT_ONCE; i++) {
                batch.add(bytes(random.nextInt(1, 1_000)));
            }
            appender.append(batch);
        }
    }

    private long amountOf(long request) {
        long[] amount = {0};
        try (Tailer tailer = requests.openTailer()) {
            tailer.seek(request);
            tailer.poll(
                    record -> {
                        amount[0] = number(record.copy().value());
                        return Action.STOP;
                    },
                    1);
        }
        return amount[0];
    }

    private void transfer(long request, long amount) {
        while (random.nextInt(SHARE_ABORTED) == 0) {
            try (Transaction aborted = begin()) {
                append(aborted, 0, request, -amount - 1);
                append(aborted, 1, request, amount + 1);
            }
        }
        try (Transaction tx = begin()) {
            append(tx, 0, request, -amount);
            append(tx, 1, request, amount);
            tx.commitCursor(cursor, 0, request + 1);
            tx.commit();
        }
    }

    private Transaction begin() {
        return random.nextInt(SHARE_NAMED) == 0
                ? named.beginTransaction()
                : store.beginTransaction();
    }

    private void append(Transaction tx, int account, long request, long amount) {
        byte[] value = (request + " " + amount).getBytes(UTF_8);
        tx.append(accounts.partition(account), accounts.newBatch().add(value));
    }

    private static byte[] bytes(long number) {
        return Long.toString(number).getBytes(UTF_8);
    }

    static long number(byte[] value) {
        return Long.parseLong(new String(value, UTF_8));
    }
}
