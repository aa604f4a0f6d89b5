package io.firn.log;

/** Those who wait until something of a log is durable. Thread-safe. */
public interface ForceWaiters {
    /** Makes the background look at them; allowed under any lock. */
    void call();

    /** Fails what waits, on the caller's thread, which holds no lock. */
    void failPending(RuntimeException why);
}
