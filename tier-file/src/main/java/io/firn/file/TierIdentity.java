package io.firn.file;

import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;

/**
 * The content of the file {@code tier}: the ids of a tier and of its store.
 *
 * @param tierId assigned when the tier was created
 * @param storeId the id of the store that the tier belongs to
 */
record TierIdentity(UUID tierId, UUID storeId) {
    private static final String MAGIC = "file-tier";
    private static final int VERSION = 1;
    private static final String TIER = "tier";
    private static final String STORE = "store";

    /** Returns the identity of the tier in a directory; null when there is no tier. */
    static TierIdentity read(FileMedium medium, Path directory) throws IOException {
        Path file = directory.resolve(FileNames.TIER);
        Map<String, String> values = SmallFile.read(medium, file, MAGIC, VERSION);
        return values == null
                ? null
                : new TierIdentity(uuid(file, values, TIER), uuid(file, values, STORE));
    }

    void write(FileMedium medium, Path directory) throws IOException {
        SmallFile.write(
                medium,
                directory.resolve(FileNames.TIER),
                MAGIC,
                VERSION,
                Map.of(TIER, tierId.toString(), STORE, storeId.toString()));
    }

    private static UUID uuid(Path file, Map<String, String> values, String key) throws IOException {
        String value = values.get(key);
        try {
            return UUID.fromString(value == null ? "" : value);
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    file + " should have an id under '" + key + "', found '" + value + "'", e);
        }
    }
}
