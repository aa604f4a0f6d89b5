package io.firn.server.log;

import io.firn.medium.FileMedium;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The space that clients leave free: while less is free where the store's directory is, or where
 * each of its file tiers is, what they produce is refused. What the server and the application
 * write goes on: offsets, ends of transactions, compaction, and embedded appends.
 *
 * <p>Thread-safe; {@link #look} is for one thread at a time.
 */
public final class FreeSpace {
    /** Refuses nothing. */
    public static final FreeSpace ALL = new FreeSpace(FileMedium.real(), Path.of(""), List.of(), 0);

    private static final System.Logger LOG = System.getLogger("io.firn.server");

    private final FileMedium medium;
    private final Path store;
    private final List<Path> tiers;
    private final long leastBytes;
    private volatile boolean low;
    private boolean failed;

    /**
     * Looks for the first time.
     *
     * @param tiers the directories of file tiers; empty if they are not known
     * @param leastBytes 0 for no limit
     */
    public FreeSpace(FileMedium medium, Path store, List<Path> tiers, long leastBytes) {
        this.medium = medium;
        this.store = store;
        this.tiers = List.copyOf(tiers);
        this.leastBytes = leastBytes;
        look();
    }

    /** Returns whether there is a limit, so that somebody has to look. */
    public boolean isLimited() {
        return leastBytes > 0;
    }

    /** Returns whether what clients produce is refused. */
    public boolean isLow() {
        return low;
    }

    /** Asks the file systems. */
    public void look() {
        if (!isLimited()) {
            return;
        }
        try {
            tell(medium.usableBytes(store), mostOfTiers());
            failed = false;
        } catch (IOException e) {
            if (!failed) { // what was found before holds
                LOG.log(System.Logger.Level.WARNING, "the free space is not known", e);
            }
            failed = true;
        }
    }

    private long mostOfTiers() throws IOException {
        long most = tiers.isEmpty() ? Long.MAX_VALUE : 0;
        for (Path each : tiers) {
            most = Math.max(most, medium.usableBytes(each));
        }
        return most;
    }

    private void tell(long inStore, long inTiers) {
        boolean now = inStore < leastBytes || inTiers < leastBytes;
        if (now && !low) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "what clients produce is refused: {0} of {1} has {2} bytes free, expected"
                            + " {3} (firn.min.free.bytes). Free some, or delete records",
                    inStore < leastBytes ? "the directory" : "the file tier with the most space",
                    inStore < leastBytes ? store : tiers,
                    Long.toString(Math.min(inStore, inTiers)),
                    Long.toString(leastBytes));
        } else if (low && !now) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "what clients produce is accepted again: {0} bytes are free",
                    Long.toString(Math.min(inStore, inTiers)));
        }
        low = now;
    }
}
