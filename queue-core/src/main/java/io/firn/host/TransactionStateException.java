package io.firn.host;

/**
 * Thrown when a call does not fit the state of a transaction, such as a second commit.
 *
 * @see HostedStore
 */
public final class TransactionStateException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception with a complete message. */
    public TransactionStateException(String message) {
        super(message);
    }
}
