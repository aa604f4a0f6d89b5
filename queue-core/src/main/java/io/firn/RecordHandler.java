package io.firn;

/** Takes the records of a poll, one by one, on the polling thread. */
@FunctionalInterface
public interface RecordHandler {

    /**
     * Called for each record in ascending order of offset. An exception ends the poll and is passed
     * on; the record counts as not taken.
     *
     * @param record a flyweight, valid until this method returns; {@link Record#copy()} to keep
     */
    Verdict onRecord(Record record);
}
