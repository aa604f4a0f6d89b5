package io.firn.shadow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.LogStore;
import io.firn.file.FileTier;
import io.firn.sim.FirstRunOnly;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How many fetches a broker has at a time. */
@FirstRunOnly
class FetchAheadTest {
    private static final String TOPIC = "orders";

    @TempDir Path directory;

    private int connectionsBefore;

    private interface Check {
        void check(Shadow shadow, FetchProxy proxy, InProcessSource source, LogStore store)
                throws Exception;
    }

    /** Follows a topic through a proxy, in answers of some batches; checks when all is copied. */
    private void follow(int partitions, Map<String, String> settings, Check check)
            throws Exception {
        follow(partitions, 20, settings, check);
    }

    private void follow(int partitions, long delayMs, Map<String, String> settings, Check check)
            throws Exception {
        try (FetchProxy proxy = new FetchProxy(delayMs);
                InProcessSource source =
                        new InProcessSource(
                                directory.resolve("source"),
                                proxy.sourcePort(),
                                Map.of("advertised.listeners", "PLAINTEXT://" + proxy.address()));
                LogStore store =
                        LogStore.at(directory.resolve("store"))
                                .tier(FileTier.at(directory.resolve("segments")))
                                .open()) {
            source.create(TOPIC, partitions, Map.of());
            for (int i = 0; i < partitions; i++) {
                source.produce(TOPIC, i, 0, 2_000, Map.of("batch.size", "1000"));
            }
            proxy.takeMostUnanswered();
            Properties properties = source.properties();
            properties.setProperty("bootstrap.servers", proxy.address());
            properties.setProperty("max.partition.fetch.bytes", "4000");
            properties.putAll(settings);
            connectionsBefore = proxy.connections();
            try (Shadow shadow = Shadow.of(store, properties).topics(TOPIC).start()) {
                Shadows.await(() -> isCopied(shadow, partitions), shadow);
                check.check(shadow, proxy, source, store);
            }
        }
    }

    private static boolean isCopied(Shadow shadow, int partitions) {
        return shadow.snapshot().partitions().stream().filter(p -> p.nextOffset() == 2_000).count()
                == partitions;
    }

    @Test
    void shouldFetchSomePartitionsWhileOthersAreAnswered() throws Exception {
        follow(
                3,
                Map.of(),
                (shadow, proxy, source, store) -> {
                    assertEquals(2, proxy.takeMostUnanswered());
                    for (int i = 0; i < 3; i++) {
                        assertArrayEquals(
                                Batches.of(source.store().openTopic(TOPIC).partition(i), 0),
                                Batches.of(store.openTopic(TOPIC).partition(i), 0));
                    }
                });
    }

    @Test
    void shouldNotFetchBehindOneThatWaitsForNewRecords() throws Exception {
        follow(
                3,
                Map.of(),
                (shadow, proxy, source, store) -> {
                    Shadows.await(() -> proxy.answered() > 0, shadow);
                    do {
                        proxy.takeMostUnanswered(); // until those of the catch-up are answered
                        Shadows.await(() -> proxy.answered() >= 3, shadow);
                    } while (proxy.takeMostUnanswered() > 1);
                    Shadows.await(() -> proxy.answered() >= 10, shadow);
                    assertEquals(1, proxy.takeMostUnanswered());
                });
    }

    @Test
    void shouldFetchAPartitionOnceAtATime() throws Exception {
        follow(
                1,
                Map.of(),
                (shadow, proxy, source, store) -> assertEquals(1, proxy.takeMostUnanswered()));
    }

    @Test
    void shouldFetchOnceAtATimeWhereAnswersWaitForMoreBytes() throws Exception {
        follow(
                3,
                Map.of("fetch.min.bytes", "100"),
                (shadow, proxy, source, store) -> assertEquals(1, proxy.takeMostUnanswered()));
    }

    @Test
    void shouldFetchOnceAtATimeFromABrokerThatTakesMuchOfTheTimeThatAnAnswerMay() throws Exception {
        follow(
                4,
                400, // more than a quarter of the time-out, and far below it on a busy machine
                Map.of("request.timeout.ms", "1500"),
                (shadow, proxy, source, store) -> {
                    assertEquals(1, proxy.takeMostUnanswered());
                    assertEquals(2, proxy.connections() - connectionsBefore); // one to begin with
                });
    }
}
