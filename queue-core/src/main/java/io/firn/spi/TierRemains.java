package io.firn.spi;

import java.io.IOException;
import java.util.List;
import java.util.UUID;

/**
 * What a {@link TierInspector} found.
 *
 * @param name what it is and where
 * @param tierId null when it cannot be told any more
 * @param storeId whose it is; null when it cannot be told any more
 * @param notes about the tier as a whole, one line each
 * @param flaws what is wrong with it, one line each
 * @param segments in any state, of any topic
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
     * @param place where it lies
     * @param mark the newest mark; null when none is whole
     * @param flaw what is wrong with it beside its batches; empty when nothing is
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
