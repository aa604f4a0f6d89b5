package io.firn.medium;

import io.firn.medium.FileErrors.OutOfThreadsException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ThreadFactory;
import javax.annotation.concurrent.GuardedBy;

/**
 * The thread in which files are mapped, which no other code knows and can interrupt. If {@link
 * java.nio.channels.FileChannel#map} is interrupted, it may create a mapping that it does not
 * return and that stays until the process ends.
 *
 * <p>The thread exists from the first {@link #use} to the last end of one. An open store is such a
 * use, so that a segment needs no new thread, of which there may be none left; a call without a
 * store is one of its own. While it is in a call, which may hang with the file system of another
 * store, other calls get threads of their own, as far as there are any. Thread-safe.
 */
final class MappingThread {
    static final MappingThread INSTANCE = new MappingThread(MappingThread::newThread);

    private final ThreadFactory threads;

    @GuardedBy("this")
    private int uses;

    /** Null while there are no uses. */
    @GuardedBy("this")
    private Run run;

    /** The call. */
    @FunctionalInterface
    interface Task<T> {
        /** Makes the call. */
        T call() throws IOException;
    }

    MappingThread(ThreadFactory threads) {
        this.threads = threads;
    }

    private static Thread newThread(Runnable work) {
        Thread thread = new Thread(null, work, "firn-map", 0, false);
        thread.setDaemon(true);
        // The caller's would be kept from being unloaded for as long as another store is open.
        thread.setContextClassLoader(MappingThread.class.getClassLoader());
        return thread;
    }

    /**
     * Starts the thread if it does not run, and keeps it until the result is closed.
     *
     * @throws OutOfThreadsException when the system has no thread left
     */
    AutoCloseable use() throws IOException {
        begin();
        return new Use();
    }

    /**
     * Calls the task and waits for it despite interrupts; the interrupt status is kept.
     *
     * @throws IOException also when the system has no thread left
     */
    <T> T call(Task<T> task) throws IOException {
        Run present = begin();
        try {
            Call<T> call = new Call<>(task);
            return present.addIfIdle(call) ? call.await() : callBeside(present, call);
        } finally {
            end();
        }
    }

    private <T> T callBeside(Run busy, Call<T> call) throws IOException {
        Run own;
        try {
            own = start();
        } catch (OutOfThreadsException e) {
            busy.add(call); // it has to wait
            return call.await();
        }
        try {
            own.add(call);
            return call.await();
        } finally {
            own.end();
        }
    }

    private synchronized Run begin() throws IOException {
        if (uses == 0) {
            run = start();
        }
        uses++;
        return run;
    }

    private Run start() throws OutOfThreadsException {
        Run next = new Run();
        try {
            next.thread = threads.newThread(next);
            next.thread.start();
        } catch (OutOfMemoryError e) {
            throw new OutOfThreadsException("map files", e);
        }
        return next;
    }

    private void end() {
        Run last;
        synchronized (this) {
            if (--uses > 0) {
                return;
            }
            last = run;
            run = null;
        }
        last.end();
    }

    private final class Use implements AutoCloseable {
        private boolean closed;

        @Override
        public void close() {
            synchronized (this) {
                if (closed) {
                    return;
                }
                closed = true;
            }
            end();
        }
    }

    /** The life of a thread. */
    private static final class Run implements Runnable {
        private Thread thread;

        @GuardedBy("this")
        private final Queue<Call<?>> calls = new ArrayDeque<>();

        @GuardedBy("this")
        private boolean isBusy;

        @GuardedBy("this")
        private boolean ending;

        synchronized boolean addIfIdle(Call<?> call) {
            boolean isIdle = !isBusy && calls.isEmpty();
            if (isIdle) {
                add(call);
            }
            return isIdle;
        }

        synchronized void add(Call<?> call) {
            calls.add(call);
            notifyAll();
        }

        @Override
        public void run() {
            for (Call<?> next = next(); next != null; next = next()) {
                next.run();
                onDone();
                next.end();
            }
        }

        private synchronized void onDone() {
            isBusy = false;
        }

        private synchronized Call<?> next() {
            while (calls.isEmpty() && !ending) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    continue; // of nobody who has a right to
                }
            }
            isBusy = !calls.isEmpty();
            return calls.poll();
        }

        /** Ends it, and waits for that: after the close of a store there is no thread of it. */
        void end() {
            synchronized (this) {
                ending = true;
                notifyAll();
            }
            boolean interrupted = false;
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static final class Call<T> {
        private final Task<T> task;

        @GuardedBy("this")
        private boolean done;

        private T result;
        private Throwable failure;

        Call(Task<T> task) {
            this.task = task;
        }

        void run() {
            try {
                result = task.call();
            } catch (Throwable e) {
                failure = e; // the caller's
            }
        }

        synchronized void end() {
            done = true;
            notifyAll();
        }

        T await() throws IOException {
            boolean interrupted = false;
            synchronized (this) {
                while (!done) {
                    try {
                        wait();
                    } catch (InterruptedException e) {
                        interrupted = true;
                    }
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            if (failure instanceof IOException e) {
                throw e;
            }
            if (failure instanceof RuntimeException e) {
                throw e;
            }
            if (failure instanceof Error e) {
                throw e;
            }
            return result;
        }
    }
}
