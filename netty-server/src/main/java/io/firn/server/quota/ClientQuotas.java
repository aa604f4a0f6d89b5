package io.firn.server.quota;

import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/**
 * The client quotas of a store, in one file that is replaced as a whole. A change is durable before
 * it is used, and before it is answered (rule O25). Thread-safe; decisions read a snapshot.
 */
public final class ClientQuotas {
    private static final String MAGIC = "client-quotas";
    private static final int VERSION = 1;

    /** Entities with quotas. */
    static final int MOST = 20_000;

    /** All of the file; it is written anew with each change. */
    private static final int MOST_BYTES = 8 << 20;

    private final FileMedium medium;
    private final Path file;
    private volatile QuotaSnapshot snapshot;

    private ClientQuotas(FileMedium medium, Path file, QuotaSnapshot snapshot) {
        this.medium = medium;
        this.file = file;
        this.snapshot = snapshot;
    }

    /**
     * Reads the file; without one there are no quotas.
     *
     * @param directory the directory of the file, which exists
     * @throws IOException if the file cannot be read
     */
    public static ClientQuotas open(FileMedium medium, Path directory) throws IOException {
        Path file = directory.resolve("quotas");
        Map<String, String> known = SmallFile.read(medium, file, MAGIC, VERSION);
        if (known == null) {
            return new ClientQuotas(medium, file, QuotaSnapshot.NONE);
        }
        Map<QuotaEntity, Map<QuotaKey, Double>> all = new HashMap<>();
        for (Map.Entry<String, String> each : known.entrySet()) {
            try {
                all.put(parseEntity(each.getKey()), parseValues(each.getValue()));
            } catch (IllegalArgumentException e) {
                throw new IOException(
                        file + ": '" + each.getKey() + " " + each.getValue() + "' is not a quota",
                        e);
            }
        }
        return new ClientQuotas(medium, file, new QuotaSnapshot(all));
    }

    /**
     * Sets and removes quotas, all of them or none, durably on return.
     *
     * @param changes the new values of each entity; null removes a value
     * @return false if there would be too many; nothing has changed
     * @throws IOException if they could not be written; whether they are there after a restart is
     *     then unknown, and until then the old ones are used
     */
    public synchronized boolean change(Map<QuotaEntity, Map<QuotaKey, Double>> changes)
            throws IOException {
        Map<QuotaEntity, Map<QuotaKey, Double>> next = new HashMap<>(snapshot.all());
        boolean grows = false;
        for (Map.Entry<QuotaEntity, Map<QuotaKey, Double>> each : changes.entrySet()) {
            Map<QuotaKey, Double> values = new EnumMap<>(QuotaKey.class);
            values.putAll(next.getOrDefault(each.getKey(), Map.of()));
            for (Map.Entry<QuotaKey, Double> value : each.getValue().entrySet()) {
                if (value.getValue() == null) {
                    values.remove(value.getKey());
                } else {
                    values.put(value.getKey(), value.getValue());
                    grows = true;
                }
            }
            if (values.isEmpty()) {
                next.remove(each.getKey());
            } else {
                next.put(each.getKey(), Map.copyOf(values));
            }
        }
        if (next.equals(snapshot.all())) {
            return true;
        }
        Map<String, String> lines = new HashMap<>();
        long bytes = 0;
        for (Map.Entry<QuotaEntity, Map<QuotaKey, Double>> each : next.entrySet()) {
            String entity = format(each.getKey());
            String values = format(each.getValue());
            bytes += entity.length() + values.length() + 2;
            lines.put(entity, values);
        }
        if (grows && (next.size() > MOST || bytes > MOST_BYTES)) {
            return false;
        }
        SmallFile.write(medium, file, MAGIC, VERSION, lines);
        snapshot = new QuotaSnapshot(next); // only now, by O25
        return true;
    }

    /** Returns the quotas of each entity. */
    public Map<QuotaEntity, Map<QuotaKey, Double>> all() {
        return snapshot.all();
    }

    QuotaSnapshot snapshot() {
        return snapshot;
    }

    // ---- the file

    private static String format(QuotaEntity entity) {
        return format(entity.user()) + " " + format(entity.clientId());
    }

    /** The default is {@code *}, what is not part of the entity is {@code -}. */
    private static String format(String name) {
        if (name == null) {
            return "-";
        }
        return name.isEmpty() ? "*" : "/" + URLEncoder.encode(name, StandardCharsets.UTF_8);
    }

    private static String format(Map<QuotaKey, Double> values) {
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
        if (parts.length != 2) {
            throw new IllegalArgumentException("expected 2 names, found " + parts.length);
        }
        return new QuotaEntity(parseName(parts[0]), parseName(parts[1]));
    }

    private static String parseName(String word) {
        if (word.equals("-")) {
            return null;
        }
        return word.equals("*")
                ? QuotaEntity.DEFAULT
                : URLDecoder.decode(word.substring(1), StandardCharsets.UTF_8);
    }

    private static Map<QuotaKey, Double> parseValues(String text) {
        String[] words = text.split(" ", -1);
        Map<QuotaKey, Double> values = new EnumMap<>(QuotaKey.class);
        for (int i = 0; i + 1 < words.length; i += 2) {
            QuotaKey key = QuotaKey.find(words[i]);
            if (key == null) {
                throw new IllegalArgumentException(words[i]);
            }
            values.put(key, Double.parseDouble(words[i + 1]));
        }
        if (values.isEmpty()) {
            throw new IllegalArgumentException("no values");
        }
        return Map.copyOf(values);
    }
}
