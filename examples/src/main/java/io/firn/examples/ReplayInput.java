package io.firn.examples;

import io.firn.TopicOptions;
import java.io.IOException;
import java.nio.file.Path;

/**
 * What one pass over a file tells about it.
 *
 * @param longest the length of the longest line in bytes, with its newline
 * @param sha256 in hexadecimal digits
 */
record ReplayInput(long bytes, long lines, int longest, String sha256) {
    private static final int MIB = 1 << 20;

    /** Space for the header of a record, or of a batch. */
    private static final int OVERHEAD = 1024;

    /** Reads a file. */
    static ReplayInput of(Path file) throws IOException {
        Fingerprint fingerprint = new Fingerprint();
        int longest = 0;
        try (Lines lines = new Lines(file)) {
            while (lines.next()) {
                longest = Math.max(longest, lines.length());
                fingerprint.add(lines.bytes(), lines.from(), lines.length());
            }
            return new ReplayInput(lines.position(), lines.count(), longest, fingerprint.hex());
        }
    }

    /** Returns options for a topic that accepts every line of the file. */
    TopicOptions topicOptions() {
        TopicOptions defaults = TopicOptions.defaults();
        int maxRecordBytes = Math.max(MIB, longest + OVERHEAD);
        int maxBatchBytes = maxRecordBytes + ReplayWriter.BATCH_BYTES + OVERHEAD;
        return defaults.withSegmentBytes(Math.max(defaults.segmentBytes(), maxBatchBytes))
                .withMaxRecordBytes(maxRecordBytes);
    }
}
