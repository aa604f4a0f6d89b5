package io.firn.examples;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.Partition;
import java.io.IOException;

/** Appends lines to a log, each as a record, some in a batch. */
final class ReplayWriter {
    /** A batch is not filled further than this. */
    static final int BATCH_BYTES = 1 << 20;

    /** Told after each acknowledged batch. */
    @FunctionalInterface
    interface Progress {
        /** So many of the file's lines are in the log now, and so many bytes. */
        void onAppended(long lines, long bytes);
    }

    private ReplayWriter() {}

    /** Appends what comes next of the lines, up to a position in their file. */
    static void write(Lines lines, long end, Partition log, int batchRecords, Progress progress)
            throws IOException {
        try (Appender appender = log.openAppender()) {
            Batch batch = appender.newBatch();
            while (lines.position() < end && lines.next()) {
                batch.value(lines.bytes(), lines.from(), lines.length()).add();
                if (batch.count() == batchRecords || batch.sizeBytes() >= BATCH_BYTES) {
                    append(appender, batch, lines, progress);
                }
            }
            if (batch.count() > 0) {
                append(appender, batch, lines, progress);
            }
        }
    }

    private static void append(Appender appender, Batch batch, Lines lines, Progress progress) {
        appender.append(batch);
        batch.clear();
        progress.onAppended(lines.count(), lines.position());
    }
}
