package io.firn.server.config;

import io.firn.help.GeneratedPart;
import java.io.IOException;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** The page of configuration keys has what the code has. */
class ConfigPageTest {
    private static final String PAGE = "docs/reference/configuration.md";

    /** Defaults that depend on the machine. */
    private static final Map<String, String> BY_MACHINE =
            Map.of(
                    "num.network.threads", "half of the processors, 1 to 3",
                    "log.cleaner.dedupe.buffer.size", "1/8 of the heap, at most 32 MiB",
                    "socket.request.max.bytes", "2/5 of the heap, at most 100 MiB",
                    "queued.max.request.bytes", "3/32 of the heap, at most 256 MiB",
                    "max.connections", "1/32 of the heap, 4 KiB each, at most 10,000",
                    "firn.groups.max.bytes", "1/16 of the heap",
                    "firn.max.partitions", "5/64 of the heap, 8 KiB each");

    @Test
    void shouldListTheKeysOfTopics() throws IOException {
        GeneratedPart.check(PAGE, "topics", table(TopicKeys.inOrder(), key -> true));
    }

    @Test
    void shouldListTheKeysOfTheServer() throws IOException {
        check("server", key -> !isOfSecurity(key) && !ServerKeys.isWithoutEffect(key));
    }

    @Test
    void shouldListTheKeysOfSecurity() throws IOException {
        check("security", ConfigPageTest::isOfSecurity);
    }

    @Test
    void shouldListTheKeysWithoutEffect() throws IOException {
        check("without effect", ServerKeys::isWithoutEffect);
    }

    private static void check(String part, Predicate<String> which) throws IOException {
        GeneratedPart.check(PAGE, part, table(ServerKeys.all().values(), which));
    }

    private static boolean isOfSecurity(String key) {
        return SecurityKeys.all().containsKey(key);
    }

    private static String table(Iterable<ConfigKey> keys, Predicate<String> which) {
        return "| key | type | default | meaning |\n|---|---|---|---|\n"
                + StreamSupport.stream(keys.spliterator(), false)
                        .filter(key -> which.test(key.name()))
                        .map(ConfigPageTest::row)
                        .collect(Collectors.joining("\n"));
    }

    private static String row(ConfigKey key) {
        return String.format(
                "| `%s` | %s | %s | %s |",
                key.name(), key.type(), defaultOf(key), ConfigDocumentation.of(key.name()));
    }

    private static String defaultOf(ConfigKey key) {
        if (BY_MACHINE.containsKey(key.name())) {
            return BY_MACHINE.get(key.name());
        } else if (key.name().endsWith("store.type")) {
            return "that of the JDK, or `PKCS12`";
        }
        boolean isEmpty = key.defaultValue() == null || key.defaultValue().isEmpty();
        return isEmpty ? "none" : "`" + key.defaultValue() + "`";
    }
}
