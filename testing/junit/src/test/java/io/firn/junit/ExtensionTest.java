package io.firn.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/** What becomes of the classes of users, run by a JUnit of their own. */
class ExtensionTest {
    private static final List<FirnKafkaServer> SERVERS = new ArrayList<>();
    private static final List<CrashableStore> STORES = new ArrayList<>();
    private static final List<String> ADDRESSES = new ArrayList<>();

    private static Events run(Class<?> tests) {
        SERVERS.clear();
        STORES.clear();
        ADDRESSES.clear();
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(tests))
                .execute()
                .testEvents();
    }

    @FirnKafka(topics = "orders", cleanTopics = FirnKafka.CleanTopics.PER_CLASS)
    static class OneServer {
        @Test
        void first(FirnKafkaServer kafka) throws Exception {
            SERVERS.add(kafka);
            FirnKafkaTest.send(kafka, "orders", "one");
        }

        @Test
        void second(FirnKafkaServer kafka) throws Exception {
            SERVERS.add(kafka);
            FirnKafkaTest.send(kafka, "orders", "two");
            assertEquals(SERVERS.size(), kafka.records("orders").size());
        }
    }

    @Test
    void shouldCloseTheServerOfAClassAndDeleteItsDirectory() {
        run(OneServer.class).assertStatistics(each -> each.succeeded(2));
        assertEquals(1, SERVERS.stream().distinct().count());
        Path directory = SERVERS.get(0).store().directory();
        assertFalse(Files.exists(directory));
        assertFalse(Files.exists(directory.getParent()));
    }

    @FirnKafka(topics = "orders:many")
    static class WrongTopic {
        @Test
        void test(FirnKafkaServer kafka) {}
    }

    @FirnKafka(settings = "num.partition=1")
    static class WrongSetting {
        @Test
        void test(FirnKafkaServer kafka) {}
    }

    @Test
    void shouldSayWhatIsWrongInAnAnnotation() {
        run(WrongTopic.class)
                .assertThatEvents()
                .haveExactly(
                        1,
                        finishedWithFailure(
                                message(
                                        text ->
                                                text.contains(
                                                        "expected name or name:partitions, found"
                                                                + " \"orders:many\""))));
        run(WrongSetting.class)
                .assertThatEvents()
                .haveExactly(
                        1, finishedWithFailure(message(text -> text.contains("num.partitions"))));
    }

    @FirnKafka(topics = "orders:0")
    static class NoPartitions {
        @Test
        void test(FirnKafkaServer kafka) {}
    }

    @FirnKafka(topics = ":3")
    static class NoName {
        @Test
        void test(FirnKafkaServer kafka) {}
    }

    @FirnKafka(topics = "or ders")
    static class NoNameOfATopic {
        @Test
        void test(FirnKafkaServer kafka) {}
    }

    @Test
    void shouldSayWhichTopicOfAnAnnotationIsRefused() {
        for (Class<?> each : List.of(NoPartitions.class, NoName.class, NoNameOfATopic.class)) {
            String topic = each.getAnnotation(FirnKafka.class).topics()[0];
            run(each)
                    .assertThatEvents()
                    .haveExactly(1, finishedWithFailure(message(text -> text.contains(topic))));
        }
    }

    @Test
    void shouldSayWhichAddressIsInUse() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            FirnKafkaServer.Builder builder =
                    FirnKafkaServer.of()
                            .set("listeners", "PLAINTEXT://127.0.0.1:" + taken.getLocalPort());
            UncheckedIOException refused = assertThrows(UncheckedIOException.class, builder::start);
            String message = refused.getMessage();
            assertTrue(message.contains(":" + taken.getLocalPort()), message);
        }
    }

    @FirnKafka(topics = "orders", bootstrapServersProperty = "orders.bootstrap")
    static class WithProperty {
        @Test
        void test() {
            ADDRESSES.add(System.getProperty("orders.bootstrap"));
        }

        @Nested
        class Inside {
            @Test
            void test(FirnKafkaServer kafka) {
                assertEquals(kafka.bootstrapServers(), System.getProperty("orders.bootstrap"));
            }
        }
    }

    @Test
    void shouldSetAPropertyWhileAClassRuns() {
        System.setProperty("orders.bootstrap", "before");
        try {
            run(WithProperty.class).assertStatistics(each -> each.succeeded(2));
            assertTrue(ADDRESSES.get(0).startsWith("127.0.0.1:"), ADDRESSES::toString);
            assertEquals("before", System.getProperty("orders.bootstrap"));
        } finally {
            System.clearProperty("orders.bootstrap");
        }
    }

    @FirnKafka(topics = "orders", bootstrapServersProperty = "orders.bootstrap")
    static class TwoWithOneProperty {
        @Nested
        @FirnKafka(bootstrapServersProperty = "orders.bootstrap")
        class Inside {
            @Test
            void test() {}
        }
    }

    @Test
    void shouldRefuseAPropertyThatAnotherClassHasSet() {
        EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(TwoWithOneProperty.class))
                .execute()
                .allEvents()
                .assertThatEvents()
                .haveExactly(
                        1,
                        finishedWithFailure(
                                message(text -> text.contains("\"orders.bootstrap\""))));
    }

    @FirnStore
    static class TwoStores {
        @Test
        void first(CrashableStore disk) {
            STORES.add(disk);
            assertTrue(disk.store().topicNames().isEmpty());
            disk.store().createTopic("orders", io.firn.TopicOptions.defaults());
        }

        @Test
        void second(CrashableStore disk) {
            first(disk);
        }
    }

    @Test
    void shouldGiveEachTestAStoreOfItsOwn() {
        run(TwoStores.class).assertStatistics(each -> each.succeeded(2));
        assertEquals(2, STORES.stream().distinct().count());
    }
}
