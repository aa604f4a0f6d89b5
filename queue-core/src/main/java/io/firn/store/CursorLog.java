package io.firn.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.firn.ClosedException;
import io.firn.Cursor;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.force.PartitionForcer;
import io.firn.log.SegmentedLog;
import io.firn.log.TopicContext;
import io.firn.metadata.TopicFiles;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A cursor. What is persisted is never above the durable offset (O7), so that after a crash no
 * cursor is past records that were lost and whose offsets were assigned again.
 */
final class CursorLog implements Cursor {
    private static final long NEVER = -1;

    private final Cursors cursors;
    private final TopicContext topic;
    private final String name;

    /**
     * Held while the file is written or deleted, and taken before the monitor. The monitor guards
     * the offsets and is never held across I/O: others advance the cursor while a write goes on.
     */
    private final Object writing = new Object();

    @GuardedBy("this")
    private long[] offsets; // by partition; too short when some were added since

    @GuardedBy("this")
    private long changes;

    @GuardedBy("this")
    private long writtenChanges;

    @GuardedBy("this")
    private boolean deleted;

    CursorLog(Cursors cursors, String name, Map<String, String> stored) {
        this.cursors = cursors;
        this.topic = cursors.topic();
        this.name = name;
        this.offsets = new long[cursors.partitionCount()];
        take(stored);
    }

    TopicContext topic() {
        return topic;
    }

    @GuardedBy("this")
    private void take(Map<String, String> stored) {
        Arrays.fill(offsets, NEVER);
        if (stored != null) {
            for (Map.Entry<String, String> e : stored.entrySet()) {
                int partition = Integer.parseInt(e.getKey());
                if (partition < offsets.length) {
                    offsets[partition] = Long.parseLong(e.getValue());
                }
            }
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public synchronized long offset(int partition) {
        cursors.log(partition); // throws when there is none
        if (topic.store().isReadOnly()) {
            lookAgain();
        }
        return partition < offsets.length ? offsets[partition] : NEVER;
    }

    /** For a cursor that another process advances. */
    @GuardedBy("this")
    private void lookAgain() {
        try {
            take(topic.files().readCursor(name));
        } catch (IOException e) {
            throw TopicFiles.failed("cursor " + name + " could not be read", e);
        }
    }

    @GuardedBy("this")
    private void checkNotDeleted() {
        if (deleted) {
            throw new ClosedException(
                    "cursor "
                            + name
                            + " of topic "
                            + topic
                            + " was deleted: Topic.cursor creates a new one");
        }
    }

    @Override
    public synchronized void advance(int partition, long offset) {
        topic.store().checkWritable();
        SegmentedLog log = cursors.log(partition);
        log.state().checkReadable();
        checkNotDeleted();
        long next = log.nextOffset();
        if (offset < 0 || offset > next) {
            throw new InvalidOptionException(
                    "cursor "
                            + name
                            + ": offset "
                            + offset
                            + " is not in [0, "
                            + next
                            + "] of partition "
                            + partition);
        }
        set(partition, offset);
    }

    @Override
    public synchronized void clear(int partition) {
        topic.store().checkWritable();
        cursors.log(partition).state().checkReadable();
        checkNotDeleted();
        set(partition, NEVER);
    }

    @GuardedBy("this")
    private void set(int partition, long offset) {
        if (partition >= offsets.length) {
            int before = offsets.length;
            offsets = Arrays.copyOf(offsets, cursors.partitionCount());
            Arrays.fill(offsets, before, offsets.length, NEVER);
        }
        if (offsets[partition] != offset) {
            offsets[partition] = offset;
            changes++;
            cursors.onChanged();
        }
    }

    @Override
    public void force() {
        topic.store().checkWritable();
        cursors.log(0).state().checkReadable();
        synchronized (this) {
            checkNotDeleted();
        }
        try {
            write();
        } catch (IOException e) {
            throw TopicFiles.failed("cursor " + name + " could not be written", e);
        }
    }

    /** Persists the offsets if they changed since the last time; does nothing after deletion. */
    void write() throws IOException {
        long[] now;
        long changesNow;
        synchronized (this) {
            if (changes == writtenChanges || deleted) {
                return;
            }
            now = offsets.clone();
            changesNow = changes;
        }
        FirnException failure = null;
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < now.length; i++) {
            if (now[i] != NEVER) {
                PartitionForcer forcer = cursors.forcer(i);
                try {
                    forcer.awaitDurable(now[i]);
                } catch (FirnException e) {
                    failure = e; // the offsets of the other partitions are written nevertheless
                }
                values.put(
                        Integer.toString(i),
                        Long.toString(Math.min(now[i], forcer.log().durableOffset())));
            }
        }
        synchronized (writing) {
            if (isNewer(changesNow)) {
                topic.files().writeCursor(name, values);
                wrote(failure == null ? changesNow : 0);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private synchronized boolean isNewer(long changesNow) {
        return !deleted && changesNow > writtenChanges;
    }

    private synchronized void wrote(long changesNow) {
        writtenChanges = Math.max(writtenChanges, changesNow);
    }

    void delete() throws IOException {
        synchronized (writing) { // a write in progress must not bring the file back
            synchronized (this) {
                deleted = true;
            }
            topic.files().deleteCursor(name);
        }
    }
}
