package io.firn.server;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Fills several limits of memory at the same time, as several clients, for {@link Attacks}. */
final class HeapAttacks {
    private static final String OFFSETS = "heap-offsets";
    private static final int PARTITIONS = 750;
    private static final int COMMITS = 15;
    private static final int FIRST_ADDRESS = 10;
    private static final int FETCHING = 4;
    private static final int BOMBS = 24;

    private final int port;
    private final Consumer<String> count;
    private final BooleanSupplier goesOn;

    HeapAttacks(int port, Consumer<String> count, BooleanSupplier goesOn) {
        this.port = port;
        this.count = count;
        this.goesOn = goesOn;
    }

    /** What a client does on a connection of its own until the time is up. */
    private interface Deed {
        void run(Wire wire) throws IOException;
    }

    /** Commits 3 MB of metadata fifteen times, for new groups; returns when that is done. */
    void commitForNewGroups() throws IOException {
        prepare(1);
        try (Wire wire = new Wire(address(0), port)) {
            for (int i = 0; i < COMMITS; i++) {
                commit(wire, "files-" + System.nanoTime());
            }
        }
    }

    /**
     * Groups, producers, transactions, readers, and compaction of what is large, by each client.
     */
    void fillAll(int clients) throws IOException, InterruptedException {
        prepare(clients);
        List<Thread> threads = new ArrayList<>();
        TransactionAttacks transactions = new TransactionAttacks(count, goesOn);
        for (int i = 0; i < clients; i++) {
            int client = i;
            threads.add(start(client, wire -> commit(wire, "heap-" + System.nanoTime())));
            threads.add(start(client, wire -> inventProducers(wire, client)));
            threads.add(start(client, wire -> produceBombs(wire, client)));
            for (int k = 0; k < FETCHING; k++) {
                threads.add(start(client, this::fetchFromAll));
            }
            threads.add(start(client, wire -> transactions.run("open-transactions", wire, client)));
            threads.add(start(client, wire -> transactions.run("transaction-names", wire, client)));
        }
        for (Thread each : threads) {
            each.join();
        }
    }

    private static String address(int client) {
        return "127.0.0." + (FIRST_ADDRESS + client);
    }

    private Thread start(int client, Deed deed) {
        Thread thread =
                new Thread(
                        () -> {
                            while (goesOn.getAsBoolean()) {
                                try (Wire wire = new Wire(address(client), port)) {
                                    while (goesOn.getAsBoolean()) {
                                        deed.run(wire);
                                    }
                                } catch (IOException | RuntimeException e) {
                                    count.accept(e.getClass().getSimpleName());
                                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
                                }
                            }
                        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void prepare(int clients) throws IOException {
        CreateTopicsRequestData create = new CreateTopicsRequestData().setTimeoutMs(30_000);
        create.topics().add(HeapRequests.topic(OFFSETS, PARTITIONS));
        create.topics()
                .add(
                        HeapRequests.topic(
                                "t0-0", TransactionAttacks.partitions("open-transactions")));
        for (int i = 0; i < clients; i++) {
            create.topics().add(HeapRequests.compactedTopic(compacted(i)));
        }
        try (Wire wire = new Wire(address(0), port)) {
            wire.ask(ApiKeys.CREATE_TOPICS, 7, create, new CreateTopicsResponseData())
                    .topics()
                    .forEach(each -> count.accept("topics " + Errors.forCode(each.errorCode())));
        }
    }

    private static String compacted(int client) {
        return "heap-" + client;
    }

    private void commit(Wire wire, String group) throws IOException {
        int accepted = 0;
        String last = "";
        for (Errors error : HeapRequests.commit(wire, group, OFFSETS, PARTITIONS)) {
            accepted += error == Errors.NONE ? 1 : 0;
            last = error == Errors.NONE ? last : " " + error;
        }
        count.accept("commits" + (accepted == PARTITIONS ? "" : last));
    }

    private void inventProducers(Wire wire, int client) throws IOException {
        long id = ThreadLocalRandom.current().nextLong(Long.MAX_VALUE >> 1);
        for (int i = 0; i < 20; i++) {
            wire.send(
                    Asks.produceBytes(
                            "t0-0",
                            client % TransactionAttacks.partitions("open-transactions"),
                            (short) 1,
                            Asks.batch(id + i, 0, new byte[1])));
        }
        for (int i = 0; i < 20; i++) {
            wire.receive();
        }
        count.accept("20 ids of producers");
    }

    /** The connection keeps a reader for each partition and isolation. */
    private void fetchFromAll(Wire wire) throws IOException {
        for (byte isolation = 0; isolation < 2; isolation++) {
            List<FetchPartition> all = new ArrayList<>();
            for (int i = 0; i < PARTITIONS; i++) {
                all.add(new FetchPartition().setPartition(i).setPartitionMaxBytes(1));
            }
            wire.ask(
                    ApiKeys.FETCH,
                    Asks.FETCH,
                    new FetchRequestData()
                            .setIsolationLevel(isolation)
                            .setTopics(
                                    List.of(new FetchTopic().setTopic(OFFSETS).setPartitions(all))),
                    new FetchResponseData());
        }
        count.accept("fetched");
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
    }

    /** A batch of about 1,000 bytes is a tombstone whose key is very long. */
    private void produceBombs(Wire wire, int client) throws IOException {
        MemoryRecords bomb = HeapRequests.bomb();
        for (int i = 0; i < BOMBS && goesOn.getAsBoolean(); i++) {
            count.accept(
                    "bombs "
                            + Errors.forCode(
                                    Asks.produced(wire, compacted(client), 0, Asks.ALL, bomb)
                                            .errorCode()));
        }
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
    }
}
