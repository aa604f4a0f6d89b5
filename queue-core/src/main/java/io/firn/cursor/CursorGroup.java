package io.firn.cursor;

import io.firn.FirnException;
import io.firn.background.ParallelSteps;
import io.firn.cursor.CursorPositions.Write;
import io.firn.log.TopicContext;
import io.firn.metadata.TopicFiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Cursors of a topic that are persisted together. The order:
 *
 * <ol>
 *   <li>look at the offsets of each, and wait until the log is durable up to them (O7);
 *   <li>keep others from writing these cursors, and note what each file may say from now on, so
 *       that retention goes by the older of both positions (O24);
 *   <li>replace the files: all are stored and forced, several at once, then all are renamed, then
 *       the directory is forced once ({@link io.firn.medium.WholeFile});
 *   <li>note what the files say.
 * </ol>
 *
 * Power may fail at any time: each file has what it had or what was noted in the second step, and
 * both are at most what the log has. The cursors do not depend on each other, so any of them may
 * have the new offsets.
 */
final class CursorGroup {
    private final TopicContext topic;
    private final CursorFiles files;
    private final List<Member> begun = new ArrayList<>();
    private final List<Member> allowed = new ArrayList<>();
    private final BitSet moved = new BitSet();
    private FirnException failure;

    private record Member(CursorLog cursor, Write write) {}

    CursorGroup(TopicContext topic, CursorFiles files) {
        this.topic = topic;
        this.files = files;
    }

    /**
     * Persists cursors that have changed.
     *
     * @param cursors in the order of their names
     * @return the partitions in which some cursor's file says something else than before
     */
    BitSet write(List<CursorLog> cursors) {
        cursors.forEach(this::begin);
        int held = 0;
        try {
            for (Member each : begun) {
                each.cursor.writing().lock();
                held++;
                if (each.cursor.mayWrite(each.write)) {
                    allowed.add(each);
                }
            }
            writeFiles();
        } finally {
            for (int i = 0; i < held; i++) { // allocates nothing: the heap may be full
                begun.get(i).cursor.writing().unlock();
            }
        }
        return moved;
    }

    private void begin(CursorLog cursor) {
        Write write = cursor.beginWrite();
        if (write != null) {
            begun.add(new Member(cursor, write));
            failure = write.failure() == null ? failure : write.failure();
        }
    }

    private void writeFiles() {
        if (allowed.isEmpty()) {
            return;
        }
        List<CursorFiles.Content> contents =
                allowed.stream().map(each -> each.write.content(each.cursor.name())).toList();
        ParallelSteps forces = topic.store().background().sideBySide();
        try {
            IOException[] failures = files.write(contents, forces);
            for (int i = 0; i < failures.length; i++) {
                onReplaced(allowed.get(i), failures[i]);
            }
        } catch (IOException e) {
            allowed.forEach(each -> onReplaced(each, e));
        }
    }

    private void onReplaced(Member member, IOException why) {
        if (why != null) {
            String what = "cursor " + member.cursor.name() + " could not be written";
            failure = TopicFiles.failed(what, why);
        } else {
            member.cursor.wrote(member.write, moved);
        }
    }

    /** Why one of them was not written, or not all of its offsets; null when all were. */
    FirnException failure() {
        return failure;
    }
}
