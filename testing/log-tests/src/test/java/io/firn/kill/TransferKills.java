package io.firn.kill;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.IsolationLevel;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.host.HostedPartition;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Kills a JVM, again and again, while it transfers amounts between two accounts: after each kill,
 * both accounts have the same transfers, their sum is 0, the cursor of the requests is where the
 * transfers end, at or behind the last one that was acknowledged, and nothing is undecided. Some
 * kills hit the recovery from the kill before, after which nobody has looked.
 */
public final class TransferKills {
    private static final int MOST_MS = 60;
    private static final int SHARE_IN_RECOVERY = 4;
    private static final int MOST_STARTING_MS = 600;

    private final Path directory;
    private final SplittableRandom random;
    private long acknowledged;
    private long transfers;
    private long aborted;
    private int inRecovery;

    private TransferKills(Path directory, long seed) {
        this.directory = directory;
        this.random = new SplittableRandom(seed);
    }

    /** {@code TransferKills DIRECTORY ROUNDS SEED}. */
    public static void main(String[] arguments) throws Exception {
        System.out.println(
                run(
                        Path.of(arguments[0]),
                        Integer.parseInt(arguments[1]),
                        Long.parseLong(arguments[2])));
    }

    /**
     * Kills so many times.
     *
     * @return what was seen, in a line
     * @throws IllegalStateException when a promise was broken
     */
    static String run(Path directory, int rounds, long seed) throws Exception {
        TransferKills kills = new TransferKills(directory, seed);
        for (int i = 0; i < rounds; i++) {
            kills.round();
        }
        kills.check();
        return rounds
                + " kills, "
                + kills.inRecovery
                + " of them without a look before the next; "
                + kills.transfers
                + " transfers, "
                + kills.aborted
                + " aborted transactions; every sum was 0.";
    }

    private void round() throws IOException, InterruptedException {
        boolean isInRecovery = random.nextInt(SHARE_IN_RECOVERY) == 0;
        Process child =
                Child.builder(
                                TransferChild.class,
                                directory.toString(),
                                Long.toString(random.nextLong()))
                        .redirectError(directory.resolve("child-errors.txt").toFile())
                        .start();
        try (BufferedReader said =
                new BufferedReader(new InputStreamReader(child.getInputStream(), UTF_8))) {
            if (isInRecovery) {
                Thread.sleep(random.nextInt(MOST_STARTING_MS));
            } else {
                note(said.readLine());
                Thread.sleep(random.nextInt(MOST_MS));
            }
            // Not the process itself: that would close the pipe with what is still in it.
            child.toHandle().destroyForcibly();
            child.waitFor();
            for (String line; (line = said.readLine()) != null; ) {
                note(line);
            }
        }
        if (isInRecovery) {
            inRecovery++;
        } else {
            check();
        }
    }

    private void note(String line) {
        require(line != null, "the child ended: see " + directory.resolve("child-errors.txt"));
        acknowledged = Math.max(acknowledged, Long.parseLong(line));
    }

    private void check() {
        try (LogStore store = TransferChild.open(directory)) {
            require(store.findings().isEmpty(), "findings " + store.findings());
            store.openProducer(TransferChild.NAME, TransferChild.TIMEOUT);
            Topic accounts = TransferChild.accounts(store);
            List<String> from = read(accounts.partition(0));
            List<String> to = read(accounts.partition(1));
            require(from.size() == to.size(), from.size() + " and " + to.size() + " transfers");
            for (int i = 0; i < from.size(); i++) {
                String[] taken = from.get(i).split(" ");
                String[] given = to.get(i).split(" ");
                long sum = Long.parseLong(taken[1]) + Long.parseLong(given[1]);
                require(
                        sum == 0 && taken[0].equals(given[0]) && taken[0].equals("" + i),
                        "transfer " + i + " is " + from.get(i) + " and " + to.get(i));
            }
            long cursor =
                    TransferChild.requests(store).topic().cursor(TransferChild.CURSOR).offset(0);
            transfers = from.size();
            require(
                    Math.max(0, cursor) == transfers,
                    "the cursor is at " + cursor + " after " + transfers + " transfers");
            require(
                    acknowledged <= transfers,
                    acknowledged + " were acknowledged, there are " + transfers);
            aborted =
                    HostedPartition.of(accounts.partition(0))
                            .abortedTransactions(0, accounts.partition(0).nextOffset())
                            .size();
        }
    }

    private static List<String> read(Partition partition) {
        partition.force();
        long stable = partition.visibleOffset();
        long end = partition.visibleOffset(IsolationLevel.READ_UNCOMMITTED);
        require(stable == end, partition + " is stable up to " + stable + " of " + end);
        List<String> values = new ArrayList<>();
        try (Tailer tailer = partition.openTailer()) {
            while (tailer.poll(
                            record -> {
                                values.add(new String(record.copy().value(), UTF_8));
                                return Action.CONTINUE;
                            },
                            1_000)
                    > 0) {
                continue;
            }
        }
        return values;
    }

    private static void require(boolean isKept, String message) {
        if (!isKept) {
            throw new IllegalStateException(message);
        }
    }
}
