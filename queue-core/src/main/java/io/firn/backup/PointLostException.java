package io.firn.backup;

/** What was there at the point in time of a backup is not there any more: it needs another one. */
final class PointLostException extends Exception {
    private static final long serialVersionUID = 1L;

    PointLostException(String message) {
        super(message);
    }
}
