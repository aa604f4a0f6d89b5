package io.firn.server.wire;

/** A request that cannot be understood; it costs its sender the connection. */
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
