package io.firn.recovery;

import io.firn.spi.Block;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Decides which of a partition's segments are served where several have the same offsets. */
@FunctionalInterface
public interface SegmentSelector {
    /**
     * Looks at the segments of a partition; changes nothing.
     *
     * @param blocks with marks; those that are not sealed are served
     */
    Selection select(List<Block> blocks) throws IOException;

    /**
     * What was decided.
     *
     * @param current what is served, in the order in which it was given
     * @param replaced what others replace as a whole, so that recovery deletes it
     * @param putAside what is kept and not served, and why
     */
    record Selection(List<Block> current, List<Block> replaced, Map<Block, String> putAside) {}
}
