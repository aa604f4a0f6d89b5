package io.firn.findings;

import io.firn.Finding;
import io.firn.InvalidOptionException;
import io.firn.RetryableException;
import io.firn.medium.FileErrors.OutOfThreadsException;
import io.firn.medium.GuardedLog;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import javax.annotation.concurrent.GuardedBy;

/**
 * Calls the application's listeners on a thread of their own, which begins with the first of them:
 * no work of the store waits for a listener, and listeners do not wait for a medium that hangs.
 * Without threads, {@link #tell} calls them. Thread-safe.
 */
public final class FindingListeners {
    /** In the name of the thread. */
    public static final String THREAD = "firn-findings";

    private static final GuardedLog LOG = GuardedLog.get();

    private final ThreadFactory threads;
    private final boolean isInvoked;
    private final List<Finding.Listener> listeners = new CopyOnWriteArrayList<>();

    @GuardedBy("queue")
    private final Queue<Runnable> queue = new ArrayDeque<>();

    private final Object telling = new Object();
    private volatile Thread thread;
    private volatile boolean isClosed;

    /**
     * Creates it without listeners.
     *
     * @param threads makes the thread; null for a daemon thread
     * @param isInvoked whether there is no thread, and {@link #tell} is called
     */
    public FindingListeners(ThreadFactory threads, boolean isInvoked) {
        this.threads = threads;
        this.isInvoked = isInvoked;
    }

    /** The caller holds the lock under which findings begin and end. */
    void add(Finding.Listener listener, Collection<? extends Finding> present) {
        if (!isInvoked && thread == null) {
            start();
        }
        listeners.add(listener);
        for (Finding each : List.copyOf(present)) {
            enqueue(() -> call(listener, () -> listener.onBegin(each)));
        }
    }

    /** Removes a listener; a call that is in progress ends. */
    public void remove(Finding.Listener listener) {
        listeners.remove(listener);
    }

    void begun(Finding finding) {
        tellAll(finding, true);
    }

    void ended(Finding finding) {
        tellAll(finding, false);
    }

    private void tellAll(Finding finding, boolean isBegun) {
        for (Finding.Listener each : listeners) {
            enqueue(
                    () ->
                            call(
                                    each,
                                    () -> {
                                        if (isBegun) {
                                            each.onBegin(finding);
                                        } else {
                                            each.onEnd(finding);
                                        }
                                    }));
        }
    }

    private void enqueue(Runnable call) {
        synchronized (queue) {
            queue.add(call);
        }
        LockSupport.unpark(thread);
    }

    private void call(Finding.Listener listener, Runnable call) {
        if (isClosed || !listeners.contains(listener)) {
            return;
        }
        try {
            call.run();
        } catch (Throwable e) {
            LOG.log(System.Logger.Level.ERROR, "a listener for findings failed: " + listener, e);
        }
    }

    /** Makes the calls that are due; returns how many there were. For any thread. */
    public int tell() {
        synchronized (telling) {
            int calls = 0;
            Runnable next = poll();
            while (next != null) {
                next.run();
                calls++;
                next = poll();
            }
            return calls;
        }
    }

    private Runnable poll() {
        synchronized (queue) {
            return queue.poll();
        }
    }

    private void start() {
        Thread made = threads == null ? new Thread(this::live) : threads.newThread(this::live);
        if (made == null) {
            throw new InvalidOptionException("the thread factory made no thread for " + THREAD);
        }
        made.setName(THREAD);
        if (threads == null) {
            made.setDaemon(true);
        }
        try {
            made.start();
        } catch (OutOfMemoryError e) {
            IOException lack = new OutOfThreadsException("run " + THREAD, e);
            throw new RetryableException(lack.getMessage(), lack);
        }
        thread = made;
    }

    private void live() {
        while (!isClosed) {
            if (tell() == 0) {
                LockSupport.park(this);
                Thread.interrupted(); // the thread factory's user may interrupt it
            }
        }
    }

    /** Ends the thread after the call that it is in; there are no more calls. */
    public void close() {
        isClosed = true;
        LockSupport.unpark(thread);
    }
}
