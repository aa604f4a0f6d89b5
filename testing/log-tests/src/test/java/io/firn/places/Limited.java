package io.firn.places;

import io.firn.FirnException;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs steps on a thread of its own, says how each ended, and ends the JVM if one hangs. */
final class Limited {
    /** An answer comes within ten seconds; the rest is for a busy machine. */
    static final long HANGS_AFTER_S = 15;

    /** What comes before the trouble has hundreds of forces, and may meet a busy disk. */
    private static final long PATIENCE_S = 300;

    private static final long PAUSE_MS = 200;
    private static final int FAILED = 1;
    private static final int HANGS = 3;

    private final PrintStream out;
    private final PrintStream details;
    private volatile Thread thread;
    private final ExecutorService worker = Executors.newSingleThreadExecutor(this::newThread);

    /**
     * Makes its thread.
     *
     * @param out gets a part of a line for each step
     * @param details gets the stack traces
     */
    Limited(PrintStream out, PrintStream details) {
        this.out = out;
        this.details = details;
        attempt("start", () -> "");
    }

    private Thread newThread(Runnable task) {
        thread = new Thread(task, "steps");
        thread.setDaemon(true);
        return thread;
    }

    /** Runs a step that has to succeed; it may need several attempts until it does. */
    void mustSucceed(String name, Callable<String> step) throws InterruptedException {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(HANGS_AFTER_S);
        Throwable failure = attempt(name, step);
        while (failure != null && System.nanoTime() < giveUp) {
            Thread.sleep(PAUSE_MS);
            failure = attempt(name, step);
        }
        if (failure != null) {
            fail(name, failure);
        }
    }

    /**
     * Runs a step that Firn may refuse by one of its exceptions.
     *
     * @return whether it succeeded
     */
    boolean mayBeRefused(String name, Callable<String> step) {
        Throwable failure = attempt(name, step);
        if (failure == null) {
            return true;
        }
        if (!(failure instanceof FirnException)) {
            fail(name, failure);
        }
        say(name, failure.getClass().getSimpleName());
        return false;
    }

    /** Runs a step that is not what is tried: it has more time. */
    void setUp(String name, Callable<String> step) {
        Throwable failure = attempt(name, step, PATIENCE_S);
        if (failure != null) {
            fail(name, failure);
        }
    }

    /** Returns what a step failed with; null if it succeeded. */
    Throwable attempt(String name, Callable<String> step) {
        return attempt(name, step, HANGS_AFTER_S);
    }

    private Throwable attempt(String name, Callable<String> step, long limitS) {
        try {
            String result = worker.submit(step).get(limitS, TimeUnit.SECONDS);
            if (!result.isEmpty()) {
                say(name, result);
            }
            return null;
        } catch (ExecutionException e) {
            details.println("---- " + name);
            e.getCause().printStackTrace(details);
            details.flush();
            return e.getCause();
        } catch (TimeoutException e) {
            details.println("---- " + name + " hangs");
            for (StackTraceElement frame : thread.getStackTrace()) {
                details.println("    at " + frame);
            }
            end(name, "NO ANSWER in " + limitS + " s", HANGS);
            return e;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    void say(String name, String what) {
        out.print(name + ": " + what + "; ");
        out.flush();
    }

    /** Ends the JVM because something is not as it should be. */
    void fail(String name, Throwable why) {
        end(name, "FAILS with " + why, FAILED);
    }

    private void end(String name, String what, int status) {
        say(name, what.replaceAll("\\s*\\R\\s*", " "));
        details.flush();
        Runtime.getRuntime().halt(status); // no hook may wait
    }
}
