package io.firn.medium;

import java.io.IOException;

/** Thrown when the system starts no more threads for the process. */
public final class OutOfThreadsException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param purpose what the thread is for, to follow "to"
     */
    public OutOfThreadsException(String purpose, OutOfMemoryError cause) {
        super(
                "no thread could be started to "
                        + purpose
                        + " ("
                        + cause.getMessage()
                        + "): raise the limit of processes and threads (ulimit -u, the pids limit of"
                        + " the container), or end some",
                cause);
    }
}
