package io.firn.management.console;

import io.firn.server.config.ConfigKey;
import io.firn.server.config.ServerConfig;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Supplier;

/** The keys whose values differ from their defaults. */
final class ConfigList {
    private static final String SECRET = "(secret)";

    private final ServerConfig atStart;
    private final Supplier<ServerConfig> now;

    ConfigList(ServerConfig atStart, Supplier<ServerConfig> now) {
        this.atStart = atStart;
        this.now = now;
    }

    /**
     * A key.
     *
     * @param standard the default; null if there is none
     * @param changed whether a client has set it while the server runs
     */
    record Row(String key, String value, String standard, boolean changed) {}

    /** The answer. */
    record Answer(List<Row> rows) {}

    Answer answer() {
        return new Answer(
                new TreeMap<>(now.get().given())
                        .entrySet().stream()
                                .map(each -> row(each.getKey(), each.getValue()))
                                .filter(row -> !row.value().equals(row.standard()))
                                .toList());
    }

    private Row row(String name, String value) {
        ConfigKey key = ServerConfig.key(name);
        boolean isSecret = key == null || key.isSecret();
        boolean changed = !Objects.equals(value, atStart.given().get(name));
        return new Row(
                name, isSecret ? SECRET : value, key == null ? null : key.defaultValue(), changed);
    }
}
