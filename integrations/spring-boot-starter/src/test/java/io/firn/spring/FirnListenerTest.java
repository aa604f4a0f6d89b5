package io.firn.spring;

import static io.firn.api.Waiting.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.CleanupPolicy;
import io.firn.LogRecord;
import io.firn.LogStore;
import io.firn.StoredRecord;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.TopicOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

class FirnListenerTest {
    @TempDir Path directory;

    /** Takes what it gets, and fails at records that are to fail. */
    static final class Billing {
        final List<String> seen = new CopyOnWriteArrayList<>();
        final Set<String> threads = ConcurrentHashMap.newKeySet();
        volatile boolean isBroken = true;

        @FirnListener(topic = "orders", cursor = "billing", concurrency = 2)
        void bill(
                String order,
                @FirnKey String customer,
                @FirnHeader("trace") String trace,
                LogRecord record,
                StoredRecord copy) {
            seen.add(order);
            threads.add(Thread.currentThread().getName());
            assertThat(record.offset()).isEqualTo(copy.offset());
            if (order.startsWith("bad") && isBroken) {
                throw new IllegalStateException("no price for " + customer + " " + trace);
            }
        }
    }

    private ApplicationContextRunner runner() {
        return Contexts.in(directory).withBean(Billing.class, Billing::new);
    }

    private static FirnTemplate template(ApplicationContext context) {
        return context.getBean(FirnTemplate.class);
    }

    private static LogStore store(ApplicationContext context) {
        return context.getBean(LogStore.class);
    }

    private static List<StoredRecord> deadLetters(LogStore store) {
        if (!store.hasTopic("orders.dlt")) {
            return List.of();
        }
        try (Tailer tailer = store.openTopic("orders.dlt").openTailer()) {
            return tailer.stream().toList();
        }
    }

    private static long lag(LogStore store) {
        return store.openTopic("orders").cursorMetrics().stream()
                .mapToLong(each -> each.lagRecords())
                .sum();
    }

    private static Map<String, String> headers(StoredRecord record) {
        return record.headers().stream()
                .collect(
                        Collectors.toMap(
                                StoredRecord.Header::key, each -> new String(each.value(), UTF_8)));
    }

    @Test
    void shouldGiveEachRecordToTheListener() {
        runner().run(
                        context -> {
                            Billing billing = context.getBean(Billing.class);
                            for (int i = 0; i < 100; i++) {
                                template(context).append("orders", "customer " + i, "order " + i);
                            }
                            await("all orders", () -> billing.seen.size() == 100);
                            assertThat(billing.threads)
                                    .containsExactlyInAnyOrder(
                                            "firn-orders-billing-0", "firn-orders-billing-1");
                            await("the cursor", () -> lag(store(context)) == 0);
                        });
    }

    @Test
    void shouldPutARecordThatFailsIntoTheDeadLetterTopicAndGoOn() {
        runner().run(
                        context -> {
                            Billing billing = context.getBean(Billing.class);
                            LogStore store = store(context);
                            template(context)
                                    .append("orders", "alice", "bad", Map.of("trace", "7"));
                            template(context).append("orders", "alice", "good");
                            await("the good one", () -> billing.seen.contains("good"));
                            assertThat(billing.seen).containsExactly("bad", "bad", "bad", "good");
                            StoredRecord dead = deadLetters(store).get(0);
                            assertThat(new String(dead.value(), UTF_8)).isEqualTo("bad");
                            assertThat(new String(dead.key(), UTF_8)).isEqualTo("alice");
                            assertThat(headers(dead))
                                    .containsEntry("trace", "7")
                                    .containsEntry("firn-origin-topic", "orders")
                                    .containsEntry("firn-origin-offset", "0")
                                    .containsEntry("firn-cursor", "billing")
                                    .containsEntry("firn-attempts", "3")
                                    .containsEntry("firn-cause", "java.lang.IllegalStateException")
                                    .containsEntry("firn-message", "no price for alice 7")
                                    .containsKeys("firn-origin-partition", "firn-origin-timestamp");
                            await("the cursor", () -> lag(store) == 0);
                        });
    }

    /** What the cursor has passed when the process dies is at its last commit. */
    @Test
    void shouldCommitTheCursorWhenARecordIsInTheDeadLetterTopic() {
        runner().run(
                        context -> {
                            template(context).append("orders", "alice", "bad");
                            await("a dead letter", () -> !deadLetters(store(context)).isEmpty());
                            await("the cursor", () -> lag(store(context)) == 0);
                        });
    }

    @Test
    void shouldKeepTryingWhileTheDeadLetterTopicRefuses() {
        runner().run(
                        context -> {
                            Billing billing = context.getBean(Billing.class);
                            LogStore store = store(context);
                            store.ensureTopic(
                                    "orders.dlt", // which refuses records without a key
                                    TopicOptions.defaults().withCleanup(CleanupPolicy.COMPACT));
                            template(context).append("orders", "bad");
                            await("more attempts", () -> billing.seen.size() > 5);
                            assertThat(deadLetters(store)).isEmpty();
                            assertThat(lag(store)).isEqualTo(1);
                            billing.isBroken = false;
                            await("the cursor", () -> lag(store) == 0);
                        });
    }

    /** Fails at nothing but what cannot be converted. */
    static final class Numbers {
        final List<Integer> seen = new CopyOnWriteArrayList<>();

        @FirnListener(topic = "${topic:orders}", cursor = "numbers")
        void take(Integer number) {
            seen.add(number);
        }
    }

