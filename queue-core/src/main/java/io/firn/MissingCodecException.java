package io.firn;

/** A compression library is not on the class path; the message names its artifact. */
public final class MissingCodecException extends FirnException {
    private static final long serialVersionUID = 1L;

    /** With the whole story in the message. */
    public MissingCodecException(String message) {
        super(message);
    }
}
