package io.firn.examples;

import io.firn.LogStore;
import io.firn.Partition;
import io.firn.TopicOptions;
import io.firn.bytes.BytesAppender;
import io.firn.bytes.BytesTailer;
import io.firn.bytes.MethodReader;
import io.firn.file.FileTier;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import net.openhft.chronicle.bytes.BytesIn;
import net.openhft.chronicle.bytes.BytesMarshallable;
import net.openhft.chronicle.bytes.BytesOut;

/**
 * Calls of an interface become records, and records become calls: a gateway writes orders, and a
 * book is built by reading them, again and again from the start.
 */
public final class OrderBook {
    private OrderBook() {}

    /** What can happen to the book. */
    public interface Orders {
        /** Adds an order. */
        void place(long id, Order order);

        /** Removes a part of an order. */
        void fill(long id, int quantity);
    }

    /** An order; a later version may write more fields behind these. */
    public static final class Order implements BytesMarshallable {
        private double price;
        private int quantity;

        /** Sets the fields. */
        Order set(double newPrice, int newQuantity) {
            price = newPrice;
            quantity = newQuantity;
            return this;
        }

        @Override
        public void writeMarshallable(BytesOut<?> bytes) {
            bytes.writeDouble(price).writeInt(quantity);
        }

        @Override
        public void readMarshallable(BytesIn<?> bytes) {
            price = bytes.readDouble();
            quantity = bytes.readInt();
        }
    }

    /** The quantity at each price, built from what it is told. */
    private static final class Book implements Orders {
        private final Map<Long, Double> prices = new TreeMap<>();
        private final Map<Double, Integer> quantities = new TreeMap<>();

        @Override
        public void place(long id, Order order) {
            prices.put(id, order.price); // the order itself is the same object at each call
            quantities.merge(order.price, order.quantity, Integer::sum);
        }

        @Override
        public void fill(long id, int quantity) {
            quantities.merge(prices.get(id), -quantity, Integer::sum);
        }
    }

    /** Runs it; the directory is the only argument. */
    public static void main(String[] args) {
        run(Examples.directory(args), System.out);
    }

    static void run(Path dir, PrintStream out) {
        try (LogStore store = LogStore.in(dir).tier(FileTier.at(dir.resolve("segments"))).open()) {
            Partition log = store.createTopic("orders", TopicOptions.defaults()).partition(0);
            try (BytesAppender appender = BytesAppender.of(log.openAppender())) {
                Orders orders = appender.methodWriter(Orders.class);
                Order order = new Order(); // used again and again: no garbage
                orders.place(1, order.set(99.5, 100));
                orders.place(2, order.set(99.5, 50));
                orders.place(3, order.set(100.25, 10));
                orders.fill(1, 30); // durable when it returns
            }
            Book book = new Book();
            try (BytesTailer tailer = BytesTailer.of(log.openTailer())) {
                MethodReader reader = tailer.methodReader(book);
                out.println("Calls read: " + reader.read(100));
            }
            book.quantities.forEach((price, quantity) -> out.println(quantity + " at " + price));
        }
    }
}
