package io.firn.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.InvalidOptionException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
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
                        Map.of("log.dir", " "),
                        Map.of("num.partitions", "many"),
                        Map.of("num.partitions", "0"),
                        Map.of("auto.create.topics.enable", "yes"),
                        Map.of("log.cleanup.policy", "delete,"),
                        Map.of("unclean.leader.election.enable", "true"),
                        Map.of("sasl.enabled.mechanisms", "GSSAPI"),
                        Map.of("authorizer.class.name", "org.example.Authorizer"),
                        Map.of("listeners", "127.0.0.1:9092"),
                        Map.of("listeners", "INSIDE://127.0.0.1:9092"),
                        Map.of("listeners", "SSL://127.0.0.1:9092,SSL://127.0.0.1:9093"),
                        Map.of("listeners", "SSL://:9092,PLAINTEXT://:9092"),
                        Map.of("listeners", "CONTROLLER://:9092"),
                        Map.of("advertised.listeners", "SSL://example.org:9092"),
                        Map.of("listener.security.protocol.map", "PLAINTEXT:TLS"),
                        Map.of("listener.name.inside.ssl.client.auth", "required"),
                        Map.of("ssl.client.auth", "always"),
                        Map.of("ssl.enabled.protocols", "TLSv1.1"),
                        Map.of("ssl.keystore.type", "BKS"),
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
    void shouldCheckAFileTogetherWithWhatOverridesIt() throws Exception {
        Path file = directory.resolve("server.properties");
        Files.writeString(file, "listener.name.inner.sasl.enabled.mechanisms=SCRAM-SHA-512");
        String wrong =
                assertThrows(InvalidOptionException.class, () -> ServerConfig.read(file))
                        .getMessage();
        assertTrue(wrong.startsWith(file + ": listener.name.inner."), wrong);
        Map<String, String> overrides =
                Map.of(
                        "listeners", "INNER://127.0.0.1:9092",
                        "listener.security.protocol.map", "INNER:SASL_PLAINTEXT");
        Listener inner = ServerConfig.read(file, overrides).listeners().get(0);
        assertEquals("INNER", inner.endpoint().name());
        Map<String, String> other = Map.of("listeners", "PLAINTEXT://127.0.0.1:9092");
        String both =
                assertThrows(InvalidOptionException.class, () -> ServerConfig.read(file, other))
                        .getMessage();
        assertTrue(both.startsWith(file + " and what overrides it: "), both);
    }

    private static Listener listener(String text) {
        return ServerConfig.of(Map.of("listeners", text)).listeners().get(0);
    }

    @Test
    void shouldReadAnAddressOfEachKind() {
        assertEquals(
                new Endpoint("PLAINTEXT", "::1", 9092),
                listener("PLAINTEXT://[::1]:9092").endpoint());
        assertTrue(listener("plaintext://:9092").endpoint().isAnyAddress());
        assertEquals("127.0.0.1", ServerConfig.defaults().listeners().get(0).endpoint().host());
    }

    @Test
    void shouldGiveEachListenerItsProtocolItsAddressAndItsOwnValues() {
        ServerConfig config =
                ServerConfig.of(
                        Map.of(
                                "listeners",
                                "INSIDE://127.0.0.1:9092,outside://:9093,CONTROLLER://:9094",
                                "listener.security.protocol.map",
                                "INSIDE:plaintext,OUTSIDE:SSL",
                                "advertised.listeners",
                                "OUTSIDE://log.example.org:443",
                                "ssl.client.auth",
                                "requested",
                                "listener.name.outside.ssl.client.auth",
                                "required"));
        assertEquals(2, config.listeners().size());
        Listener inside = config.listeners().get(0);
        Listener outside = config.listeners().get(1);
        assertEquals("PLAINTEXT", inside.protocol());
        assertEquals("requested", inside.text("ssl.client.auth"));
        assertEquals(null, inside.advertised());
        assertEquals("SSL", outside.protocol());
        assertEquals("required", outside.text("ssl.client.auth"));
        assertEquals(new Endpoint("OUTSIDE", "log.example.org", 443), outside.advertised());
    }

    @Test
    void shouldSuggestTheNearestKeyOfAListenerAndShowNoSecret() {
        InvalidOptionException e =
                assertThrows(
                        InvalidOptionException.class,
                        () ->
                                ServerConfig.of(
                                        Map.of(
                                                "listener.name.ssl.ssl.keystre.password",
                                                "s3cret")));
        assertTrue(
                e.getMessage().contains("did you mean 'listener.name.ssl.ssl.keystore.password'"),
                e.getMessage());
        assertTrue(!e.getMessage().contains("s3cret"), e.getMessage());
    }

    /** Keys whose empty value means something, or which have no effect. */
    private static final Set<String> MAY_BE_EMPTY =
            Set.of(
                    "authorizer.class.name",
                    "log.cleanup.policy",
                    "sasl.enabled.mechanisms",
                    "sasl.oauthbearer.expected.audience",
                    "ssl.cipher.suites",
                    "super.users");

    @Test
    void shouldTakeNoEmptyValueForADefault() {
        List<String> taken = new ArrayList<>();
        for (ConfigKey key : ServerKeys.all().values()) {
            if (key.isSecret()
                    || ServerKeys.isWithoutEffect(key.name())
                    || MAY_BE_EMPTY.contains(key.name())) {
                continue;
            }
            boolean isList = key.type() == ConfigType.LIST;
            for (String empty : isList ? List.of("", " ", ",", " , ") : List.of("", " ")) {
                try {
                    ServerConfig.of(Map.of(key.name(), empty));
                    taken.add(key.name() + "=" + empty);
                } catch (InvalidOptionException e) {
                    assertTrue(e.getMessage().contains(key.name()), e::getMessage);
                }
            }
        }
        assertEquals(List.of(), taken);
    }

    @Test
    void shouldTakeOneDirectoryAndSayWhatSpreadsRecordsOverSeveral() {
        assertEquals(Path.of("a"), ServerConfig.of(Map.of("log.dirs", "a")).directory());
        InvalidOptionException e =
                assertThrows(
                        InvalidOptionException.class,
                        () -> ServerConfig.of(Map.of("log.dirs", "/a,/b")));
        assertTrue(e.getMessage().contains("storage.tiers"), e::getMessage);
    }

    /** A new key that only Storage reads has to be named among those of the store. */
    @Test
    void shouldNameTheKeysThatHaveNoEffectOnAnEmbeddedServer() throws IOException {
        Path sources = Path.of("src/main/java/io/firn/server");
        String storage = Files.readString(sources.resolve("Storage.java"));
        StringBuilder others = new StringBuilder();
        try (Stream<Path> all = Files.walk(sources)) {
            for (Path each : all.filter(p -> p.toString().endsWith(".java")).toList()) {
                String name = each.getFileName().toString();
                if (!Set.of("Storage.java", "ServerKeys.java").contains(name)) {
                    others.append(Files.readString(each));
                }
            }
        }
        for (String key : ServerKeys.all().keySet()) {
            String quoted = '"' + key + '"';
            boolean isStores =
                    (storage.contains(quoted) && others.indexOf(quoted) < 0)
                            || key.startsWith("log.dir");
            assertEquals(isStores, ServerKeys.isOfStore(key), key);
        }
        ServerConfig config =
                ServerConfig.of(
                        Map.of("log.dirs", "a", "zookeeper.connect", "b", "num.partitions", "3"));
        assertEquals(List.of("log.dirs", "zookeeper.connect"), config.withoutEffectWhenEmbedded());
    }
}
