package io.firn.log;

/** Tells the background that something was appended, when it has asked for that. Thread-safe. */
public interface AppendAlarm {
    /** Makes the next append call the background. */
    void callAtNextAppend();

    /** Whether the next append calls the background. */
    boolean isToCall();
}
