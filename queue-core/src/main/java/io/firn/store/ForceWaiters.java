package io.firn.store;

/** Those who wait until something of a log is durable. Thread-safe. */
interface ForceWaiters {
    /** Makes the background look at them; allowed under any lock. */
    void call();

    /** Fails what waits, on the caller's thread, which holds no lock. */
    void failPending(RuntimeException why);
}
