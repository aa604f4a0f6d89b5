package io.firn.read;

/** What was read is meaningless: another process has reused the block meanwhile. */
final class ReusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ReusedException() {
        super(null, null, false, false);
    }
}
