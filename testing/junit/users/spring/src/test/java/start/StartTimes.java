package start;

import io.firn.junit.FirnKafkaServer;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;

/**
 * Measures servers for tests: the time from the start of a server with one topic to the first
 * acknowledged record, in a JVM that has started each several times before, one server after the
 * other; and the memory that one takes. Prints lines of CSV.
 *
 * <pre>
 * StartTimes time STARTS
 * StartTimes memory FIRN|EMBEDDED
 * </pre>
 */
final class StartTimes {
    private static final int WARM_UP = 5;

    /** A broker prints too. */
    private static final PrintStream OUT = System.out;

    private StartTimes() {}

    /** A kind of server. */
    private enum Kind {
        FIRN("firn-junit") {
            @Override
            Running start() {
                FirnKafkaServer server = FirnKafkaServer.of().topic("orders", 1).start();
                return new Running(server.bootstrapServers(), server::close);
            }
        },
        EMBEDDED("EmbeddedKafka") {
            @Override
            Running start() {
                EmbeddedKafkaKraftBroker broker = new EmbeddedKafkaKraftBroker(1, 1, "orders");
                broker.afterPropertiesSet();
                return new Running(broker.getBrokersAsString(), broker::destroy);
            }
        };

        private final String title;

        Kind(String title) {
            this.title = title;
        }

        abstract Running start();
    }

    private record Running(String bootstrapServers, Runnable end) {
        void sendFirst() throws Exception {
            try (KafkaProducer<String, String> producer =
                    new KafkaProducer<>(
                            Map.of("bootstrap.servers", bootstrapServers, "acks", "all"),
                            new StringSerializer(),
                            new StringSerializer())) {
                producer.send(new ProducerRecord<>("orders", "first")).get();
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.setOut(System.err);
        if (arguments.length == 2 && arguments[0].equals("memory")) {
            memory(Kind.valueOf(arguments[1]));
        } else if (arguments.length == 2 && arguments[0].equals("time")) {
            time(Integer.parseInt(arguments[1]));
        } else {
            throw new IllegalArgumentException("time STARTS, or memory FIRN|EMBEDDED");
        }
        System.exit(0); // threads of a broker may be left
    }

    private static void time(int starts) throws Exception {
        Map<Kind, List<Long>> first = new EnumMap<>(Kind.class);
        Map<Kind, List<Long>> close = new EnumMap<>(Kind.class);
        for (Kind each : Kind.values()) {
            first.put(each, new ArrayList<>());
            close.put(each, new ArrayList<>());
        }
        for (int i = -WARM_UP; i < starts; i++) {
            for (Kind each : Kind.values()) {
                long begin = System.nanoTime();
                Running running = each.start();
                running.sendFirst();
                long acknowledged = System.nanoTime();
                running.end().run();
                long closed = System.nanoTime();
                if (i >= 0) {
                    first.get(each).add(acknowledged - begin);
                    close.get(each).add(closed - acknowledged);
                }
            }
        }
        for (Kind each : Kind.values()) {
            print("start to first acknowledged record", each, first.get(each));
            print("close", each, close.get(each));
        }
    }

    private static void print(String what, Kind kind, List<Long> ns) {
        long[] sorted = ns.stream().mapToLong(Long::longValue).sorted().toArray();
        row(what + " (median)", kind, "ms", sorted[sorted.length / 2] / 1e6);
        row(what + " (90th percentile)", kind, "ms", sorted[(sorted.length * 9 - 1) / 10] / 1e6);
    }

    private static void memory(Kind kind) throws Exception {
        long heapBefore = heapBytes();
        long residentBefore = residentBytes();
        Running running = kind.start();
        running.sendFirst();
        row("heap after garbage collection", kind, "MB", (heapBytes() - heapBefore) / 1e6);
        row("resident memory", kind, "MB", (residentBytes() - residentBefore) / 1e6);
        row("threads", kind, "", Thread.activeCount());
        running.end().run();
    }

    private static long heapBytes() {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        long[] used = new long[3];
        for (int i = 0; i < used.length; i++) {
            memory.gc();
            used[i] = memory.getHeapMemoryUsage().getUsed();
        }
        return Arrays.stream(used).min().orElseThrow();
    }

    private static long residentBytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
    }

    private static void row(String what, Kind kind, String unit, double value) {
        OUT.printf(Locale.ROOT, "%s,%s,%s,%.1f%n", what, kind.title, unit, value);
    }
}
