package io.firn.examples;

import io.firn.Claim;
import io.firn.ExclusiveAppender;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.Tailer;
import io.firn.TopicOptions;
import io.firn.Verdict;
import io.firn.file.FileTier;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A fixed binary layout, written into a claim's buffer and read from the log's memory: no object
 * and no array of the caller's in between.
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
        try (LogStore store = LogStore.in(dir).tier(FileTier.at(dir.resolve("segments"))).open()) {
            Partition log = store.createTopic("readings", TopicOptions.defaults()).partition(0);
            try (ExclusiveAppender appender = log.openAppender()) {
                for (int sensor = 1; sensor <= 3; sensor++) {
                    Claim claim = claim(appender);
                    ByteBuffer room = claim.buffer();
                    room.putInt(SENSOR, sensor);
                    room.putInt(QUALITY, 100);
                    room.putDouble(READING, -10.5 * sensor);
                    if (sensor == 2) {
                        claim.abort(); // thought better of it: nothing is appended
                    } else {
                        claim.commit();
                    }
                }
            }
            try (Tailer tailer = log.openTailer()) {
                tailer.poll(
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
                            return Verdict.CONTINUE;
                        },
                        10);
            }
        }
    }

    /** Null says that the next segment is still being prepared. */
    private static Claim claim(ExclusiveAppender appender) {
        Claim claim = appender.tryClaim(LENGTH);
        while (claim == null) {
            Thread.onSpinWait();
            claim = appender.tryClaim(LENGTH);
        }
        return claim;
    }
}
