package io.firn.pmem;

import io.firn.spi.Block;
import io.firn.spi.Block.Sidecar;
import io.firn.spi.BlockReader;
import io.firn.spi.BlockReader.BlockReusedException;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import io.firn.spi.StorageTier;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.Objects;
import javax.annotation.concurrent.GuardedBy;

/** A segment in a block of a pool. Readers and the writer use the same mapped bytes. */
final class PmemBlock implements Block {
    private final Owner owner;
    private final MappedPool pool;
    private final int block;
    private final long start;
    private final BlockSidecars sidecars;

    /** The writer's bytes; null when the pool is open read-only or the entry is destroyed. */
    private final ByteBuffer writable;

    /** The newest entry; null when it is destroyed. Changed under the monitor. */
    private volatile BlockEntry entry;

    /** The readers' view; null when there is none. Changed under the monitor. */
    private volatile View view;

    private volatile Presence presence = Presence.PRESENT;

    /** Views that are not released yet. */
    @GuardedBy("this")
    private int openViews;

    /** Whether the segment is still in its block. The last two states are final. */
    private enum Presence {
        PRESENT,
        /** Deleted by this process. */
        DELETED,
        /** Deleted by the process that writes, or the pool was closed; in a read-only pool. */
        FREED_BY_WRITER
    }

    /** What a block needs of its pool beside the memory. */
    interface Owner {
        /** Returns the tier. */
        StorageTier tier();

        /** Removes a block whose segment was deleted; the epoch is the highest of its batches. */
        void forget(PmemBlock segment, long epoch);

        /** Allows reuse of a block whose entry is durably free and whose views are released. */
        void giveBack(int block);

        /** Releases a retired view, now or when its last reader has unpinned it. */
        void releaseWhenUnpinned(View view);
    }

    PmemBlock(Owner owner, MappedPool pool, int block, BlockEntry entry) {
        this.owner = owner;
        this.pool = pool;
        this.block = block;
        this.entry = entry;
        this.start = pool.format().blockPosition(block);
        this.sidecars = new BlockSidecars(pool, block);
        this.writable =
                pool.isReadOnly() || entry == null
                        ? null
                        : pool.memory().bytes(start, Math.max(entry.room(), 0));
    }

    int block() {
        return block;
    }

    /** Returns whether an entry belongs to this segment, not to an earlier or later one. */
    boolean isSameSegment(BlockEntry found) {
        BlockEntry mine = entry;
        if (mine == null || found == null) {
            return mine == null && found == null;
        }
        return mine.incarnation() == found.incarnation() && !found.isFree();
    }

    @Override
    public StorageTier tier() {
        return owner.tier();
    }

    @Override
    public String name() {
        return pool.path() + " block " + block;
    }

    @Override
    public int capacity() {
        BlockEntry current = entry;
        if (current == null) {
            return 0;
        }
        return current.isSealed() ? current.mark().position() : current.room();
    }

    @Override
    public long usedBytes() {
        return presence == Presence.DELETED ? 0 : pool.format().blockBytes();
    }

    @Override
    public Mark mark() {
        BlockEntry current = entry;
        return current == null ? null : current.mark();
    }

    @Override
    public ByteBuffer memory() {
        requireWriter();
        return writable;
    }

    @Override
    public void prepare(int from, int to, boolean durably) throws IOException {
        requireWriter();
        Objects.checkFromToIndex(from, to, writable.capacity());
        pool.memory().prefault(start + from, to - from);
    }

    @Override
    public boolean mayHoldStaleBytes() {
        BlockEntry current = entry;
        return current == null || !current.isFirstIncarnation();
    }

    @Override
    public void force(int from, int to) throws IOException {
        BlockEntry current = entry;
        if (writable == null || presence == Presence.DELETED) {
            throw notWritable();
        }
        if (from < 0 || from > to || to > current.room()) {
            throw new IndexOutOfBoundsException(
                    "0 <= from <= to <= " + current.room() + ", found " + from + " and " + to);
        }
        pool.memory().force(start + from, to - from);
    }

    @Override
    public void writeMark(Mark next) throws IOException {
        writeMark(next, false);
    }

    @Override
    public void rewriteMark(Mark next) throws IOException {
        writeMark(next, true);
    }

    private synchronized void writeMark(Mark next, boolean both) throws IOException {
        requireWritablePool();
        BlockEntry current = entry;
        if (current == null
                || presence == Presence.DELETED
                || (next.state() == SegmentState.SEALED) != current.isSealed()) {
            throw new IllegalArgumentException(
                    name() + " is " + describe() + " and cannot be marked " + next.state());
        }
        write(sidecars.mark(current, next), both);
    }

    @Override
    public synchronized void seal(Mark sealed) throws IOException {
        requireWriter();
        if (sealed.state() != SegmentState.SEALED
                || sealed.baseOffset() < 0
                || sealed.position() > entry.room()) {
            throw new IllegalArgumentException(
                    name() + " with " + entry.room() + " bytes cannot be sealed with " + sealed);
        }
        write(entry.marked(sealed), true);
    }

