package io.firn.server.wire;

/** Thrown for a request that cannot be read; closes its sender's connection. */
public final class BadRequestException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception; the message says what was expected and found. */
    public BadRequestException(String message) {
        super(message);
    }

    /** Creates the exception with a cause. */
    public BadRequestException(String message, Throwable cause) {
        super(message, cause);
    }
}
