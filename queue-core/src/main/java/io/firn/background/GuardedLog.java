package io.firn.background;

/**
 * Logs where nothing may be thrown: a handler of the log is the application's, and may fail for the
 * reason that is being logged, such as a full disk or heap. What the log throws is dropped, because
 * there is nowhere else to report it. Thread-safe.
 */
public final class GuardedLog {
    private GuardedLog() {}

    /** Logs a message. */
    public static void log(System.Logger log, System.Logger.Level level, String message) {
        log(log, level, message, null);
    }

    /** Logs a message with an error; null for none. */
    public static void log(
            System.Logger log, System.Logger.Level level, String message, Throwable error) {
        try {
            log.log(level, message, error);
        } catch (Throwable e) {
            return; // there is nowhere else to report it
        }
    }
}
