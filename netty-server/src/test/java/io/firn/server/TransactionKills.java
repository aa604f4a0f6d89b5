package io.firn.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.LogStore;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import io.firn.file.FileTier;
import io.firn.server.Ledger.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/**
 * Producers of transactions in processes of their own, and what may happen to them: {@code kill -9}
 * of the server and of producers, which are replaced by others of the same name; a server or a
 * producer that is stopped for longer than its transaction may take and then goes on; a clock that
 * jumps by days; a network that cuts connections and delivers their last request late. At the end
 * {@link Ledger} compares what a consumer and a tailer read with what the producers said, and no
 * partition has an undecided offset.
 */
final class TransactionKills {
    private static final int WRITERS = 3;
    private static final int MOST_STEADY_MS = 1_500;
    private static final int MOST_JUMP_DAYS = 10;
    private static final long DAY_MS = TimeUnit.DAYS.toMillis(1);

    private final Path directory;
    private final ServerProcess server;
    private final DelayingProxy proxy;
    private final Random random;
    private final Ledger ledger = new Ledger();
    private final List<LedgerClients> writers = new ArrayList<>();
    private int serverStops;
    private int jumps;

    private TransactionKills(Path directory, ServerProcess server, DelayingProxy proxy, long seed) {
        this.directory = directory;
        this.server = server;
        this.proxy = proxy;
        this.random = new Random(seed);
    }

