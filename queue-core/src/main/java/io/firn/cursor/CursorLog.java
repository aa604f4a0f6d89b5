package io.firn.cursor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.firn.ClosedException;
import io.firn.CursorBusyException;
import io.firn.FirnException;
import io.firn.force.PartitionForcer;
import io.firn.host.HostedCursor;
import io.firn.log.SegmentedLog;
import io.firn.log.TopicContext;
import io.firn.medium.DamagedFileException;
import io.firn.metadata.TopicFiles;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

/**
 * A cursor. What is persisted is never above the durable offset (O7), so that after a crash no
 * cursor is past records that were lost and whose offsets were assigned again.
 */
public final class CursorLog implements HostedCursor {
    /** No position. */
    static final long NEVER = -1;

    private final Cursors cursors;
    private final TopicContext topic;
    private final String name;

    /**
     * Held while the file is written or deleted, and taken before the monitor. The monitor guards
     * the offsets and is never held across I/O: others advance the cursor while a write goes on.
     * Who holds that of several cursors has taken them in the order of the cursors' names.
     */
    private final ReentrantLock writing = new ReentrantLock();

    @GuardedBy("this")
    private long[] offsets; // by partition; too short when some were added since

    /**
     * By partition, the smallest offset that the file may hold: of what was written last and of
     * what is being written, or failed to be. {@link #NEVER} when it certainly has none.
     */
    @GuardedBy("this")
    private long[] persisted;

    /** The partitions of which the file may have no offset although it may have one. */
    @GuardedBy("this")
    private final BitSet maybeNone = new BitSet();

    /**
     * The partitions whose position was lost with a damaged file, until a new one is set. The file
     * then says {@link #NEVER} of them.
     */
    @GuardedBy("this")
    private final BitSet lost = new BitSet();

    /** What was committed and cannot be a position; in the file as it is, whatever is durable. */
    @GuardedBy("this")
    private final OutsideOffsets outside = new OutsideOffsets();

    @GuardedBy("this")
    private long changes;

    @GuardedBy("this")
    private long writtenChanges;

    @GuardedBy("this")
    private final DecidedMoves decided;

    /** The partitions that an open reader has reserved. */
    @GuardedBy("this")
    private final BitSet reserved = new BitSet();

    @GuardedBy("this")
    private boolean deleted;

    private CursorLog(Cursors cursors, CursorFile.Content stored) {
        this.cursors = cursors;
        this.topic = cursors.topic();
        this.name = stored.name();
        this.decided = new DecidedMoves(stored.decisions());
        this.offsets = new long[cursors.partitionCount()];
        this.persisted = offsets;
    }

    /** Creates a cursor with the positions that were read from its file. */
    static CursorLog of(Cursors cursors, CursorFile.Content stored) {
        CursorLog cursor = new CursorLog(cursors, stored);
        synchronized (cursor) {
            cursor.take(stored);
            cursor.persisted = cursor.countingLost(cursor.offsets);
        }
        return cursor;
    }

    /** Returns what a cursor without a file has. */
    static CursorFile.Content nothing(String name) {
        return new CursorFile.Content(name, Map.of(), Map.of(), Map.of());
    }

    /** Creates a cursor whose file is damaged: its reader might have been anywhere. */
    static CursorLog damaged(Cursors cursors, String name) {
        Map<Integer, Long> lost = new TreeMap<>();
        IntStream.range(0, cursors.partitionCount()).forEach(i -> lost.put(i, NEVER));
        return of(cursors, new CursorFile.Content(name, lost, Map.of(), Map.of()));
    }

    /** A lost position might have been 0. */
    @GuardedBy("this")
    private long[] countingLost(long[] inFile) {
        long[] counted = inFile.clone();
        for (int i = 0; i < counted.length; i++) {
            if (lost.get(i) && counted[i] == NEVER) {
                counted[i] = 0;
            }
        }
        return counted;
    }

    public TopicContext topic() {
        return topic;
    }

