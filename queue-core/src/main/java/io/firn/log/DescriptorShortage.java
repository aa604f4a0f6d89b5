package io.firn.log;

import io.firn.Finding.Kind;
import io.firn.background.Duty;
import io.firn.findings.FindingKey;
import io.firn.medium.DescriptorLimit;
import io.firn.medium.FileErrors.OutOfDescriptorsException;
import io.firn.medium.GuardedLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.annotation.concurrent.GuardedBy;

/**
 * Notes that files cannot be opened because too many are open, which is a finding while it lasts.
 * Whatever could not be done is tried again by others. While it lasts, this duty looks once a
 * second whether a file can be opened; in a store that only reads, its follower does, as that has
 * no duties. It is over when one can, and no call has lacked a descriptor for some seconds: there
 * may be too few for those who need several. {@link #note} is for any thread.
 */
public final class DescriptorShortage extends Duty {
    private static final GuardedLog LOG = GuardedLog.get();
    private static final long INTERVAL_MS = 1_000;

    /** The segment that is written, and the next one, which is reserved before it is needed. */
    private static final long FILES_OF_PARTITION = 2;

    /** What else a process has open, without the connections of a server. */
    private static final long OTHER_FILES = 200;

    /** Longer than the pauses of those who try again. */
    private static final long QUIET_NS = 3_000_000_000L;

    private final LogContext store;
    private final long limit;
    private final Set<Duty> savers = ConcurrentHashMap.newKeySet();
    private final FindingKey key;
    private volatile boolean isNow;
    private volatile long beganNs;
    private volatile long lastNs;
    private volatile long warnedOf;

    @GuardedBy("this")
    private long lookedNs;

    DescriptorShortage(LogContext store) {
        this(store, DescriptorLimit.ofProcess()); // later there is none to read it
    }

    /** As {@link #DescriptorShortage(LogContext)}, with a limit of the process. */
    DescriptorShortage(LogContext store, long limit) {
        super(store.tidying(), store.subject(), "descriptors");
        this.store = store;
        this.limit = limit;
        this.key = FindingKey.of(Kind.DESCRIPTORS_EXHAUSTED, store.subject());
    }

    /**
     * Notes an error if a shortage of descriptors is the reason for it.
     *
     * @return whether it is, and is told of here
     */
    public boolean note(Throwable error) {
        if (!OutOfDescriptorsException.isReasonFor(error)) {
            return false;
        }
        lastNs = store.nowNs();
        if (!isNow) {
            begin(error);
        }
        return true;
    }

    private synchronized void begin(Throwable error) {
        if (isNow) {
            return;
        }
        beganNs = lastNs;
        isNow = true;
        String most =
                limit == DescriptorLimit.UNKNOWN
                        ? "as many files and connections open as it may have"
                        : "all of the " + limit + " files and connections open that it may have";
        String text =
                (OutOfDescriptorsException.isOfMachine(error)
                                ? "the machine has as many files open as it may have (sysctl"
                                        + " fs.file-max)"
                                : "the process has " + most + " (ulimit -n)")
                        + ", so that the store cannot open its own: "
                        + (store.isReadOnly()
                                ? "readers do not see new records until it can"
                                : "appends that need one fail, at first after ten seconds,"
                                        + " forces and moves wait until it can")
                        + ". Raise the limit, or close some";
        store.findings().begin(key, text);
        if (!store.isReadOnly()) {
            call();
            savers.forEach(Duty::call);
        }
    }

    /** Has a duty called again and again in a shortage, because it may have files that can wait. */
    public void callInShortage(Duty saver) {
        savers.add(saver);
    }

    /** Undoes {@link #callInShortage}. */
    public void forget(Duty saver) {
        savers.remove(saver);
    }

    /**
     * Warns where the process may not have as many files open as there will be if all partitions
     * are written to; again only if there are twice as many.
     */
    public synchronized void expect(long partitions) {
        long needed = FILES_OF_PARTITION * partitions + OTHER_FILES;
        if (limit == DescriptorLimit.UNKNOWN || needed <= limit || partitions < 2 * warnedOf) {
            return;
        }
        warnedOf = partitions;
        LOG.log(
                System.Logger.Level.WARNING,
                "{0}: {1} partitions have two files open each once they are written to, and the"
                        + " process may have {2} files and connections open (ulimit -n): appends"
                        + " to some will fail. Raise the limit to {3} at least, and by one for each"
                        + " connection",
                store.subject(),
                Long.toString(partitions),
                Long.toString(limit),
                Long.toString(needed));
    }

    /** Whether there is a shortage, and has been for so long. */
    public boolean hasLasted(long ns) {
        return isNow && store.nowNs() - beganNs >= ns;
    }

    /** Whether there is a shortage: what is opened ahead of need has to wait. */
    public boolean isNow() {
        return isNow;
    }

    @Override
    public synchronized int run() {
        if (!isNow) {
            return 0;
        }
        if (!endIfOver()) {
            // Who waits for one partition may have asked for blocks of others, and not take them.
            savers.forEach(Duty::call);
            againAt(nowMs() + INTERVAL_MS);
            return 0;
        }
        return 1;
    }

    /** As {@link #run}, for the follower of a store that only reads. */
    public synchronized void look() {
        if (isNow && store.nowNs() - lookedNs >= INTERVAL_MS * 1_000_000) {
            lookedNs = store.nowNs();
            endIfOver();
        }
    }

    @GuardedBy("this")
    private boolean endIfOver() {
        if (!canOpen() || store.nowNs() - lastNs < QUIET_NS) {
            return false;
        }
        isNow = false;
        store.findings().end(key);
        return true;
    }

    private boolean canOpen() {
        Path file = store.config().directory().resolve("store");
        try {
            store.config().medium().open(file, false).close();
            return true;
        } catch (IOException e) {
            // What else may be wrong with the file is not told here.
            return !note(e);
        }
    }
}
