package io.firn.cursor;

import static io.firn.cursor.CursorPositions.NEVER;

import io.firn.BusyException;
import io.firn.ClosedException;
import io.firn.FirnException;
import io.firn.cursor.CursorPositions.Write;
import io.firn.force.PartitionForcer;
import io.firn.host.HostedCursor;
import io.firn.log.SegmentedLog;
import io.firn.log.TopicContext;
import io.firn.medium.FileErrors.DamagedFileException;
import io.firn.metadata.TopicFiles;
import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import javax.annotation.concurrent.GuardedBy;

/**
 * A cursor. What is persisted is never above the durable offset (O7), so that after a crash no
 * cursor is past records that were lost and whose offsets were assigned again.
 */
public final class CursorLog implements HostedCursor {
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
    private final CursorPositions positions;

    /** The partitions that an open reader has reserved. */
    @GuardedBy("this")
    private final BitSet reserved = new BitSet();

    @GuardedBy("this")
    private boolean deleted;

    /** Creates a cursor with what was read from its file. */
    CursorLog(Cursors cursors, CursorFiles.Content stored) {
        this.cursors = cursors;
        this.topic = cursors.topic();
        this.name = stored.name();
        this.positions = new CursorPositions(stored, cursors.partitionCount());
    }

    /** Returns what a cursor without a file has. */
    static CursorFiles.Content nothing(String name) {
        return new CursorFiles.Content(name, Map.of(), Map.of(), Map.of());
    }

    /** Creates a cursor whose file is damaged: its reader might have been anywhere. */
    static CursorLog damaged(Cursors cursors, String name) {
        Map<Integer, Long> lost = new TreeMap<>();
        IntStream.range(0, cursors.partitionCount()).forEach(i -> lost.put(i, NEVER));
        return new CursorLog(cursors, new CursorFiles.Content(name, lost, Map.of(), Map.of()));
    }

    public TopicContext topic() {
        return topic;
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
        return hasReachedOutside(log) ? positions.outside(partition) : positions.at(partition);
    }

    @Override
    public synchronized OptionalLong committed(int partition) {
        long position = offset(partition);
        return positions.hasOutside(partition)
                ? OptionalLong.of(positions.outside(partition))
                : position == NEVER ? OptionalLong.empty() : OptionalLong.of(position);
    }

    @GuardedBy("this")
    private boolean hasReachedOutside(SegmentedLog log) {
        return positions.hasReachedOutside(log.index(), log.durableOffset());
    }

    /** For a cursor that another process advances. */
    @GuardedBy("this")
    private void lookAgain() {
        try {
            CursorFiles.Content stored = cursors.files().read(name);
            positions.replace(stored == null ? nothing(name) : stored);
        } catch (DamagedFileException e) {
            positions.replace(nothing(name));
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
        if (!log.isPosition(offset)) {
            if (!mayBeOutside) {
                throw log.noPosition("cursor " + name, offset);
            }
            keepOutside(partition, offset);
            return true;
        }
        long before = positions.at(partition);
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
                if (!deleted && positions.note(partition, decision)) {
                    if (isOutside) {
                        keepOutside(partition, offset);
                    } else {
                        set(partition, Math.min(offset, log.nextOffset()));
                    }
                    cursors.onChanged();
                }
            }
        }
    }

    /** Returns whether the file contains the move by a decision. */
    public synchronized boolean isPersisted(int partition, long decision) {
        return deleted || positions.isPersisted(partition, decision);
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
        positions.keepOutside(partition, offset);
        cursors.onChanged();
    }

    @GuardedBy("this")
    private void set(int partition, long offset) {
        if (positions.set(partition, offset, cursors.partitionCount())) {
            cursors.onChanged();
        }
    }

    /**
     * Returns {@link CursorPositions#unreadFrom}. An offset that was outside the log and no longer
     * is becomes the position: only now, since its reader counts from here on, and retention, which
     * asks, has not decided yet.
     */
    synchronized long unreadFrom(int partition) {
        if (hasReachedOutside(cursors.log(partition))) {
            set(partition, positions.outside(partition));
        }
        return positions.unreadFrom(partition);
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
                throw new BusyException(
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
        return positions.areChanged() && !deleted;
    }

    /**
     * Begins a write of the offsets as they are now; returns when they are durable in the log.
     *
     * @return null when there is nothing to write
     */
    Write beginWrite() {
        Write write;
        synchronized (this) {
            if (!isChanged()) {
                return null;
            }
            write = positions.copy();
        }
        long[] now = write.offsets();
        for (int i = 0; i < now.length; i++) {
            if (now[i] != NEVER) {
                PartitionForcer forcer = cursors.forcer(i);
                try {
                    forcer.awaitDurable(now[i]);
                } catch (FirnException e) {
                    synchronized (this) {
                        positions.onFailure(write, i, e);
                    }
                }
                now[i] = Math.min(now[i], forcer.log().durableOffset());
            }
        }
        return write;
    }

    /** Returns the positions as they are now; null when the cursor is deleted, or has none. */
    synchronized Write copyPositions() {
        return deleted || positions.isEmpty() ? null : positions.copy();
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
    synchronized boolean mayWrite(Write write) {
        return !deleted && positions.begin(write);
    }

    /** The file is durable. Adds the partitions where it says something else than before. */
    synchronized void wrote(Write write, BitSet moved) {
        positions.onWritten(write, moved);
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
