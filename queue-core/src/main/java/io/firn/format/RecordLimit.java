package io.firn.format;

import io.firn.RecordTooLargeException;

/** The error for a record that a topic does not allow. */
final class RecordLimit {
    private RecordLimit() {}

    static RecordTooLargeException tooLarge(long found, int limit) {
        return new RecordTooLargeException(
                "the record has "
                        + found
                        + " bytes, the topic allows records up to maxRecordBytes = "
                        + limit);
    }
}
