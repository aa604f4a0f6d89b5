package io.firn;

/** Thrown when a compression library is not on the class path; the message names its artifact. */
public final class MissingCodecException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public MissingCodecException(String message) {
        super(message);
    }
}
