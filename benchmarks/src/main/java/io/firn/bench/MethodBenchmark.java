package io.firn.bench;

import io.firn.Durability;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.TopicOptions;
import io.firn.bytes.BytesAppender;
import io.firn.bytes.BytesTailer;
import io.firn.file.FileTier;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import net.openhft.chronicle.bytes.BytesIn;
import net.openhft.chronicle.bytes.BytesOut;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.wire.BytesInBinaryMarshallable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;

/**
 * The calls of one interface, un-forced: written by a method writer, and read by a method reader.
 * Both systems have the same interface, the same arguments, their defaults, and an empty file
 * system in memory; neither has its pages present, and both logs grow while they are written.
 *
 * <p>A log that grows for seconds comes to memory that this virtual machine has never had, whose
 * price is the host's. {@link #writeLogs} therefore writes logs of a limited size one after
 * another, each to the memory of the one before.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 2,
        jvmArgs = {
            "-Dchronicle.analytics.disable=true",
            "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
            "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-exports=jdk.unsupported/sun.misc=ALL-UNNAMED",
            "--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED",
            "--add-opens=jdk.compiler/com.sun.tools.javac=ALL-UNNAMED",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
            "--add-opens=java.base/java.io=ALL-UNNAMED",
            "--add-opens=java.base/java.util=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED"
        })
public class MethodBenchmark {
    private static final int LIMIT = 64;
    private static final int RECORDS = 1 << 20;

    /** The calls in each log of {@link #writeLogs}. */
    private static final int IN_LOG = 2_000_000;

    /** What is written. */
    public interface Orders {
        /** A call with an object. */
        void place(Order order);

        /** A call with primitive arguments. */
        void fill(long id, double price, int quantity);
    }

    /** An order of 40 bytes, written by methods of its own in both systems. */
    public static final class Order extends BytesInBinaryMarshallable {
        private long id;
        private long account;
        private long instrument;
        private double price;
        private long quantity;

        @Override
        public void writeMarshallable(BytesOut<?> bytes) {
            bytes.writeLong(id).writeLong(account).writeLong(instrument);
            bytes.writeDouble(price).writeLong(quantity);
        }

        /** Stores the fields as {@link #writeMarshallable} does. */
        void storeInto(byte[] array, int at, VarHandle longs, VarHandle doubles) {
            longs.set(array, at, id);
            longs.set(array, at + 8, account);
            longs.set(array, at + 16, instrument);
            doubles.set(array, at + 24, price);
            longs.set(array, at + 32, quantity);
        }

        @Override
        public void readMarshallable(BytesIn<?> bytes) {
            id = bytes.readLong();
            account = bytes.readLong();
            instrument = bytes.readLong();
            price = bytes.readDouble();
            quantity = bytes.readLong();
        }
    }

    /** What the readers call. */
    private static final class Sums implements Orders {
        private long quantities;
        private double prices;

        @Override
        public void place(Order order) {
            quantities += order.quantity + order.id;
            prices += order.price;
        }

        @Override
        public void fill(long id, double price, int quantity) {
            quantities += quantity + id;
            prices += price;
        }
    }

    /** A writer and a reader of one log. */
    private interface Log extends AutoCloseable {
        Orders writer();

        /** Reads up to 64 calls; begins again at the end. */
        void read();

        @Override
        void close();
    }

    /** The systems. */
    public enum System {
        /** With a WRITTEN topic. */
        FIRN,
        /** With its default options. */
        CHRONICLE,
        /** Firn, to which the same values are appended that were stored by hand; not to be read. */
        BARE,
        /** Batches with their CRC in mapped files; not to be read. */
        FLOOR
    }

    /** Which one. */
    @Param({"FIRN", "CHRONICLE"})
    public System system;

    /** The directory; empty for one in memory, or in target/ where there is no /dev/shm. */
    @Param("")
    public String dir;

    /** The method that is called: place or fill. */
    @Param({"place", "fill"})
    public String method;

    /** What Firn's topic has prepared ahead, in MiB; 0 is the default. */
    @Param("0")
    public int preparedMib;

    private final Order order = new Order();
    private final Sums sums = new Sums();
    private Path directory;
    private Log log;
    private Orders orders;
    private boolean places;
    private long id;

    /** Opens the log, and fills it if it is to be read. */
    @Setup(Level.Trial)
    public void open(BenchmarkParams benchmark) throws IOException {
        openLog();
        places = method.equals("place");
        order.account = 4711;
        order.instrument = 815;
        if (benchmark.getBenchmark().endsWith("read")) {
            for (int i = 0; i < RECORDS; i++) {
                write();
            }
        }
    }

    private void openLog() throws IOException {
        directory = Places.make(dir);
        log =
                switch (system) {
                    case FIRN -> new Firn(directory, sums, preparedMib, false);
                    case BARE -> new Firn(directory, sums, preparedMib, true);
                    case CHRONICLE -> new Chronicle(directory, sums);
                    case FLOOR -> new Floor(directory);
                };
        orders = log.writer();
    }

    /** Deletes the log. */
    @TearDown(Level.Trial)
    public void close() {
        log.close();
        Places.delete(directory);
    }

    /** Makes {@link #writeLogs} begin with an empty log each time. */
    @State(Scope.Benchmark)
    public static class EmptyLog {
        /** Replaces the log. */
        @Setup(Level.Invocation)
        public void open(MethodBenchmark benchmark) throws IOException {
            benchmark.close();
            benchmark.openLog();
            benchmark.write(); // files are there
        }
    }

    /** Writes one call. */
    @Benchmark
    public void write() {
        id++;
        if (places) {
            order.id = id;
            order.price = id * 0.5;
            order.quantity = id & 0xff;
            orders.place(order);
        } else {
            orders.fill(id, id * 0.5, (int) (id & 0xff));
        }
    }

    /** Writes two million calls to an empty log. */
    @Benchmark
    @OperationsPerInvocation(IN_LOG)
    public void writeLogs(EmptyLog empty) {
        for (int i = 0; i < IN_LOG; i++) {
            write();
        }
    }

    /** Reads 64 calls. */
    @Benchmark
    @OperationsPerInvocation(LIMIT)
    public double read() {
        log.read();
        return sums.prices + sums.quantities;
    }

    private static final class Firn implements Log {
        private final LogStore store;
        private final BytesAppender appender;
        private final BytesTailer tailer;
        private final io.firn.bytes.MethodReader reader;
        private final boolean isBare;

        Firn(Path directory, Orders target, int preparedMib, boolean isBare) {
            this.isBare = isBare;
            store = LogStore.at(directory).tier(FileTier.at(directory.resolve("segments"))).open();
            TopicOptions options =
                    TopicOptions.defaults()
                            .withDurability(Durability.WRITTEN)
                            .withPreparedBytes(preparedMib << 20);
            Partition partition = store.createTopic("orders", options).partition(0);
            appender = BytesAppender.of(partition.openExclusiveAppender());
            tailer = BytesTailer.of(partition.openTailer());
            reader = tailer.methodReader(target);
        }

        @Override
        public Orders writer() {
            return isBare ? BareCalls.to(appender.appender()) : appender.methodWriter(Orders.class);
        }

        @Override
        public void read() {
            int read = reader.read(LIMIT);
            if (read < LIMIT) {
                tailer.tailer().seekToStart();
                reader.read(LIMIT - read);
            }
        }

        @Override
        public void close() {
            tailer.close();
            appender.close();
            store.close();
        }
    }

    private static final class Floor implements Log {
        private final Path directory;

        Floor(Path directory) {
            this.directory = directory;
        }

        @Override
        public Orders writer() {
            return BareCalls.to(directory);
        }

        @Override
        public void read() {
            throw new UnsupportedOperationException("a floor is only written");
        }

        @Override
        public void close() {}
    }

    private static final class Chronicle implements Log {
        private final ChronicleQueue queue;
        private final ExcerptAppender appender;
        private final ExcerptTailer tailer;
        private final net.openhft.chronicle.bytes.MethodReader reader;

        Chronicle(Path directory, Orders target) {
            queue = ChronicleQueue.single(directory.toString());
            appender = queue.createAppender();
            tailer = queue.createTailer();
            reader = tailer.methodReader(target);
        }

        @Override
        public Orders writer() {
            return appender.methodWriter(Orders.class);
        }

        @Override
        public void read() {
            for (int i = 0; i < LIMIT; i++) {
                if (!reader.readOne()) {
                    tailer.toStart();
                    reader.readOne();
                }
            }
        }

        @Override
        public void close() {
            tailer.close();
            appender.close();
            queue.close();
        }
    }
}
