package io.firn.metadata;

import java.io.IOException;

/**
 * Thrown for a topic file that is intact but contains something that this version does not know.
 */
final class UnknownOptionsException extends IOException {
    private static final long serialVersionUID = 1L;
    private final String name;

    UnknownOptionsException(String name, String message, Throwable cause) {
        super(message, cause);
        this.name = name;
    }

    /** The topic's name. */
    String name() {
        return name;
    }
}
