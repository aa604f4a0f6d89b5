package io.firn;

/**
 * Thrown when a compression library is not on the class path, or cannot load its native code. The
 * message names its artifact and says what to do.
 *
 * @see Tailer
 */
public final class MissingCodecException extends RefusedException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public MissingCodecException(String message) {
        super(message);
    }

    /** Creates the exception with a complete message and what the library failed with. */
    public MissingCodecException(String message, Throwable cause) {
        super(message, cause);
    }
}