    @GuardedBy("this")
    private void take(CursorFile.Content stored) {
        Arrays.fill(offsets, NEVER);
        outside.replaceAll(stored.outside(), offsets.length);
        for (Map.Entry<Integer, Long> e : stored.offsets().entrySet()) {
            int partition = e.getKey();
            if (partition < offsets.length) {
                offsets[partition] = e.getValue();
                lost.set(partition, e.getValue() == NEVER);
            }
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public synchronized long offset(int partition) {
        SegmentedLog log = cursors.log(partition); // throws when there is none
        if (topic.store().isReadOnly()) {
            lookAgain();
        }
        return hasReachedOutside(log, partition) ? outside.at(partition) : positionIn(partition);
    }

    @Override
    public synchronized OptionalLong committed(int partition) {
        long position = offset(partition);
        return outside.has(partition)
                ? OptionalLong.of(outside.at(partition))
                : position == NEVER ? OptionalLong.empty() : OptionalLong.of(position);
    }

    @GuardedBy("this")
    private long positionIn(int partition) {
        return partition < offsets.length ? offsets[partition] : NEVER;
    }

    /** Whether an offset that was outside the log is one that a cursor can have for good. */
    @GuardedBy("this")
    private boolean hasReachedOutside(SegmentedLog log, int partition) {
        return outside.has(partition)
                && outside.at(partition) >= 0
                && outside.at(partition) <= log.durableOffset();
    }

    /** For a cursor that another process advances. */
    @GuardedBy("this")
    private void lookAgain() {
        try {
            CursorFile.Content stored = cursors.files().read(name);
            take(stored == null ? nothing(name) : stored);
        } catch (DamagedFileException e) {
            take(nothing(name));
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
    public void commit(int partition, long offset) {
        set(partition, offset, false);
    }

    @Override
    public void commitAny(int partition, long offset) {
        set(partition, offset, true);
    }

    private void set(int partition, long offset, boolean mayBeOutside) {
        if (!set(partition, offset, mayBeOutside, false)) {
            synchronized (cursors.log(partition).state().retaining()) {
                set(partition, offset, mayBeOutside, true);
            }
        }
    }

    /**
     * Sets a position, or an offset beside it.
     *
     * @param mayBeOutside whether an offset outside the log is kept; otherwise it is refused
     * @param mayGoBack whether retention cannot just be deciding by another position
     * @return false when nothing was set, because the cursor would go back
     */
    private synchronized boolean set(
            int partition, long offset, boolean mayBeOutside, boolean mayGoBack) {
        topic.store().checkWritable();
        SegmentedLog log = cursors.log(partition);
        log.state().checkReadable();
        checkNotDeleted();
        if (mayBeOutside && !log.mayHaveCursor(offset)) {
            keepOutside(partition, offset);
            return true;
        }
        log.checkCursor(name, offset);
        long before = positionIn(partition);
        if (!mayGoBack && (before == NEVER || offset < before)) {
            return false;
        }
        set(partition, offset);
        return true;
    }

    /**
     * Sets a position because a transaction has committed, unless that or a later one did already;
     * not above the end, since a replica may have been truncated before the commit.
     *
     * @param isOutside whether the offset is kept beside the position
     * @param decision the number of the decision, which is durable
     */
    public void move(int partition, long offset, boolean isOutside, long decision) {
        SegmentedLog log = cursors.log(partition);
        synchronized (log.state().retaining()) {
            synchronized (this) { // a truncation that lowers the end after this finds the cursor
                if (!deleted && decided.note(partition, decision)) {
                    if (isOutside) {
                        keepOutside(partition, offset);
                    } else {
                        set(partition, Math.min(offset, log.nextOffset()));
                    }
                    changes++; // the file has to tell of the decision, too
                    cursors.onChanged();
                }
            }
        }
    }

    /** Returns whether the file contains the move by a decision. */
    public synchronized boolean isPersisted(int partition, long decision) {
        return deleted || decided.isPersisted(partition, decision);
    }

    @Override
    public void clear(int partition) {
        // For one that is waited for by name, to have no position is to need everything.
        synchronized (cursors.log(partition).state().retaining()) {
            clearNow(partition);
        }
    }

    private synchronized void clearNow(int partition) {
        topic.store().checkWritable();
        cursors.log(partition).state().checkReadable();
        checkNotDeleted();
        set(partition, NEVER);
    }

    @GuardedBy("this")
    private void keepOutside(int partition, long offset) {
        outside.put(partition, offset);
        changes++;
        cursors.onChanged();
    }

    @GuardedBy("this")
    private void set(int partition, long offset) {
        if (partition >= offsets.length) {
            offsets = grown(offsets);
            persisted = grown(persisted);
        }
        boolean wasOutside = outside.remove(partition);
        boolean wasLost = lost.get(partition);
        lost.clear(partition);
        if (offsets[partition] != offset || wasLost || wasOutside) {
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
     * may hold and by what it will hold. {@link #NEVER} when it has no position. An offset that was
     * outside the log and no longer is becomes the position: only now, since its reader counts from
     * here on, and retention, which asks, has not decided yet.
     */
    synchronized long unreadFrom(int partition) {
        if (hasReachedOutside(cursors.log(partition), partition)) {
            set(partition, outside.at(partition));
        }
        if (partition >= offsets.length) {
            return NEVER;
        }
        long now = offsets[partition];
        long then = persisted[partition];
        if (now == NEVER) {
            return then;
        }
        return then == NEVER || maybeNone.get(partition) ? 0 : Math.min(now, then);
    }

    @Override
    public void force() {
        topic.store().checkWritable();
        cursors.log(0).state().checkReadable();
        synchronized (this) {
            checkNotDeleted();
        }
        cursors.write(List.of(this));
    }

    @Override
    public synchronized Reservation reserve(int... partitions) {
        BitSet wanted = new BitSet();
        for (int partition : partitions) {
            cursors.log(partition); // throws when there is none
            if (reserved.get(partition)) {
                throw new CursorBusyException(
                        "cursor "
                                + name
                                + " of topic "
                                + topic
                                + " has an open reader for partition "
                                + partition
                                + ": each would move the cursor past records that the other one has"
                                + " not read; close that one first, or name another cursor or other"
                                + " partitions");
            }
            wanted.set(partition);
        }
        reserved.or(wanted);
        return () -> release(wanted);
    }

    private synchronized void release(BitSet held) {
        reserved.andNot(held);
        held.clear(); // so that a second call changes nothing
    }

    @Override
    public String toString() {
        return "cursor " + name + " of topic " + topic;
    }

    /** Whether there is something to write. */
    synchronized boolean isChanged() {
        return changes != writtenChanges && !deleted;
    }

    /**
     * Begins a write of the offsets as they are now; returns when they are durable in the log.
     *
     * @return null when there is nothing to write
     */
    CursorWrite beginWrite() {
        long[] now;
        long changesNow;
        Map<Integer, Long> outsideNow;
        Map<Integer, Long> decisions;
        Map<Integer, Long> values = new TreeMap<>();
        synchronized (this) {
            if (!isChanged()) {
                return null;
            }
            now = offsets.clone();
            changesNow = changes;
            outsideNow = outside.now();
            decisions = decided.now();
            lost.stream().forEach(partition -> values.put(partition, NEVER));
        }
        FirnException failure = null;
        for (int i = 0; i < now.length; i++) {
            if (now[i] != NEVER) {
                PartitionForcer forcer = cursors.forcer(i);
                try {
                    forcer.awaitDurable(now[i]);
                } catch (FirnException e) {
                    failure = e; // the offsets of the other partitions are written nevertheless
                    synchronized (this) {
                        decided.keepPersisted(decisions, i);
                    }
                }
                now[i] = Math.min(now[i], forcer.log().durableOffset());
                values.put(i, now[i]);
            }
        }
        return new CursorWrite(now, values, outsideNow, changesNow, decisions, failure);
    }

    /** What keeps others from writing or deleting the file. */
    ReentrantLock writing() {
        return writing;
    }

    /**
     * Notes what the file may contain from now on. The caller holds the lock.
     *
     * @return false when the file must not be written: it has something newer, or is deleted
     */
    boolean mayWrite(CursorWrite write) {
        if (!isNewer(write.changes())) {
            return false;
        }
        mayPersist(write.offsets());
        return true;
    }

    private synchronized boolean isNewer(long changesNow) {
        return !deleted && changesNow > writtenChanges;
    }

    /** Until the write has returned, and if it fails, the file may have the old or the new. */
    private synchronized void mayPersist(long[] now) {
        for (int i = 0; i < now.length; i++) {
            if (now[i] == NEVER || persisted[i] == NEVER) {
                maybeNone.set(i, now[i] != persisted[i] || maybeNone.get(i));
                persisted[i] = Math.max(persisted[i], now[i]); // the one that is an offset
            } else {
                persisted[i] = Math.min(persisted[i], now[i]);
            }
        }
    }

    /** The file is durable. Adds the partitions where it says something else than before. */
    synchronized void wrote(CursorWrite write, BitSet moved) {
        long[] now = write.offsets();
        writtenChanges = Math.max(writtenChanges, write.failure() == null ? write.changes() : 0);
        long[] counted = countingLost(now);
        for (int i = 0; i < now.length; i++) {
            if (persisted[i] != counted[i] || maybeNone.get(i)) {
                moved.set(i);
            }
            persisted[i] = counted[i];
        }
        decided.persisted(write.decisions());
        maybeNone.clear();
    }

    void delete() throws IOException {
        writing.lock(); // a write in progress must not bring the file back
        try {
            cursors.files().delete(name); // may fail, and it is then not deleted
            synchronized (this) {
                deleted = true;
            }
        } finally {
            writing.unlock();
        }
    }
}
