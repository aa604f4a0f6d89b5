package io.firn.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/** What becomes of the classes of users, run by a JUnit of their own. */
class ExtensionTest {
    private static final List<FirnKafkaServer> SERVERS = new ArrayList<>();
    private static final List<CrashableStore> STORES = new ArrayList<>();

    private static Events run(Class<?> tests) {
        SERVERS.clear();
        STORES.clear();
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
