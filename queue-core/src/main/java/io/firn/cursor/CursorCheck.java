package io.firn.cursor;

import io.firn.Finding.Kind;
import io.firn.findings.FindingKey;
import io.firn.findings.Subject;
import io.firn.log.SegmentedLog;
import io.firn.log.TopicContext;
import java.nio.file.Path;
import java.util.function.IntFunction;

/**
 * Finds out whether a cursor's file fits its topic. A cursor is written after the log is durable up
 * to its offset, so an offset above the end shows that one of the two is from another copy of the
 * store.
 */
final class CursorCheck {
    private final TopicContext topic;
    private final CursorFiles files;
    private final int partitions;
    private final IntFunction<SegmentedLog> logs;

    /** Creates a check for a topic with so many partitions. */
    CursorCheck(
            TopicContext topic, CursorFiles files, int partitions, IntFunction<SegmentedLog> logs) {
        this.topic = topic;
        this.files = files;
        this.partitions = partitions;
        this.logs = logs;
    }

    /** Adds what does not fit to the findings of the store. */
    void check(CursorFiles.Content stored) {
        if (topic.store().isReadOnly() || topic.isReplicated()) {
            return; // the log that is seen may be behind, or was truncated
        }
        Path file = files.fileOf(stored.name());
        stored.offsets()
                .forEach(
                        (partition, offset) -> {
                            if (partition >= partitions) {
                                note(
                                        stored.name(),
                                        topic.subject(),
                                        file
                                                + " has an offset of partition "
                                                + partition
                                                + ", which topic "
                                                + topic
                                                + " does not have: it is another topic's, or "
                                                + topic.files().topicFile()
                                                + " is older; restore the right one");
                            } else {
                                check(stored.name(), logs.apply(partition), offset);
                            }
                        });
    }

    private void check(String cursor, SegmentedLog log, long offset) {
        if (offset > log.nextOffset()) {
            note(
                    cursor,
                    log.subject(),
                    files.fileOf(cursor)
                            + " has the offset "
                            + offset
                            + " for "
                            + log
                            + ", which ends at "
                            + log.nextOffset()
                            + ": the file or the log is from another copy of the store; restore"
                            + " both from one copy, or set the cursor to an offset of the log");
        }
    }

    private void note(String cursor, Subject subject, String finding) {
        topic.store()
                .findings()
                .begin(FindingKey.of(Kind.CURSOR_MISMATCH, subject, cursor), finding);
    }
}
