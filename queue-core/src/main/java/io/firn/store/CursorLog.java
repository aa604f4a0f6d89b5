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
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A cursor. What is persisted is never above the durable offset (O7), so that after a crash no
 * cursor is past records that were lost and whose offsets were assigned again.
 */
final class CursorLog implements Cursor {
    /** No position. */
    static final long NEVER = -1;

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

    /**
     * By partition, the smallest offset that the file may hold: of what was written last and of
     * what is being written, or failed to be.
     */
    @GuardedBy("this")
    private long[] persisted;

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
        this.persisted = offsets.clone();
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
            offsets = grown(offsets);
            persisted = grown(persisted);
        }
        if (offsets[partition] != offset) {
            offsets[partition] = offset;
            changes++;
            cursors.onChanged();
        }
    }

    private long[] grown(long[] before) {
        long[] after = Arrays.copyOf(before, cursors.partitionCount());
        Arrays.fill(after, before.length, after.length, NEVER);
        return after;
    }

    /**
     * The offset from which on its reader may need records, after a crash, too: by what the file
     * may hold and by what it will hold. {@link #NEVER} when it has no position.
     */
    synchronized long unreadFrom(int partition) {
        if (partition >= offsets.length) {
            return NEVER;
        }
        long now = offsets[partition];
        long then = persisted[partition];
        return now == NEVER ? then : Math.max(0, Math.min(now, then));
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
                now[i] = Math.min(now[i], forcer.log().durableOffset());
                values.put(Integer.toString(i), Long.toString(now[i]));
            }
        }
        BitSet moved = new BitSet();
        synchronized (writing) {
            if (isNewer(changesNow)) {
                mayPersist(now);
                topic.files().writeCursor(name, values);
                wrote(failure == null ? changesNow : 0, now, moved);
            }
        }
        moved.stream().forEach(cursors::onPersisted);
        if (failure != null) {
            throw failure;
        }
    }

    private synchronized boolean isNewer(long changesNow) {
        return !deleted && changesNow > writtenChanges;
    }

    /** Until the write has returned, and if it fails, the file may have the old or the new. */
    private synchronized void mayPersist(long[] now) {
        for (int i = 0; i < now.length; i++) {
            if (now[i] != NEVER) {
                persisted[i] = Math.min(persisted[i], now[i]);
            }
        }
    }

    private synchronized void wrote(long changesNow, long[] now, BitSet moved) {
        writtenChanges = Math.max(writtenChanges, changesNow);
        for (int i = 0; i < now.length; i++) {
            moved.set(i, persisted[i] != now[i]);
            persisted[i] = now[i];
        }
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
