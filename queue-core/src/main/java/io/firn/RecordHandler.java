package io.firn;

/** Handles the records of a poll, one by one, on the polling thread. */
@FunctionalInterface
public interface RecordHandler {

    /**
     * Called for each record in ascending order of offset. An exception ends the poll and is passed
     * on; the record counts as not handled.
     *
     * @param record a flyweight, valid until this method returns; {@link Record#copy()} to keep
     */
    Verdict onRecord(Record record);
}
