package io.firn.server.wire;

/** Thrown for a request that cannot be read; closes its sender's connection. */
public final class BadRequestException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Says what was wrong. */
    public BadRequestException(String message) {
        super(message);
    }

    /** Says what was wrong, and how it was found. */
    public BadRequestException(String message, Throwable cause) {
        super(message, cause);
    }
}
