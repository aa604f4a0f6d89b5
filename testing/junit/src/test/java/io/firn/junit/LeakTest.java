package io.firn.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;

/** What the test classes of a user leave in a JVM that runs hundreds of them: nothing. */
class LeakTest {
    private static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir"));

    @FirnKafka(topics = "orders:3", bootstrapServersProperty = "leak.bootstrap")
    @FirnStore
    static class Tests {
        @Test
        void producesAndCrashes(FirnKafkaServer kafka, CrashableStore disk) throws Exception {
            FirnKafkaTest.send(kafka, "orders", "one");
            assertEquals(1, kafka.records("orders").size());
            disk.store().createTopic("orders", io.firn.TopicOptions.defaults());
            disk.powerCut();
        }

        @Test
        void consumes(FirnKafkaServer kafka) throws Exception {
            FirnKafkaTest.send(kafka, "orders", "one");
            FirnKafkaTest.consume(kafka, "orders", 1);
        }
    }

    @FirnKafka(topics = "or ders", bootstrapServersProperty = "leak.bootstrap")
    static class Refused {
        @Test
        void neverRuns(FirnKafkaServer kafka) {}
    }

    @FirnKafka(settings = "listeners=PLAINTEXT://192.0.2.1:9092")
    static class WithoutAPort {
        @Test
        void neverRuns(FirnKafkaServer kafka) {}
    }

    @Test
    void shouldLeaveNothingAfterAFewClasses() throws Exception {
        check(2);
    }

    /** 200 tests. */
    @Test
    @Tag("slow")
    void shouldLeaveNothingAfterAHundredClasses() throws Exception {
        check(100);
    }

    private static void check(int classes) throws Exception {
        run(1); // loads classes, fills caches, starts threads of the JDK
        Left before = new Left();
        run(classes);
        // What ends by itself, soon: threads of clients, directories that a thread deletes.
        String left = before.differences();
        for (int i = 0; i < 600 && !left.isEmpty(); i++) {
            Thread.sleep(100);
            left = before.differences();
        }
        assertEquals("", left);
    }

    private static void run(int classes) {
        for (int i = 0; i < classes; i++) {
            EngineTestKit.engine("junit-jupiter")
                    .selectors(selectClass(Tests.class))
                    .execute()
                    .testEvents()
                    .assertStatistics(each -> each.succeeded(2));
            EngineTestKit.engine("junit-jupiter")
                    .selectors(selectClass(Refused.class), selectClass(WithoutAPort.class))
                    .execute()
                    .allEvents()
                    .assertStatistics(each -> each.failed(2));
        }
    }

    /** What there was at a time. */
    private static final class Left {
        private final Map<String, Long> counts = counts();

        /** Returns what there is more of now; a text, for a message. */
        String differences() throws Exception {
            StringBuilder more = new StringBuilder();
            counts().forEach(
                            (what, count) -> {
                                long was = counts.getOrDefault(what, 0L);
                                if (count > was) {
                                    more.append(what + ": " + was + " -> " + count + "\n");
                                }
                            });
            return more.toString();
        }

        private Left() throws Exception {}

        private static Map<String, Long> counts() throws Exception {
            Map<String, Long> counts = new TreeMap<>();
            for (Thread each : Thread.getAllStackTraces().keySet()) {
                String name = each.getName().replaceAll("[0-9]+", "N");
                if (!name.startsWith("junit-") && !name.startsWith("surefire")) {
                    counts.merge("thread " + name, 1L, Long::sum);
                }
            }
            counts.put("property", System.getProperty("leak.bootstrap") == null ? 0L : 1L);
            counts.put("directories", namesIn(TEMPORARY, "firn-junit-"));
            Path descriptors = Path.of("/proc/self/fd");
            if (Files.isDirectory(descriptors)) {
                counts.put("file descriptors", openFiles(descriptors));
            }
            MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
            for (ObjectName each : beans.queryNames(new ObjectName("io.firn*:*"), null)) {
                counts.merge("MBean " + each.getDomain(), 1L, Long::sum);
            }
            instances(beans).forEach((type, count) -> counts.put("instances of " + type, count));
            return counts;
        }

        private static long namesIn(Path directory, String prefix) throws IOException {
            try (Stream<Path> all = Files.list(directory)) {
                return all.filter(each -> each.getFileName().toString().startsWith(prefix)).count();
            }
        }

        /** Without those of jars and logs, which are opened as needed. */
        private static long openFiles(Path descriptors) throws IOException {
            try (Stream<Path> all = Files.list(descriptors)) {
                return all.filter(
                                each -> {
                                    try {
                                        String to = Files.readSymbolicLink(each).toString();
                                        return !to.matches(".*\\.(jar|log|lck|so)( .*)?");
                                    } catch (IOException e) {
                                        return false; // that of the list
                                    }
                                })
                        .count();
            }
        }

        /** Objects of Firn's classes that are reachable. */
        private static Map<String, Long> instances(MBeanServer beans) throws Exception {
            String histogram =
                    (String)
                            beans.invoke(
                                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                    "gcClassHistogram",
                                    new Object[] {new String[0]},
                                    new String[] {String[].class.getName()});
            // Lines such as "  12:      3      96  io.firn.store.Store (io.firn)".
            return histogram
                    .lines()
                    .map(line -> line.strip().split("\\s+"))
                    .filter(part -> part.length > 3 && isOfAServer(part[3]))
                    .collect(
                            Collectors.toMap(
                                    part -> part[3], part -> Long.parseLong(part[1]), Long::sum));
        }

        private static boolean isOfAServer(String type) {
            return type.startsWith("io.firn.")
                    && !type.contains("$$") // lambdas
                    && !type.startsWith("io.firn.junit.LeakTest");
        }
    }
}
