package io.firn.forward.cluster;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * A position as the cluster keeps it: the next offset of a partition of the store, and what it
 * belongs to. All but the offset is in the metadata of a committed offset, as text.
 *
 * @param offset the next offset to be forwarded
 * @param owner the instance that has committed it; null if that is not known
 * @param place where that runs
 * @param source the id of the topic in the store
 * @param target the id of the topic in the cluster
 * @param last the offset of the last record that was forwarded; −1 if there is none
 * @param checksum the checksum of that
 */
public record Position(
        long offset,
        UUID owner,
        String place,
        UUID source,
        String target,
        long last,
        int checksum) {
    private static final String FORMAT = "firn1";

    /** Returns a position of which only the offset is known. */
    public static Position of(long offset) {
        return new Position(offset, null, "", null, "", -1, 0);
    }

    /** Returns whether Forward has committed it. */
    public boolean isOwn() {
        return owner != null;
    }

    /** Returns it as metadata. */
    String metadata() {
        return String.join(
                " ",
                FORMAT,
                "owner=" + owner,
                "at=" + place.replaceAll("[ =]", "_"),
                "source=" + source,
                "target=" + target,
                "last=" + last,
                "crc=" + Integer.toHexString(checksum));
    }

    /** Reads what {@link #metadata} has made; of other text only the offset counts. */
    static Position parse(long offset, String metadata) {
        String[] parts = metadata == null ? new String[0] : metadata.split(" ");
        if (parts.length == 0 || !parts[0].equals(FORMAT)) {
            return of(offset);
        }
        Map<String, String> values = new HashMap<>();
        for (String each : parts) {
            int at = each.indexOf('=');
            if (at > 0) {
                values.put(each.substring(0, at), each.substring(at + 1));
            }
        }
        try {
            return new Position(
                    offset,
                    UUID.fromString(values.get("owner")),
                    values.get("at"),
                    UUID.fromString(values.get("source")),
                    values.get("target"),
                    Long.parseLong(values.get("last")),
                    Integer.parseUnsignedInt(values.get("crc"), 16));
        } catch (IllegalArgumentException | NullPointerException e) {
            return of(offset);
        }
    }
}