    /** Kills: DIRECTORY ROUNDS SEED; half of them with each of the clients' protocols. */
    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[1]);
        long seed = Long.parseLong(arguments[2]);
        Path directory = Path.of(arguments[0]);
        System.out.println(run(directory.resolve("2"), rounds - rounds / 2, seed, 2));
        System.out.println(run(directory.resolve("1"), rounds / 2, seed, 1));
        System.exit(0); // clients may still want to close in peace
    }

    /**
     * Kills so many times.
     *
     * @param version of the clients' protocol
     * @return what was seen, in a line
     * @throws IllegalStateException when a promise was broken
     */
    static String run(Path directory, int kills, long seed, int version) throws Exception {
        Files.createDirectories(directory);
        try (DelayingProxy proxy = new DelayingProxy(seed)) {
            Map<String, String> settings =
                    Map.of(
                            "log.segment.bytes",
                            "131072", // they roll all the time
                            "log.retention.ms",
                            "-1", // whatever the clock says
                            "advertised.listeners",
                            "PLAINTEXT://127.0.0.1:" + proxy.port(),
                            "firn.transaction.version",
                            Integer.toString(version));
            TransactionKills all;
            String seen;
            try (ServerProcess server =
                    new ServerProcess(JumpingServer.class, directory, settings)) {
                proxy.target(server.port());
                all = new TransactionKills(directory, server, proxy, seed);
                seen = all.run(kills);
            }
            return "transaction.version " + version + ": " + seen;
        }
    }

    private Map<String, Object> client() {
        Map<String, Object> all = new HashMap<>();
        all.put("bootstrap.servers", "127.0.0.1:" + proxy.port());
        all.put("reconnect.backoff.max.ms", 100);
        all.put("retry.backoff.ms", 20);
        return all;
    }

    private String run(int kills) throws Exception {
        try (Admin admin = Admin.create(client())) {
            admin.createTopics(
                            List.of(
                                    new NewTopic(
                                            LedgerWriter.TOPIC,
                                            LedgerWriter.PARTITIONS,
                                            (short) 1)))
                    .all()
                    .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
            String bootstrap = "127.0.0.1:" + proxy.port();
            for (int i = 0; i < WRITERS; i++) {
                writers.add(new LedgerClients(bootstrap, i, ledger, directory));
            }
            LedgerWatch watch = new LedgerWatch(this::client);
            for (LedgerClients each : writers) {
                each.revive();
            }
            for (LedgerClients each : writers) {
                each.awaitClient();
            }
            for (int i = 0; i < kills; i++) {
                round(i);
                watch.check();
            }
            Thread.sleep(MOST_STEADY_MS);
            proxy.calm();
            for (LedgerClients each : writers) {
                each.end();
            }
            awaitNothingUndecided(admin);
            List<List<Row>> log = read(admin);
            String seen = ledger.check(log, LedgerWatch.byIndex(LedgerWatch.offsets(admin)));
            String meanwhile = watch.end(log);
            server.kill();
            require(log.equals(tail()), "a tailer sees other records than a consumer");
            return faults(kills) + seen + "; " + meanwhile;
        } finally {
            writers.forEach(LedgerClients::close);
        }
    }

    private String faults(int kills) {
        return String.format(
                "%d kills of the server, %d of clients; %d stops of the server, %d of clients;"
                        + " %d jumps of the clock; late requests %s; ",
                kills,
                writers.stream().mapToInt(LedgerClients::kills).sum(),
                serverStops,
                writers.stream().mapToInt(LedgerClients::stops).sum(),
                jumps,
                proxy.delivered());
    }

    /** One kill of the server, and before it what chance brings. */
    private void round(int number) throws IOException, InterruptedException {
        Thread.sleep(random.nextInt(MOST_STEADY_MS));
        LedgerClients victim = writers.get(random.nextInt(WRITERS));
        switch (random.nextInt(12)) {
            case 0, 1, 2, 3 -> victim.kill();
            case 4 -> victim.stop(false);
            case 5 -> victim.stop(true);
            case 6 -> stopServer();
            case 7, 8 -> {
                JumpingServer.jump(
                        directory, (random.nextInt(2 * MOST_JUMP_DAYS) - MOST_JUMP_DAYS) * DAY_MS);
                jumps++;
            }
            default -> {} // the kill alone
        }
        Thread.sleep(random.nextInt(MOST_STEADY_MS / 3));
        if (number % 3 == 2) {
            victim = writers.get(random.nextInt(WRITERS));
            victim.kill(); // both at once
        }
        server.kill();
        server.start();
        for (LedgerClients each : writers) {
            each.revive();
        }
    }

    private void stopServer() throws IOException, InterruptedException {
        Signals.stop(server.pid());
        try {
            Thread.sleep(LedgerWriter.TIMEOUT_MS + random.nextInt(2_000));
        } finally {
            Signals.resume(server.pid());
        }
        serverStops++;
        Thread.sleep(random.nextInt(MOST_STEADY_MS)); // what clients sent meanwhile is carried out
    }

    /**
     * A transaction whose producer is gone ends when its time is out; one that has appended
     * nothing, because only a late request began it, holds up no reader until then.
     */
    private static void awaitNothingUndecided(Admin admin) throws Exception {
        long deadline =
                System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20L * LedgerWriter.TIMEOUT_MS);
        String undecided = undecided(admin);
        while (undecided != null) {
            require(System.nanoTime() - deadline < 0, "undecided at the end: " + undecided);
            Thread.sleep(50);
            undecided = undecided(admin);
        }
        var producers =
                admin.describeProducers(LedgerWatch.partitions())
                        .all()
                        .get(Running.HANGS_AFTER_S, TimeUnit.SECONDS);
        for (var partition : producers.entrySet()) {
            for (ProducerState each : partition.getValue().activeProducers()) {
                require(
                        each.currentTransactionStartOffset().isEmpty(),
                        partition.getKey() + " has a transaction that hangs: " + each);
            }
        }
    }

    /** Returns what is undecided; null if nothing is. */
    private static String undecided(Admin admin) throws Exception {
        for (TransactionListing each :
                admin.listTransactions().all().get(Running.HANGS_AFTER_S, TimeUnit.SECONDS)) {
            if (each.state() != TransactionState.COMPLETE_COMMIT
                    && each.state() != TransactionState.COMPLETE_ABORT
                    && each.state() != TransactionState.EMPTY) {
                return each.toString();
            }
        }
        var stable = LedgerWatch.ends(admin, IsolationLevel.READ_COMMITTED);
        var ends = LedgerWatch.ends(admin, IsolationLevel.READ_UNCOMMITTED);
        return stable.equals(ends) ? null : "offsets from " + stable + " to " + ends;
    }

    private List<List<Row>> read(Admin admin) throws Exception {
        List<List<Row>> log = new ArrayList<>();
        LedgerWatch.partitions().forEach(each -> log.add(new ArrayList<>()));
        Map<TopicPartition, Long> ends = LedgerWatch.ends(admin, IsolationLevel.READ_COMMITTED);
        try (KafkaConsumer<String, String> consumer = LedgerWatch.consumer(client())) {
            Running.await(
                    "the end",
                    () -> {
                        LedgerWatch.poll(consumer, log);
                        return ends.entrySet().stream()
                                .allMatch(e -> consumer.position(e.getKey()) >= e.getValue());
                    });
        }
        return log;
    }

    /** Reads the store as an application that embeds it would. */
    private List<List<Row>> tail() {
        List<List<Row>> log = new ArrayList<>();
        try (LogStore store =
                LogStore.at(directory.resolve("firn"))
                        .tier(FileTier.at(directory.resolve("tier")))
                        .open()) {
            require(store.findings().isEmpty(), store.findings().toString());
            for (int i = 0; i < LedgerWriter.PARTITIONS; i++) {
                List<Row> rows = new ArrayList<>();
                log.add(rows);
                try (Tailer tailer =
                        store.openTopic(LedgerWriter.TOPIC).partition(i).openTailer()) {
                    while (tailer.poll(
                                    record -> {
                                        rows.add(
                                                new Row(
                                                        record.offset(),
                                                        new String(record.copy().value(), UTF_8)));
                                        return Action.CONTINUE;
                                    },
                                    1_000)
                            > 0) {
                        continue;
                    }
                }
            }
        }
        return log;
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalStateException(otherwise);
        }
    }
}
