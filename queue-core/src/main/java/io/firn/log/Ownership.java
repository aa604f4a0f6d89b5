package io.firn.log;

import io.firn.PoisonedException;
import io.firn.StoreLockedException;
import io.firn.medium.FileMedium.MediumLock;
import io.firn.spi.StorageTier;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * Whether this process is still the only writer of its store. Lock files do not ensure that alone:
 * a cleaner may delete one, and a directory may be moved, deleted or restored while the store is
 * open, and then another process can lock what has the name.
 *
 * <p>The order (O31): a record is stored and forced, then the writer looks, then the record is
 * acknowledged. A look is a load of the term beside the published offsets, which the next writer
 * overwrites before it looks at the store: either it finds the record, or this writer finds the
 * term gone. The lock files are looked at where there is no term to load, when it is gone, before
 * the first acknowledgement in {@value #INTERVAL_MS} ms, and once a second.
 *
 * <p>What was lost once stays lost. Thread-safe.
 */
public final class Ownership {
    /** How long acknowledgements may go by the term alone. */
    public static final long INTERVAL_MS = 100;

    private final Path directory;
    private final List<StorageTier> tiers;
    private volatile MediumLock lock;
    private volatile PublishedOffsets published;
    private volatile boolean isToLook = true;
    private volatile StoreLockedException lost;
    private Runnable onLook = () -> {};
    private Consumer<StoreLockedException> onLost = why -> {};

    Ownership(Path directory, List<StorageTier> tiers) {
        this.directory = directory;
        this.tiers = tiers;
    }

    /**
     * Sets whom to tell; called once, before another thread sees the store.
     *
     * @param looked called after a look; calls {@link #lookAgain} after {@link #INTERVAL_MS}
     * @param told called once, when the store was lost, by a thread that may hold a partition's
     *     force gate
     */
    public void connect(Runnable looked, Consumer<StoreLockedException> told) {
        onLook = looked;
        onLost = told;
    }

    /** Sets the lock of the store, which this process holds. */
    public void own(MediumLock held) {
        lock = held;
    }

    /** Sets where the term of this writer is; null for nowhere. */
    void publishedIn(PublishedOffsets file) {
        published = file;
        isToLook = true; // and then to be made to look again
    }

    /** Makes the next {@link #isOurs} look at the lock files. */
    public void lookAgain() {
        isToLook = true;
    }

    /**
     * Returns whether no other process can have opened the store for writing before this call.
     * Normally this costs three loads.
     */
    public boolean isOurs() {
        PublishedOffsets file = published;
        boolean isTime = isToLook;
        if (!isTime && file != null && file.hasTerm()) {
            return true;
        }
        if (isTime) {
            isToLook = false; // before the look: a call of lookAgain during it counts
        }
        if (!look()) {
            isToLook = true; // for good
            return false;
        }
        if (isTime && file != null) { // otherwise each acknowledgement looks anyway
            onLook.run();
        }
        return true;
    }

    /** Throws when {@link #isOurs} returns false. */
    public void check() {
        if (!isOurs()) {
            throw refusal();
        }
    }

    /** Returns how the store was lost, as far as was looked; null when it is ours. */
    public StoreLockedException loss() {
        return lost;
    }

    /** Returns whether the store was lost, as far as was looked. */
    public boolean isLost() {
        return lost != null;
    }

    /** Looks at the lock files; returns whether the store is ours. */
    public boolean look() {
        if (lock == null || lost != null) {
            return lost == null; // a read-only store has none
        }
        String found = findLoss();
        if (found != null) {
            lose(found);
        }
        return found == null;
    }

    private String findLoss() {
        String found = lock.lost();
        for (int i = 0; found == null && i < tiers.size(); i++) {
            found = tiers.get(i).lost();
        }
        return found;
    }

    private void lose(String found) {
        StoreLockedException why;
        synchronized (this) {
            if (lost != null) {
                return;
            }
            isToLook = true;
            why = new StoreLockedException(messageOf(found));
            lost = why;
        }
        onLost.accept(why);
    }

    private String messageOf(String found) {
        return "this process is not the only writer of the store "
                + directory
                + " any more: "
                + found
                + "; another process may have opened the store, so nothing is acknowledged or"
                + " changed here from now on: close the store, make sure that no other process"
                + " writes it, and that nothing deletes, moves or restores its files while it is"
                + " open, then open it again";
    }

    private PoisonedException refusal() {
        StoreLockedException why = lost;
        return new PoisonedException(why.getMessage(), why);
    }
}
