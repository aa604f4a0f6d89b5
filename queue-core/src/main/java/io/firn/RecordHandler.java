package io.firn;

/**
 * Handles the records of a poll, one by one, on the polling thread.
 *
 * @see Tailer
 */
@FunctionalInterface
public interface RecordHandler {

    /**
     * Called for each record in ascending order of offset. An exception ends the poll and is passed
     * on; the record counts as not handled.
     *
     * @param record a flyweight, valid until this method returns; {@link LogRecord#copy()} to keep
     */
    Action onRecord(LogRecord record);

    /** What a handler decides about a record. */
    enum Action {
        /** The record is handled; continue with the next one. */
        CONTINUE,
        /** The record is handled; end this poll. */
        STOP,
        /** The record is not handled: end this poll, and deliver it again in the next one. */
        RETRY
    }
}