    @Override
    public synchronized void finishSeal(byte[] index, byte[] timeIndex) throws IOException {
        requireWritablePool();
        BlockEntry current = entry;
        if (current == null || !current.isSealed()) {
            throw new IllegalStateException(name() + " is not sealed yet");
        }
        if (!current.finished()) {
            write(sidecars.finish(current, index, timeIndex), true);
        }
    }

    @GuardedBy("this")
    private void write(BlockEntry next, boolean both) throws IOException {
        pool.write(block, entry, next, both);
        entry = next;
    }

    @Override
    public boolean isFinished() {
        BlockEntry current = entry;
        return current != null && current.finished();
    }

    @Override
    public synchronized Mark refreshMark() throws IOException {
        if (pool.isReadOnly() && presence == Presence.PRESENT) {
            BlockEntry found = pool.entry(block);
            if (isSameSegment(found)) {
                entry = found;
            }
        }
        return mark();
    }

    @Override
    public BlockReader reader() {
        return pool.isReadOnly() ? new CopyingReader(this) : BlockReader.IN_PLACE;
    }

    /**
     * Confirms that bytes of the block that were read before the call are the segment's own. Once
     * that fails, it fails for good.
     *
     * @throws BlockReusedException when the writing process has freed the block
     */
    void confirm() {
        BlockEntry mine = entry;
        if (mine == null
                || presence != Presence.PRESENT
                || !pool.hasIncarnation(block, mine.incarnation())) {
            throw new BlockReusedException(name());
        }
    }

    /** Called when the writing process has freed the block: no new read of it begins. */
    synchronized void freedByWriter() {
        presence = Presence.FREED_BY_WRITER;
        release();
    }

    @Override
    public View view() throws IOException {
        View current = view;
        return current != null ? current : openView();
    }

    private synchronized View openView() throws IOException {
        if (view == null) {
            requireNotDeleted();
            ByteBuffer bytes = pool.memory().bytes(start, capacity()).asReadOnlyBuffer();
            pool.viewOpened();
            openViews++;
            view = new View(bytes, this::viewReleased);
        }
        return view;
    }

    private synchronized void viewReleased(boolean handedOut) {
        openViews--;
        pool.viewReleased(handedOut);
        giveBackWhenUnused();
    }

    /** The block is not reused while a reader may still read the deleted segment. */
    @GuardedBy("this")
    private void giveBackWhenUnused() {
        if (presence == Presence.DELETED && openViews == 0) {
            owner.giveBack(block);
        }
    }

    @Override
    public synchronized View detachView() {
        return isFinished() ? retireView() : null;
    }

    @GuardedBy("this")
    private View retireView() {
        View last = view;
        view = null;
        if (last != null) {
            last.retire();
        }
        return last;
    }

    @Override
    public int read(int position, byte[] target, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.length);
        requireNotDeleted();
        int wanted = Math.min(length, capacity() - position);
        if (wanted <= 0) {
            return 0;
        }
        int read = pool.read(start + position, target, offset, wanted);
        if (pool.isReadOnly()) {
            confirm();
        }
        return read;
    }

    @Override
    public byte[] readSidecar(Sidecar kind) throws IOException {
        BlockEntry current = entry;
        return current == null || !current.isSealed() ? null : sidecars.read(kind, current);
    }

    @Override
    public boolean verifiesSidecars() {
        return true;
    }

    @Override
    public synchronized void rewriteSidecar(Sidecar kind, byte[] bytes) throws IOException {
        requireWritablePool();
        BlockEntry current = entry;
        if (current == null || !current.isSealed()) {
            throw new IllegalStateException(name() + " is not sealed and has no sidecars");
        }
        BlockEntry next = sidecars.replace(current, kind, bytes);
        if (current.finished()) {
            write(next, false);
        }
    }

    @Override
    public synchronized void delete() throws IOException {
        requireWritablePool();
        if (presence == Presence.DELETED) {
            return;
        }
        BlockEntry current = entry;
        if (current == null) {
            throw new IOException(name() + ": its entry is destroyed, so its owner is unknown");
        }
        release();
        pool.write(block, current, current.freed(), true);
        presence = Presence.DELETED;
        owner.forget(this, current.epoch());
        giveBackWhenUnused();
    }

    /** Retires the readers' view. */
    synchronized void release() {
        View last = retireView();
        if (last != null) {
            owner.releaseWhenUnpinned(last);
        }
    }

    private void requireWriter() {
        BlockEntry current = entry;
        if (writable == null || presence == Presence.DELETED || current.isSealed()) {
            throw notWritable();
        }
    }

    private IllegalStateException notWritable() {
        return new IllegalStateException(
                name() + " is " + describe() + " and cannot be written; use another segment");
    }

    private String describe() {
        if (presence == Presence.DELETED) {
            return "deleted";
        }
        if (pool.isReadOnly()) {
            return "open read-only";
        }
        Mark current = mark();
        return current == null ? "damaged (its entry is destroyed)" : current.state().toString();
    }

    private void requireWritablePool() {
        if (pool.isReadOnly()) {
            throw notWritable();
        }
    }

    private void requireNotDeleted() throws IOException {
        if (presence != Presence.PRESENT) {
            throw new NoSuchFileException(name(), null, "the segment was deleted");
        }
    }

    @Override
    public String toString() {
        return name() + " " + mark();
    }
}
