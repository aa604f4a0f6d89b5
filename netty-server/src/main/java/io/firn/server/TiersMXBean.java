package io.firn.server;

import java.util.Map;

/**
 * The tiers of the server's store, over JMX as {@code io.firn:type=Tiers,name="DIRECTORY"} with the
 * store's directory. A tier's label is {@code tier-0} for the hottest, and so on.
 *
 * @see FirnServer
 */
public interface TiersMXBean {

    /**
     * Returns for each tier, by its label, whether it is drained: {@code NONE}, {@code IN_PROGRESS}
     * or {@code DONE}; where a drain waits, with the reason.
     */
    Map<String, String> getDrains();

    /**
     * Begins to empty a tier, so that the server can be started without it. Returns at once; the
     * server moves the segments, also after a restart, until the tier is empty.
     *
     * @throws IllegalStateException when the tier cannot be drained; says why
     */
    void drain(String tier);

    /** Ends a drain: the tier gets new segments again. */
    void cancelDrain(String tier);
}
