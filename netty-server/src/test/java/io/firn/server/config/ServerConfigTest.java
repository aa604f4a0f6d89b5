package io.firn.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.InvalidOptionException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerConfigTest {
    @TempDir Path directory;

    @Test
    void shouldSuggestTheNearestKeyForAnUnknownOne() {
        InvalidOptionException e =
                assertThrows(
                        InvalidOptionException.class,
                        () -> ServerConfig.of(Map.of("log.chanel.type", "mix")));
        assertTrue(e.getMessage().contains("did you mean 'log.channel.type'"), e.getMessage());
    }

    @Test
    void shouldRefuseValuesThatDoNotFit() {
        for (Map<String, String> each :
                List.of(
                        Map.of("log.channel.type", "disk"),
                        Map.of("num.partitions", "many"),
                        Map.of("num.partitions", "0"),
                        Map.of("auto.create.topics.enable", "yes"),
                        Map.of("log.cleanup.policy", "delete,"),
                        Map.of("unclean.leader.election.enable", "true"),
                        Map.of("sasl.enabled.mechanisms", "PLAIN"),
                        Map.of("authorizer.class.name", "org.example.Authorizer"),
                        Map.of("listeners", "127.0.0.1:9092"),
                        Map.of("listeners", "SSL://127.0.0.1:9092"),
                        Map.of("listeners", "PLAINTEXT://127.0.0.1:99999"))) {
            assertThrows(
                    InvalidOptionException.class, () -> ServerConfig.of(each), each.toString());
        }
    }

    @Test
    void shouldAcceptWhatCannotBeOtherwiseWhenItIsSoGiven() {
        Map<String, String> facts =
                Map.of(
                        "unclean.leader.election.enable", "FALSE",
                        "security.inter.broker.protocol", "PLAINTEXT",
                        "group.coordinator.rebalance.protocols", "classic");
        assertEquals(List.of(), ServerConfig.of(facts).withoutEffect());
    }

    @Test
    void shouldTakeTheShorterUnitOfTimeFirst() {
        Map<String, String> hours = Map.of("log.retention.hours", "2");
        assertEquals("7200000", ServerConfig.of(hours).topicDefaults().get("retention.ms"));
        Map<String, String> both = Map.of("log.retention.hours", "2", "log.retention.ms", "7");
        assertEquals("7", ServerConfig.of(both).topicDefaults().get("retention.ms"));
    }

    @Test
    void shouldReadPafkasSample() throws Exception {
        Path file = directory.resolve("server.properties");
        Files.writeString(
                file,
                """
                log.dirs=/mnt/pmem/kafka/
                storage.pmem.path=/mnt/pmem/kafka/
                storage.pmem.size=600000000000
                storage.hdd.path=/mnt/hdd/kafka
                log.pmem.pool.ratio=0.8
                log.channel.type=mix
                # log.preallocate have to set to true if pmem is used
                log.preallocate=true
                """);
        ServerConfig config = ServerConfig.read(file);
        assertEquals(600_000_000_000L, config.number("storage.pmem.size"));
        assertEquals(Path.of("/mnt/pmem/kafka/"), config.directory());
        assertEquals(List.of("log.preallocate"), config.withoutEffect());
    }

    @Test
    void shouldReadAnAddressOfEachKind() {
        assertEquals(
                new Endpoint("PLAINTEXT", "::1", 9092),
                ServerConfig.of(Map.of("listeners", "PLAINTEXT://[::1]:9092")).listener());
        assertTrue(
                ServerConfig.of(Map.of("listeners", "PLAINTEXT://:9092"))
                        .listener()
                        .isAnyAddress());
        assertEquals("127.0.0.1", ServerConfig.defaults().listener().host());
    }
}
