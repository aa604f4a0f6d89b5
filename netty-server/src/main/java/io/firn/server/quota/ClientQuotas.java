package io.firn.server.quota;

import io.firn.medium.Fields;
import io.firn.medium.FileMedium;
import io.firn.server.state.StateFile;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The client quotas of a store. A change is durable before it is used, and before it is answered
 * (rule O25, {@link StateFile}). Thread-safe; decisions read a snapshot.
 */
public final class ClientQuotas {
    /** Entities with quotas. */
    static final int MOST = 20_000;

    /** All of the file; it is written anew with each change. */
    private static final int MOST_CHARS = 8 << 20;

    private static final StateFile.Format<QuotaSnapshot> FORMAT = new Format();

    private final StateFile<QuotaSnapshot> file;

    private ClientQuotas(StateFile<QuotaSnapshot> file) {
        this.file = file;
    }

    /**
     * Reads the file; without one there are no quotas.
     *
     * @param directory the directory of the file, which exists
     * @throws IOException if the file cannot be read
     */
    public static ClientQuotas open(FileMedium medium, Path directory) throws IOException {
        return new ClientQuotas(
                StateFile.open(medium, directory.resolve("quotas"), FORMAT, QuotaSnapshot.NONE));
    }

    /**
     * Sets and removes quotas, all of them or none, durably on return.
     *
     * @param changes the new values of each entity; null removes a value
     * @return false if there would be too many; nothing has changed
     * @throws IOException if they could not be written; whether they are there after a restart is
     *     then unknown, and until then the old ones are used
     */
    public boolean change(Map<QuotaEntity, Map<QuotaType, Double>> changes) throws IOException {
        long added =
                changes.values().stream()
                        .filter(each -> each.values().stream().anyMatch(Objects::nonNull))
                        .count();
        if (added > MOST) {
            return false; // before all of them are written out
        }
        return file.change(before -> changed(before, changes), added > 0);
    }

    private static QuotaSnapshot changed(
            QuotaSnapshot before, Map<QuotaEntity, Map<QuotaType, Double>> changes) {
        Map<QuotaEntity, Map<QuotaType, Double>> next = new HashMap<>(before.all());
        changes.forEach(
                (entity, asked) -> {
                    Map<QuotaType, Double> values = new EnumMap<>(QuotaType.class);
                    values.putAll(next.getOrDefault(entity, Map.of()));
                    asked.forEach(
                            (key, value) -> {
                                if (value == null) {
                                    values.remove(key);
                                } else {
                                    values.put(key, value);
                                }
                            });
                    if (values.isEmpty()) {
                        next.remove(entity);
                    } else {
                        next.put(entity, Map.copyOf(values));
                    }
                });
        return next.equals(before.all()) ? before : new QuotaSnapshot(next);
    }

    /** Returns the quotas of each entity. */
    public Map<QuotaEntity, Map<QuotaType, Double>> all() {
        return file.get().all();
    }

    QuotaSnapshot snapshot() {
        return file.get();
    }

    // ---- the file

    private static final class Format implements StateFile.Format<QuotaSnapshot> {
        @Override
        public String magic() {
            return "client-quotas";
        }

        @Override
        public int version() {
            return 1;
        }

        @Override
        public int mostLines() {
            return MOST;
        }

        @Override
        public long mostChars() {
            return MOST_CHARS;
        }

        @Override
        public Map<String, String> format(QuotaSnapshot snapshot) {
            Map<String, String> lines = new HashMap<>();
            snapshot.all()
                    .forEach(
                            (entity, values) ->
                                    lines.put(
                                            ClientQuotas.format(entity),
                                            ClientQuotas.format(values)));
            return lines;
        }

        @Override
        public QuotaSnapshot parse(Map<String, String> lines) {
            Map<QuotaEntity, Map<QuotaType, Double>> all = new HashMap<>();
            lines.forEach(
                    (entity, values) -> {
                        try {
                            all.put(parseEntity(entity), parseValues(values));
                        } catch (IllegalArgumentException e) {
                            String line = Fields.shown(entity + " " + values);
                            throw new IllegalArgumentException("'" + line + "' is not a quota", e);
                        }
                    });
            return new QuotaSnapshot(all);
        }
    }

    private static String format(QuotaEntity entity) {
        String text = format(entity.user()) + " " + format(entity.clientId());
        return entity.ip() == null ? text : text + " " + format(entity.ip());
    }

    /** The default is {@code *}, what is not part of the entity is {@code -}. */
    private static String format(String name) {
        if (name == null) {
            return "-";
        }
        return name.isEmpty() ? "*" : "/" + URLEncoder.encode(name, StandardCharsets.UTF_8);
    }

    private static String format(Map<QuotaType, Double> values) {
        StringBuilder text = new StringBuilder();
        new EnumMap<>(values)
                .forEach(
                        (key, value) ->
                                text.append(text.isEmpty() ? "" : " ")
                                        .append(key.word())
                                        .append(' ')
                                        .append(value));
        return text.toString();
    }

    private static QuotaEntity parseEntity(String line) {
        String[] parts = line.split(" ", -1);
        if (parts.length < 2 || parts.length > 3) {
            throw new IllegalArgumentException("expected 2 or 3 names, found " + parts.length);
        }
        return new QuotaEntity(
                parseName(parts[0]),
                parseName(parts[1]),
                parts.length == 2 ? null : parseName(parts[2]));
    }

    private static String parseName(String word) {
        if (word.equals("-")) {
            return null;
        }
        if (!word.equals("*") && !word.startsWith("/")) {
            throw new IllegalArgumentException("expected a name, found " + word);
        }
        return word.equals("*")
                ? QuotaEntity.DEFAULT
                : URLDecoder.decode(word.substring(1), StandardCharsets.UTF_8);
    }

    private static Map<QuotaType, Double> parseValues(String text) {
        String[] words = text.split(" ", -1);
        Map<QuotaType, Double> values = new EnumMap<>(QuotaType.class);
        if (words.length % 2 != 0) {
            throw new IllegalArgumentException("expected pairs of a key and a value");
        }
        for (int i = 0; i < words.length; i += 2) {
            QuotaType key = QuotaType.find(words[i]);
            double value = Double.parseDouble(words[i + 1]);
            if (key == null || !Double.isFinite(value) || value < 0) {
                throw new IllegalArgumentException(words[i]);
            }
            values.put(key, value);
        }
        return Map.copyOf(values);
    }
}
