package io.firn.metadata;

import io.firn.medium.Fields;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
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

    /** Creates the file of a new store. */
    public static StoreIdentity create(FileMedium medium, Path directory) throws IOException {
        Map<String, String> values = new LinkedHashMap<>();
        values.put(ID, UUID.randomUUID().toString());
        values.put(TIERS, "");
        StoreIdentity identity = new StoreIdentity(medium, fileIn(directory), Map.of());
        identity.write(values);
        return identity;
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

    public synchronized void tiers(List<String> ids) throws IOException {
        Map<String, String> next = new LinkedHashMap<>(values);
        next.put(TIERS, String.join(" ", ids));
        write(next);
    }

    /** Returns whether a feature is used. */
    public synchronized boolean has(String feature) {
        return features().contains(feature);
    }

    private synchronized List<String> features() {
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
