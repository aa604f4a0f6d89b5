package io.firn.server.config;

import io.firn.help.GeneratedPart;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The page of configuration keys has what the code has. */
class ConfigPageTest {
    private static final String PAGE = "docs/reference/configuration.md";

    private static final String HEAD = "| key | default | meaning |\n|---|---|---|\n";

    private static final Set<String> NO_LIMIT = Set.of("2147483647", "9223372036854775807");

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

    /** What the documentation of a key of the server says that is the default of a topic's key. */
    private static final Pattern DEFAULT_OF =
            Pattern.compile("The default of (\\S+) for topics[,.].*");

    private static final Pattern WITHOUT_EFFECT =
            Pattern.compile("(Kept and reported|Accepted), without effect[.:]? ?(.*?)\\.?");

    @Test
    void shouldListTheKeysOfTopics() throws IOException {
        StringBuilder table =
                new StringBuilder("| key | key of the server | default | meaning |\n");
        table.append("|---|---|---|---|\n");
        for (ConfigKey key : TopicKeys.inOrder()) {
            if (!hasNoEffect(key)) {
                table.append(row(key, " " + keysOfTheServer(key.name()) + " |"));
            }
        }
        GeneratedPart.check(PAGE, "topics", table.toString());
    }

    /** Those that are the default of a topic's key, in the order in which they count. */
    private static String keysOfTheServer(String topicKey) {
        return ServerKeys.all().keySet().stream()
                .filter(key -> topicKey.equals(isDefaultOf(key)))
                .map(key -> "`" + key + "`")
                .collect(Collectors.joining(", "));
    }

    private static String isDefaultOf(String serverKey) {
        Matcher matcher = DEFAULT_OF.matcher(ConfigDocumentation.of(serverKey));
        return matcher.matches() ? matcher.group(1) : null;
    }

    @Test
    void shouldListTheKeysOfTheServer() throws IOException {
        check(
                "server",
                key ->
                        !isOfSecurity(key.name())
                                && !hasNoEffect(key)
                                && isDefaultOf(key.name()) == null);
    }

    @Test
    void shouldListTheKeysOfSecurity() throws IOException {
        check("security", key -> isOfSecurity(key.name()));
    }

    @Test
    void shouldListTheKeysWithoutEffect() throws IOException {
        Map<String, List<String>> byReason = new LinkedHashMap<>();
        for (ConfigKey key : allKeys()) {
            if (hasNoEffect(key)) {
                Matcher reason = WITHOUT_EFFECT.matcher(textOf(key));
                reason.matches();
                byReason.computeIfAbsent(reason.group(2), any -> new ArrayList<>())
                        .add("`" + key.name() + "` " + defaultOf(key));
            }
        }
        StringBuilder table = new StringBuilder("| keys and defaults | reason |\n|---|---|\n");
        byReason.forEach(
                (reason, keys) ->
                        table.append("| " + String.join(", ", keys) + " | " + reason + " |\n"));
        GeneratedPart.check(PAGE, "without effect", table.toString());
    }

    /** Those of topics, and those that only the server has. */
    private static List<ConfigKey> allKeys() {
        List<ConfigKey> keys = new ArrayList<>();
        TopicKeys.inOrder().forEach(keys::add);
        ServerKeys.all().values().stream()
                .filter(key -> keys.stream().noneMatch(each -> each.name().equals(key.name())))
                .forEach(keys::add);
        return keys;
    }

    private static void check(String part, Predicate<ConfigKey> which) throws IOException {
        GeneratedPart.check(
                PAGE,
                part,
                ServerKeys.all().values().stream()
                        .filter(which)
                        .map(key -> row(key, ""))
                        .collect(Collectors.joining("", HEAD, "")));
    }

    private static boolean isOfSecurity(String key) {
        return SecurityKeys.all().containsKey(key);
    }

    private static boolean hasNoEffect(ConfigKey key) {
        return WITHOUT_EFFECT.matcher(textOf(key)).matches();
    }

    private static String textOf(ConfigKey key) {
        return ConfigDocumentation.of(key.name());
    }

    private static String row(ConfigKey key, String more) {
        String text = textOf(key).replaceFirst("\\.$", "");
        return String.format("| `%s` |%s %s | %s |%n", key.name(), more, defaultOf(key), text);
    }

    private static String defaultOf(ConfigKey key) {
        String value = key.defaultValue();
        if (BY_MACHINE.containsKey(key.name())) {
            return BY_MACHINE.get(key.name());
        } else if (key.name().endsWith("store.type")) {
            return "that of the JDK, or `PKCS12`";
        } else if (value == null || value.isEmpty()) {
            return "none";
        } else if (NO_LIMIT.contains(value)) {
            return "no limit";
        }
        return "`" + value + "`";
    }
}
