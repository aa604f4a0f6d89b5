package io.firn.medium;

import java.io.IOException;

/** Thrown when a file could be read, and its content is not what was written. */
public final class DamagedFileException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception. */
    public DamagedFileException(String message) {
        super(message);
    }
}
