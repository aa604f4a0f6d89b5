package io.firn.spi;

import io.firn.medium.FileMedium;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/**
 * Reads what is left of a tier that can perhaps no longer be opened; for {@code bin/firn inspect}.
 * Found by {@link java.util.ServiceLoader}.
 *
 * @see StorageTier
 */
public interface TierInspector {

    /**
     * Returns what is left of a tier in a directory. Changes nothing and acquires no lock; while
     * another process writes, the result may be partly old and partly new.
     *
     * @return null when the directory shows no sign of a tier of this kind
     * @throws IOException when it cannot be read
     */
    TierRemains inspect(FileMedium medium, Path directory) throws IOException;

    /**
     * What a {@link TierInspector} found.
     *
     * @param name the kind and place of the tier
     * @param tierId the tier's id; null when it can no longer be read
     * @param storeId the id of its store; null when it can no longer be read
     * @param notes remarks about the tier as a whole, one line each
     * @param flaws what is wrong with the tier, one line each
     * @param segments the segments, in any state and of any topic
     */
    record TierRemains(
            String name,
            UUID tierId,
            UUID storeId,
            List<String> notes,
            List<String> flaws,
            List<Remains> segments) {

        /**
         * What is left of a segment.
         *
         * @param place where it is
         * @param mark the newest valid mark; null when there is none
         * @param flaw what is wrong with it apart from its batches; empty when nothing is
         * @param bytes reads all bytes that may hold batches
         */
        public record Remains(String place, Mark mark, String flaw, Bytes bytes) {}

        /** Reads from the medium. */
        @FunctionalInterface
        public interface Bytes {
            /** Reads all of it. */
            byte[] read() throws IOException;
        }
    }
}
