package io.firn.file;

import io.firn.medium.Fields;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import io.firn.medium.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * The content of the file {@code tier}: the ids of a tier and of its store. Version 2 is written
 * before the first rewritten segment is: an earlier Firn does not know the directories of such
 * segments, and would take their offsets for lost, so it must refuse the tier.
 *
 * @param tierId assigned when the tier was created
 * @param storeId the id of the store that the tier belongs to
 * @param hasRewritten whether there may be rewritten segments
 */
record TierIdentity(UUID tierId, UUID storeId, boolean hasRewritten) {
    private static final String MAGIC = "file-tier";
    private static final int VERSION = 2;
    private static final String REWRITTEN = "rewritten";
    private static final String TIER = "tier";
    private static final String STORE = "store";

    /** Returns the identity of the tier in a directory; null when there is no tier. */
    static TierIdentity read(FileMedium medium, Path directory) throws IOException {
        Path file = directory.resolve(FileNames.TIER);
        Fields fields = Fields.read(medium, file, MAGIC, VERSION);
        return fields == null
                ? null
                : new TierIdentity(fields.id(TIER), fields.id(STORE), fields.flag(REWRITTEN));
    }

    TierIdentity withRewritten() {
        return new TierIdentity(tierId, storeId, true);
    }

    /** Writes the file; durable on return. */
    void write(FileMedium medium, Path directory) throws IOException {
        SmallFile.write(medium, directory.resolve(FileNames.TIER), MAGIC, version(), values());
    }

    /** Creates the file, whose directory the caller forces. */
    void create(FileMedium medium, Path directory) throws IOException {
        Path file = directory.resolve(FileNames.TIER);
        WholeFile.replace(medium, file, content(file));
    }

    byte[] content(Path file) throws IOException {
        return SmallFile.content(file, MAGIC, version(), values());
    }

    private int version() {
        return hasRewritten ? VERSION : 1;
    }

    private Map<String, String> values() {
        Map<String, String> values = new HashMap<>();
        values.put(TIER, tierId.toString());
        values.put(STORE, storeId.toString());
        if (hasRewritten) {
            values.put(REWRITTEN, "true");
        }
        return values;
    }
}
