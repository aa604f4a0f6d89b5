package io.firn.medium;

/**
 * The log of a store, its tiers and its migrator, named {@code io.firn}. A handler of the log is
 * the application's, and may fail for the reason that is being logged, such as a full disk or heap,
 * or a lack of file descriptors. What it throws is dropped, because there is nowhere else to report
 * it: it must not end a thread of the store, or become the outcome of an append. Thread-safe.
 *
 * @see io.firn.spi.StorageTier
 */
public final class GuardedLog {
    private static final GuardedLog INSTANCE = new GuardedLog();

    private GuardedLog() {}

    /** Returns the log. */
    public static GuardedLog get() {
        return INSTANCE;
    }

    /** Logs a message, which is not formatted. */
    public void log(System.Logger.Level level, String message) {
        log(level, message, (Throwable) null);
    }

    /** Logs a message with an error; null for none. */
    public void log(System.Logger.Level level, String message, Throwable error) {
        try {
            logger().log(level, message, error);
        } catch (Throwable e) {
            return; // there is nowhere else to report it
        }
    }

    /** Logs a message in which {@code {0}} stands for the first parameter, and so on. */
    public void log(System.Logger.Level level, String message, Object... parameters) {
        try {
            logger().log(level, message, parameters);
        } catch (Throwable e) {
            return; // there is nowhere else to report it
        }
    }

    /** Not kept: the application may set up its log later, and what finds a log may fail, too. */
    private static System.Logger logger() {
        return System.getLogger("io.firn");
    }
}
