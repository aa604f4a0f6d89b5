package io.firn.examples;

import io.firn.LogReader;
import io.firn.LogStore;
import io.firn.LogStoreBuilder;
import io.firn.Partition;
import io.firn.TopicOptions;
import io.firn.bytes.BytesAppender;
import io.firn.bytes.BytesTailer;
import io.firn.bytes.MethodReader;
import io.firn.file.FileTier;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import net.openhft.chronicle.bytes.BytesIn;
import net.openhft.chronicle.bytes.BytesMarshallable;
import net.openhft.chronicle.bytes.BytesOut;

/**
 * Calls of an interface become records, and records become calls in another process: a gateway
 * writes orders, and a second process, which has the store open read-only, builds a book of them.
 */
public final class OrderBook {
    private OrderBook() {}

    /** What can happen to the book. */
    public interface Orders {
        /** Adds an order. */
        void place(long id, Order order);

        /** Removes a part of an order. */
        void fill(long id, int quantity);

        /** Ends the day. */
        void close();
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

    /** The quantity at each price, built from the calls. */
    private static final class Book implements Orders {
        private final Map<Long, Double> prices = new TreeMap<>();
        private final Map<Double, Integer> quantities = new TreeMap<>();
        private boolean isClosed;

        @Override
        public void place(long id, Order order) {
            prices.put(id, order.price); // the order itself is the same object at each call
            quantities.merge(order.price, order.quantity, Integer::sum);
        }

        @Override
        public void fill(long id, int quantity) {
            quantities.merge(prices.get(id), -quantity, Integer::sum);
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }

    /** Runs it; the directory is the only argument. */
    public static void main(String[] args) throws IOException, InterruptedException {
        run(Examples.directory(args), System.out);
    }

    static void run(Path dir, PrintStream out) throws IOException, InterruptedException {
        try (LogStore store = open(dir).open()) {
            Partition log = store.createTopic("orders", TopicOptions.defaults()).partition(0);
            Process book = startBook(dir);
            try (BytesAppender appender = BytesAppender.of(log.openAppender())) {
                Orders orders = appender.methodWriter(Orders.class);
                Order order = new Order(); // used again and again: no garbage
                orders.place(1, order.set(99.5, 100));
                orders.place(2, order.set(99.5, 50));
                orders.place(3, order.set(100.25, 10));
                orders.fill(1, 30); // durable when it returns
                orders.close();
            }
            book.getInputStream().transferTo(out);
            out.println("The book's process ended with " + book.waitFor() + ".");
        }
    }

    private static LogStoreBuilder open(Path dir) {
        return LogStore.at(dir).tier(FileTier.at(dir.resolve("segments")));
    }

    private static Process startBook(Path dir) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        BookProcess.class.getName(),
                        dir.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** The program of the second process: it reads the calls microseconds after they return. */
    static final class BookProcess {
        private BookProcess() {}

        public static void main(String[] args) {
            Examples.quiet();
            Book book = new Book();
            try (LogReader store = open(Path.of(args[0])).openReadOnly();
                    BytesTailer tailer = BytesTailer.of(store.openTopic("orders").openTailer())) {
                MethodReader reader = tailer.methodReader(book);
                int calls = 0;
                while (!book.isClosed) {
                    calls += reader.read(100, Duration.ofSeconds(1));
                }
                System.out.println("Calls read: " + calls);
            }
            book.quantities.forEach(
                    (price, quantity) -> System.out.println(quantity + " at " + price));
        }
    }
}
