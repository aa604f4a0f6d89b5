package io.firn.metadata;

import io.firn.medium.Fields;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import io.firn.medium.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The file {@code STORE/store}: the store's id, its tiers, and the features of which something is
 * in it that older versions would misread. With a feature it has version 2, which they refuse.
 */
public final class StoreIdentity {
    /** Some batches count only if their transaction was committed. */
    public static final String TRANSACTIONS = "transactions";

    /** In the batches of some topics are the epochs of another log. */
    public static final String REPLICAS = "replicas";

    private static final List<String> KNOWN = List.of(TRANSACTIONS, REPLICAS);

    private static final String MAGIC = "store";
    private static final int VERSION = 1;
    private static final int VERSION_WITH_FEATURES = 2;
    private static final String ID = "id";
    private static final String TIERS = "tiers";
    private static final String FEATURES = "features";

    /** The ids of tiers that get no new segments; those among them that are empty are no tiers. */
    private static final String DRAINED = "drained";

    /** The labels of tiers that were drained: topics may still name them. */
    private static final String DRAINED_LABELS = "drainedLabels";

    private final FileMedium medium;
    private final Path file;
    private Map<String, String> values;

    private StoreIdentity(FileMedium medium, Path file, Map<String, String> values) {
        this.medium = medium;
        this.file = file;
        this.values = values;
    }

    /** Returns the file's path in a store's directory. */
    public static Path fileIn(Path directory) {
        return directory.resolve(MAGIC);
    }

    /**
     * Reads the file of a store.
     *
     * @return null when there is none
     * @throws IOException when a newer version of Firn wrote it, or a feature is unknown
     */
    public static StoreIdentity read(FileMedium medium, Path directory) throws IOException {
        Path file = fileIn(directory);
        Fields fields = Fields.read(medium, file, MAGIC, VERSION_WITH_FEATURES);
        if (fields == null) {
            return null;
        }
        fields.id(ID);
        fields.text(TIERS);
        for (String tier : fields.words(TIERS)) {
            fields.id(TIERS, tier);
        }
        if (fields.has(DRAINED)) {
            for (String tier : fields.words(DRAINED)) {
                fields.id(DRAINED, tier);
            }
        }
        StoreIdentity identity = new StoreIdentity(medium, file, fields.values());
        for (String feature : identity.features()) {
            if (!KNOWN.contains(feature)) {
                throw new IOException(
                        file
                                + " says that the store uses '"
                                + Fields.shown(feature)
                                + "', which this version does not know: open it with a newer"
                                + " version of Firn");
            }
        }
        return identity;
    }

    /** Creates the file of a new store, whose directory the caller forces. */
    public static StoreIdentity create(FileMedium medium, Path directory) throws IOException {
        Map<String, String> values = new LinkedHashMap<>();
        values.put(ID, UUID.randomUUID().toString());
        values.put(TIERS, "");
        Path file = fileIn(directory);
        WholeFile.replace(medium, file, SmallFile.content(file, MAGIC, VERSION, values));
        return new StoreIdentity(medium, file, values);
    }

    /** Creates the file of a store that was restored, which is a store from then on. */
    public static void create(
            FileMedium medium, Path directory, UUID id, List<String> tiers, List<String> features)
            throws IOException {
        Map<String, String> values = new LinkedHashMap<>();
        values.put(ID, id.toString());
        values = with(with(values, TIERS, tiers), FEATURES, features);
        new StoreIdentity(medium, fileIn(directory), Map.of()).write(values);
    }

    private void write(Map<String, String> next) throws IOException {
        int version = next.containsKey(FEATURES) ? VERSION_WITH_FEATURES : VERSION;
        SmallFile.write(medium, file, MAGIC, version, next);
        values = next;
    }

    public synchronized UUID id() {
        return UUID.fromString(values.get(ID));
    }

    /** Returns the ids of its tiers. */
    public synchronized List<String> tiers() {
        return words(values.get(TIERS));
    }

    /** Sets the tiers, and which of those that are drained still have to be known. */
    public synchronized void tiers(List<String> ids, List<String> drained) throws IOException {
        write(with(with(values, TIERS, ids), DRAINED, drained));
    }

    /** Returns the ids of the tiers that are being drained, or were. */
    public synchronized List<String> drained() {
        return words(values.getOrDefault(DRAINED, ""));
    }

    /** Returns the labels that tiers had which were drained. */
    public synchronized List<String> drainedLabels() {
        return words(values.getOrDefault(DRAINED_LABELS, ""));
    }

    /** Notes that a tier gets no new segments; durable on return. */
    public synchronized void beginDrain(String id) throws IOException {
        write(with(values, DRAINED, added(drained(), id)));
    }

    /**
     * Notes that a tier that is being drained has no segment any more, so that the store can be
     * opened without it; durable on return.
     *
     * @param label by which topics may name it; null when it has none
     */
    public synchronized void endDrain(String id, String label) throws IOException {
        List<String> left = tiers();
        left.remove(id);
        Map<String, String> next = with(values, TIERS, left);
        write(label == null ? next : with(next, DRAINED_LABELS, added(drainedLabels(), label)));
    }

    /** Notes that a tier gets new segments again; durable on return. */
    public synchronized void cancelDrain(String id) throws IOException {
        List<String> drained = drained();
        drained.remove(id);
        tiers(added(tiers(), id), drained);
    }

    private static List<String> added(List<String> words, String word) {
        if (!words.contains(word)) {
            words.add(word);
        }
        return words;
    }

    /** A key without words is left out, except that of the tiers. */
    private static Map<String, String> with(
            Map<String, String> values, String key, List<String> words) {
        Map<String, String> next = new LinkedHashMap<>(values);
        next.put(key, String.join(" ", words));
        if (words.isEmpty() && !key.equals(TIERS)) {
            next.remove(key);
        }
        return next;
    }

    /** Returns whether a feature is used. */
    public synchronized boolean has(String feature) {
        return features().contains(feature);
    }

    /** Returns the features that are used. */
    public synchronized List<String> features() {
        return words(values.getOrDefault(FEATURES, ""));
    }

    /** Notes that a feature is used; durable on return. */
    public synchronized void addFeature(String feature) throws IOException {
        List<String> features = features();
        if (!features.contains(feature)) {
            features.add(feature);
            Map<String, String> next = new LinkedHashMap<>(values);
            next.put(FEATURES, String.join(" ", features));
            write(next);
        }
    }

    private static List<String> words(String text) {
        List<String> words = new ArrayList<>(List.of(text.split(" ")));
        words.remove("");
        return words;
    }
}
