package io.firn.examples;

import io.firn.Partition;
import io.firn.RecordHandler.Action;
import io.firn.Tailer;
import java.util.function.LongConsumer;

/** Reads a log from its start to its visible end. */
final class ReplayReader {
    private static final int RECORDS_PER_POLL = 10_000;

    private ReplayReader() {}

    /**
     * What was read.
     *
     * @param bytes the length of all values
     * @param sha256 of all values in the order of their offsets, in hexadecimal digits
     * @param digestNs how long computing the SHA-256 took
     */
    record Found(long records, long bytes, String sha256, long digestNs) {}

    /** Reads all records; progress is called with the number of bytes read so far. */
    static Found read(Partition log, LongConsumer progress) {
        Fingerprint fingerprint = new Fingerprint();
        long[] bytes = {0};
        long records = 0;
        try (Tailer tailer = log.openTailer()) {
            while (tailer.offset() < log.visibleOffset()) {
                records +=
                        tailer.poll(
                                record -> {
                                    int at = fingerprint.room(record.valueLength());
                                    record.getValue(fingerprint.bytes(), at);
                                    bytes[0] += record.valueLength();
                                    return Action.CONTINUE;
                                },
                                RECORDS_PER_POLL);
                progress.accept(bytes[0]);
            }
        }
        String sha256 = fingerprint.hex(); // digests the rest, which counts below
        return new Found(records, bytes[0], sha256, fingerprint.ns());
    }
}
