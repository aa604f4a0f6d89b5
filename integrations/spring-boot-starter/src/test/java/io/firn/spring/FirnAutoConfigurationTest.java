package io.firn.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.Durability;
import io.firn.LogStore;
import io.firn.RecordId;
import io.firn.StoredRecord;
import io.firn.TopicOptions;
import io.firn.UnknownTopicException;
import io.firn.file.FileTier;
import io.firn.micrometer.FirnMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class FirnAutoConfigurationTest {
    @TempDir Path directory;

    @Test
    void shouldOpenTheStoreWithTheTopicsOfTheProperties() {
        Contexts.in(directory)
                .withPropertyValues(
                        "firn.tiers[0].name=ssd",
                        "firn.tiers[0].directory=" + directory.resolve("ssd"),
                        "firn.tiers[0].capacity=1GB",
                        "firn.topics[0].retention-age=7d",
                        "firn.topics[0].retain-until-read=billing",
                        "firn.topics[1].name=audit",
                        "firn.topics[1].durability=written",
                        "firn.topics[1].tiers=ssd")
                .run(
                        context -> {
                            LogStore store = context.getBean(LogStore.class);
                            TopicOptions orders = store.openTopic("orders").options();
                            TopicOptions audit = store.openTopic("audit").options();
                            assertThat(orders.partitions()).isEqualTo(2);
                            assertThat(orders.segmentBytes()).isEqualTo(1 << 20);
                            assertThat(orders.retentionAge()).contains(Duration.ofDays(7));
                            assertThat(orders.retainUntilRead().cursors())
                                    .containsExactly("billing");
                            assertThat(audit.durability()).isEqualTo(Durability.WRITTEN);
                            assertThat(audit.tiers()).containsExactly("ssd");
                            assertThat(store.metrics().tier("ssd").capacityBytes())
                                    .hasValue(1 << 30);
                        });
    }

    @Test
    void shouldCloseTheStoreWithTheContext() {
        Contexts.in(directory).run(context -> assertThat(context).hasNotFailed());
        Contexts.in(directory).run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void shouldDoNothingWithoutADirectory() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(FirnAutoConfiguration.class))
                .run(
                        context -> {
                            assertThat(context).hasNotFailed();
                            assertThat(context).doesNotHaveBean(LogStore.class);
                            assertThat(context).doesNotHaveBean(FirnTemplate.class);
                        });
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnStore {
        @Bean
        LogStore mine(FirnProperties properties) {
            Path place = properties.directory().resolve("own");
            LogStore store = LogStore.at(place).tier(FileTier.at(place.resolve("s"))).open();
            store.ensureTopic("mine", TopicOptions.defaults());
            return store;
        }
    }

    @Test
    void shouldUseTheStoreThatTheApplicationOpens() {
        Contexts.in(directory)
                .withUserConfiguration(OwnStore.class)
                .run(
                        context -> {
                            assertThat(context).hasSingleBean(LogStore.class);
                            RecordId place =
                                    context.getBean(FirnTemplate.class).append("mine", "a");
                            assertThat(place).isEqualTo(new RecordId(0, 0));
                        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Customized {
        @Bean
        LogStoreCustomizer onePartition() {
            return builder -> builder.maxPartitions(1);
        }
    }

    @Test
    void shouldLetTheApplicationChangeHowTheStoreIsOpened() {
        Contexts.in(directory)
                .withUserConfiguration(Customized.class)
                .run(
                        context ->
                                assertThat(context.getStartupFailure())
                                        .rootCause()
                                        .isInstanceOf(io.firn.LimitExceededException.class));
    }

    @Test
    void shouldReleaseTheStoreWhenATopicIsRefused() {
        Contexts.in(directory).run(context -> assertThat(context).hasNotFailed());
        Contexts.in(directory)
                .withPropertyValues("firn.topics[0].segment-size=2MB")
                .run(context -> assertThat(context).hasFailed());
        Contexts.in(directory).run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void shouldRefuseWrongPropertiesByTheirNames() {
        Map<String, String> wrong =
                Map.of(
                        "firn.topics[1].name=orders", "firn.topics: each name is expected once",
                        "firn.topics[1].partitions=3", "firn.topics[].name is missing",
                        "firn.topics[1].name=a b", "a topic's name has",
                        "firn.tiers[0].name=ssd", "firn.tiers[].directory is missing",
                        "firn.listener.attempts=0", "firn.listener.attempts is 1 or more, found 0",
                        "firn.listener.dead-letter-suffix=!", "firn.listener.dead-letter-suffix",
                        "firn.server.port=65536", "firn.server.port is 0 to 65,535");
        wrong.forEach(
                (property, message) ->
                        Contexts.in(directory)
                                .withPropertyValues(property)
                                .run(
                                        context ->
                                                assertThat(context.getStartupFailure())
                                                        .as(property)
                                                        .rootCause()
                                                        .hasMessageContaining(message)));
    }

    @Test
    void shouldAppendKeysValuesAndHeaders() {
        Contexts.in(directory)
                .run(
                        context -> {
                            FirnTemplate template = context.getBean(FirnTemplate.class);
                            LogStore store = context.getBean(LogStore.class);
                            RecordId one =
                                    template.append(
                                            "orders", "alice", "1 book", Map.of("trace", "7"));
                            RecordId two =
                                    template.appendFuture("orders", "alice", "2 pens", Map.of())
                                            .join();
                            assertThat(two.partition()).isEqualTo(one.partition());
                            List<StoredRecord> records =
                                    store.openTopic("orders").openTailer().stream().toList();
                            assertThat(records)
                                    .extracting(each -> new String(each.value(), UTF_8))
                                    .containsExactly("1 book", "2 pens");
                            assertThat(records.get(0).key()).isEqualTo("alice".getBytes(UTF_8));
                            assertThat(records.get(0).headers())
                                    .containsExactly(
                                            new StoredRecord.Header("trace", "7".getBytes(UTF_8)));
                        });
    }

    @Test
    void shouldAppendToATopicThatWasDeletedAndCreatedAgain() {
        Contexts.in(directory)
                .run(
                        context -> {
                            FirnTemplate template = context.getBean(FirnTemplate.class);
                            LogStore store = context.getBean(LogStore.class);
                            template.append("orders", "a");
                            store.deleteTopic("orders");
                            Assertions.assertThatThrownBy(() -> template.append("orders", "b"))
                                    .isInstanceOf(UnknownTopicException.class);
                            store.ensureTopic("orders", TopicOptions.defaults());
                            assertThat(template.append("orders", "c"))
                                    .isEqualTo(new RecordId(0, 0));
                        });
    }

    @Test
    void shouldPublishMetrics() {
        Contexts.in(directory)
                .run(
                        context -> {
                            SimpleMeterRegistry registry = new SimpleMeterRegistry();
                            context.getBean(FirnMetrics.class).bindTo(registry);
                            assertThat(
                                            registry.get("firn.topic.next.offset")
                                                    .tag("topic", "orders")
                                                    .gauge()
                                                    .value())
                                    .isZero();
                        });
    }
}