    @Test
    void shouldNotRetryWhatCannotBeConverted() {
        Contexts.in(directory)
                .withBean(Numbers.class, Numbers::new)
                .withUserConfiguration(BasicCodecTest.Jackson3.class)
                .run(
                        context -> {
                            template(context).append("orders", "k", "NaN?");
                            template(context).append("orders", "k", 7);
                            Numbers numbers = context.getBean(Numbers.class);
                            await("the number", () -> numbers.seen.equals(List.of(7)));
                            assertThat(headers(deadLetters(store(context)).get(0)))
                                    .containsEntry("firn-attempts", "1")
                                    .containsEntry(
                                            "firn-cause",
                                            RecordConversionException.class.getName());
                        });
    }

    @Test
    void shouldGoOnAfterARestartWhereTheCursorIs() {
        runner().run(
                        context -> {
                            template(context).append("orders", "a", "one");
                            Billing billing = context.getBean(Billing.class);
                            await("one", () -> billing.seen.contains("one"));
                        });
        runner().run(
                        context -> {
                            template(context).append("orders", "a", "two");
                            Billing billing = context.getBean(Billing.class);
                            await("two", () -> billing.seen.contains("two"));
                            assertThat(billing.seen).containsExactly("two");
                        });
    }

    @Test
    void shouldReadARecordAgainWhoseRetriesTheEndOfTheApplicationCutShort() {
        runner().withPropertyValues(
                        "firn.listener.first-back-off=1h", "firn.listener.longest-back-off=1h")
                .run(
                        context -> {
                            template(context).append("orders", "a", "bad");
                            Billing billing = context.getBean(Billing.class);
                            await("an attempt", () -> billing.seen.size() == 1);
                        });
        runner().run(
                        context -> {
                            Billing billing = context.getBean(Billing.class);
                            await("dead letter", () -> !deadLetters(store(context)).isEmpty());
                            assertThat(billing.seen).containsExactly("bad", "bad", "bad");
                        });
    }

    @Test
    void shouldEndAndBeDownWhenRecordsAreLost() {
        deleteUnreadRecords();
        runner().run(
                        context -> {
                            FirnListeners listeners = context.getBean(FirnListeners.class);
                            await("the end", () -> !listeners.failures().isEmpty());
                            assertThat(listeners.failures().values())
                                    .allMatch(each -> each.contains("OffsetOutOfRangeException"));
                            FirnHealth.State health =
                                    new FirnHealth(store(context), listeners).state();
                            assertThat(health.isUp()).isFalse();
                            assertThat(health.details()).containsKey("endedListeners");
                        });
    }

    @Test
    void shouldSkipLostRecordsWhenAskedTo() {
        deleteUnreadRecords();
        runner().withPropertyValues("firn.listener.lost-records=skip")
                .run(
                        context -> {
                            Billing billing = context.getBean(Billing.class);
                            await("the last one", () -> billing.seen.contains("kept"));
                            assertThat(billing.seen).doesNotContain("lost");
                        });
    }

    private void deleteUnreadRecords() {
        Contexts.in(directory)
                .run(
                        context -> {
                            LogStore store = store(context);
                            template(context).append("orders", "a", "read");
                            var topic = store.openTopic("orders");
                            try (Tailer tailer = topic.openTailer(TailerOptions.at("billing"))) {
                                tailer.forEach(each -> {}, 10);
                            }
                            template(context).append("orders", "a", "lost");
                            var place = template(context).append("orders", "a", "kept");
                            topic.partition(place.partition()).deleteRecordsBefore(place.offset());
                        });
    }

    /** Two listeners at one cursor. */
    static final class Second {
        @FirnListener(topic = "orders", cursor = "billing")
        void bill(String order) {}
    }

    static final class Returning {
        @FirnListener(topic = "orders", cursor = "c")
        String bill(String order) {
            return order;
        }
    }

    static final class Ambiguous {
        @FirnListener(topic = "orders", cursor = "c")
        void bill(String order, String customer) {}
    }

    static final class Elsewhere {
        @FirnListener(topic = "offers", cursor = "c")
        void take(String offer) {}
    }

    @Test
    void shouldRefuseListenersThatCannotWork() {
        refuse(runner().withBean(Second.class), "one listener is expected");
        refuse(Contexts.in(directory).withBean(Returning.class), "void is expected");
        refuse(Contexts.in(directory).withBean(Ambiguous.class), "two parameters for the value");
        refuse(
                Contexts.in(directory).withBean(Elsewhere.class),
                "'offers', which does not exist: name it in firn.topics");
    }

    private static void refuse(ApplicationContextRunner runner, String message) {
        runner.run(
                context ->
                        assertThat(context.getStartupFailure())
                                .rootCause()
                                .hasMessageContaining(message));
    }

    @Test
    void shouldStartListenersOfALazyApplication() {
        runner().withInitializer(
                        context ->
                                context.addBeanFactoryPostProcessor(
                                        new org.springframework.boot
                                                .LazyInitializationBeanFactoryPostProcessor()))
                .run(
                        context ->
                                assertThat(context.getBean(FirnListeners.class).isRunning())
                                        .isTrue());
    }

    /** Stays in its method until it may go on. */
    static final class Slow {
        final CountDownLatch entered = new CountDownLatch(1);
        final CountDownLatch mayLeave = new CountDownLatch(1);
        volatile boolean hasLeft;

        @FirnListener(topic = "orders", cursor = "slow")
        void take(String order) throws InterruptedException {
            entered.countDown();
            mayLeave.await();
            hasLeft = true;
        }
    }
}
