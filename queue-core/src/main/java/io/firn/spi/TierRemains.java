package io.firn.spi;

import java.io.IOException;
import java.util.List;
import java.util.UUID;

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
public record TierRemains(
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
