package io.firn.log;

import io.firn.background.Duty;
import io.firn.medium.DescriptorLimit;
import io.firn.medium.FileErrors.OutOfDescriptorsException;
import io.firn.medium.GuardedLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.annotation.concurrent.GuardedBy;

/**
 * Tells the user of a store that files cannot be opened because too many are open: by a finding
 * while it lasts, and by a line in the log when it begins, each minute, and when it is over.
 * Whatever could not be done is tried again by others. While it lasts, this duty looks once a
 * second whether a file can be opened; in a store that only reads, its follower does, as that has
 * no duties. It is over when one can, and nobody has missed a descriptor for some seconds: there
 * may be too few for those who need several. {@link #note} is for any thread.
 */
public final class DescriptorShortage extends Duty {
    private static final GuardedLog LOG = GuardedLog.get();
    private static final long INTERVAL_MS = 1_000;
    private static final long LINE_EACH_NS = 60_000_000_000L;

    /** Longer than the pauses of those who try again. */
    private static final long QUIET_NS = 3_000_000_000L;

    private final LogContext store;
    private final long limit = DescriptorLimit.ofProcess(); // later there is none to read it
    private final Set<Duty> savers = ConcurrentHashMap.newKeySet();
    private volatile String finding;
    private volatile long lastNs;

    @GuardedBy("this")
    private boolean hasLine;

    @GuardedBy("this")
    private long lineNs;

    @GuardedBy("this")
    private long lookedNs;

    /** Whether a line was logged since it began, so that its end is told, too. */
    @GuardedBy("this")
    private boolean isTold;

    DescriptorShortage(LogContext store) {
        super(store.tidying(), store, "descriptors");
        this.store = store;
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
        if (finding == null) {
            begin(error);
        }
        return true;
    }

    private synchronized void begin(Throwable error) {
        if (finding != null) {
            return;
        }
        String most =
                limit == DescriptorLimit.UNKNOWN
                        ? "as many files and connections open as it may have"
                        : "all of the " + limit + " files and connections open that it may have";
        finding =
                (OutOfDescriptorsException.isOfMachine(error)
                                ? "the machine has as many files open as it may have (sysctl"
                                        + " fs.file-max)"
                                : "the process has " + most + " (ulimit -n)")
                        + ", so that the store cannot open its own: "
                        + (store.isReadOnly()
                                ? "readers do not see new records until it can"
                                : "appends that need one wait for ten seconds and then fail,"
                                        + " forces and moves wait until it can")
                        + ". Raise the limit, or close some";
        isTold = false;
        tell(finding);
        if (!store.isReadOnly()) {
            call();
            savers.forEach(Duty::call);
        }
    }

    @GuardedBy("this")
    private void tell(String line) {
        long now = store.nowNs();
        if (!hasLine || now - lineNs >= LINE_EACH_NS) {
            hasLine = true;
            lineNs = now;
            isTold = true;
            LOG.log(System.Logger.Level.WARNING, "{0}: {1}", store, line);
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

    /** Whether there is a shortage: what is opened ahead of need has to wait. */
    public boolean isNow() {
        return finding != null;
    }

    /** Adds what is to be known of it. */
    void addFindings(List<String> findings) {
        String now = finding;
        if (now != null) {
            findings.add(now);
        }
    }

    @Override
    public synchronized int run() {
        if (finding == null) {
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
        if (finding != null && store.nowNs() - lookedNs >= INTERVAL_MS * 1_000_000) {
            lookedNs = store.nowNs();
            endIfOver();
        }
    }

    @GuardedBy("this")
    private boolean endIfOver() {
        if (!canOpen() || store.nowNs() - lastNs < QUIET_NS) {
            tell(finding);
            return false;
        }
        finding = null;
        if (isTold) {
            LOG.log(System.Logger.Level.INFO, "{0}: files can be opened again", store);
        }
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
