package io.firn.spi;

/**
 * Thrown by a read of a block that another process has reused meanwhile: what was read may belong
 * to another segment. It tells a read-only store to list the tier again, and does not reach users.
 */
public final class BlockReusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception, without a stack trace.
     *
     * @param block the name of the block
     */
    public BlockReusedException(String block) {
        super(
                block + " was reused by the process that writes; list the tier again",
                null,
                false,
                false);
    }
}
