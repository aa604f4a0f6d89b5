package io.firn.examples;

import io.firn.Claim;
import io.firn.ExclusiveAppender;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.file.FileTier;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Writes a fixed binary layout into the buffer of a claim and reads it from the log's memory,
 * without any objects or arrays of its own.
 */
public final class ClaimExample {
    /*
     *   0        4                8                        16
     *   +--------+----------------+------------------------+
     *   | sensor | quality        | reading                |
     *   | int    | int            | double                 |
     *   +--------+----------------+------------------------+
     */
    private static final int SENSOR = 0;
    private static final int QUALITY = SENSOR + Integer.BYTES;
    private static final int READING = QUALITY + Integer.BYTES;
    private static final int LENGTH = READING + Double.BYTES;

    private ClaimExample() {}

    /** Runs it; the directory is the only argument. */
    public static void main(String[] args) {
        run(Examples.directory(args), System.out);
    }

    static void run(Path dir, PrintStream out) {
        try (LogStore store = LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open()) {
            Partition log = store.createTopic("readings", TopicOptions.defaults()).partition(0);
            try (ExclusiveAppender appender = log.openExclusiveAppender()) {
                for (int sensor = 1; sensor <= 3; sensor++) {
                    Claim claim = appender.claim(LENGTH);
                    ByteBuffer buffer = claim.buffer();
                    buffer.putInt(SENSOR, sensor);
                    buffer.putInt(QUALITY, 100);
                    buffer.putDouble(READING, -10.5 * sensor);
                    if (sensor == 2) {
                        claim.abort(); // nothing is appended, and no offset is used
                    } else {
                        claim.commit();
                    }
                }
            }
            try (Tailer tailer = log.openTailer()) {
                tailer.forEach(
                        record -> {
                            ByteBuffer value = record.value();
                            int at = value.position();
                            out.println(
                                    "Offset "
                                            + record.offset()
                                            + ": sensor "
                                            + value.getInt(at + SENSOR)
                                            + " reads "
                                            + value.getDouble(at + READING));
                        },
                        10);
            }
        }
    }
}
