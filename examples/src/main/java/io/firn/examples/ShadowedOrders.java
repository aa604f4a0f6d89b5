package io.firn.examples;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.LogStore;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import io.firn.server.FirnServer;
import io.firn.shadow.Shadow;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Properties;
import java.util.Random;
import java.util.TreeMap;

/**
 * An order book that is rebuilt at start from a local copy of a Kafka topic, also when the cluster
 * cannot be reached. A server in this process plays the part of the cluster.
 */
public final class ShadowedOrders {
    private static final int ORDERS = 20_000;
    private static final int BATCH = 100;

    private ShadowedOrders() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        run(Examples.directory(args), System.out);
    }

    static void run(Path dir, PrintStream out) throws IOException, InterruptedException {
        try (LogStore exchange = open(dir.resolve("exchange"));
                FirnServer cluster = FirnServer.of(exchange).port(0).start()) {
            placeOrders(exchange);
            Properties source = new Properties();
            source.setProperty("bootstrap.servers", cluster.bootstrapServers());
            try (LogStore store = open(dir.resolve("copy"));
                    Shadow shadow = Shadow.of(store, source).topics("orders").start()) {
                while (!shadow.snapshot().isCaughtUp()) {
                    Thread.sleep(10);
                }
                out.println("Copied: " + store.openTopic("orders").partition(0).nextOffset());
            }
        }
        out.println("The cluster is gone.");
        try (LogStore store = open(dir.resolve("copy"))) {
            TreeMap<Integer, Integer> bids = new TreeMap<>();
            TreeMap<Integer, Integer> asks = new TreeMap<>();
            try (Tailer tailer = store.openTopic("orders").openTailer()) {
                while (tailer.forEach(record -> apply(record.value(), bids, asks), 1000) > 0) {
                    continue;
                }
            }
            out.println("Best bid: " + bids.lastEntry() + ", best ask: " + asks.firstEntry());
        }
    }

    private static void placeOrders(LogStore exchange) {
        Random random = new Random(7);
        try (Appender appender =
                exchange.createTopic("orders", TopicOptions.defaults())
                        .partition(0)
                        .openAppender()) {
            Batch batch = appender.newBatch();
            for (int i = 0; i < ORDERS; i += batch.count()) {
                batch.clear();
                while (batch.count() < BATCH) {
                    boolean isBid = random.nextBoolean();
                    int price = isBid ? 90 + random.nextInt(10) : -101 - random.nextInt(10);
                    ByteBuffer order = ByteBuffer.allocate(8).putInt(price);
                    batch.add(order.putInt(1 + random.nextInt(100)).array());
                }
                appender.append(batch);
            }
        }
    }

    /** An order is a price, negative to sell, and a quantity. */
    private static void apply(
            ByteBuffer order, TreeMap<Integer, Integer> bids, TreeMap<Integer, Integer> asks) {
        int price = order.getInt(order.position());
        int quantity = order.getInt(order.position() + Integer.BYTES);
        (price > 0 ? bids : asks).merge(Math.abs(price), quantity, Integer::sum);
    }

    private static LogStore open(Path dir) {
        return LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open();
    }
}
