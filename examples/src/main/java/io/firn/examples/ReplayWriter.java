package io.firn.examples;

import io.firn.Appender;
import io.firn.Batch;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.file.FileTier;
import java.io.IOException;
import java.nio.file.Path;

/** Appends lines to a log, each as a record, several in a batch. */
final class ReplayWriter {
    /** A batch is appended when it has reached this size. */
    static final int BATCH_BYTES = 1 << 20;

    /** Called after each acknowledged batch. */
    @FunctionalInterface
    interface Progress {
        /** Receives how many lines of the file are in the log now, and their bytes. */
        void onAppended(long lines, long bytes);
    }

    private ReplayWriter() {}

    /** Opens a store whose segments are in files below its directory. */
    static LogStore open(Path dir) {
        return LogStore.at(dir).tier(FileTier.at(dir.resolve("segments"))).open();
    }

    /** Appends the next lines, up to a position in their file. */
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
