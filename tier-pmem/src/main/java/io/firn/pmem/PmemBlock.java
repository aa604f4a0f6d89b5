package io.firn.pmem;

import io.firn.spi.Block;
import io.firn.spi.Mark;
import io.firn.spi.SegmentState;
import io.firn.spi.Sidecar;
import io.firn.spi.StorageTier;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.Objects;

/** A segment in a block of a pool. Readers and the writer look at the same mapped bytes. */
final class PmemBlock implements Block {
    private final PmemPool pool;
    private final int block;
    private final long start;
    private final ByteBuffer writable;

    /** Null when it is destroyed. */
    private volatile BlockEntry entry;

    private volatile View view;
    private volatile boolean deleted;

    /** As {@code deleted}, by the process that writes. */
    private volatile boolean gone;

    private int openViews;

    PmemBlock(PmemPool pool, int block, BlockEntry entry) {
        this.pool = pool;
        this.block = block;
        this.entry = entry;
        this.start = pool.format().blockPosition(block);
        this.writable =
                pool.isReadOnly() || entry == null
                        ? null
                        : pool.memory().bytes(start, Math.max(entry.room(), 0));
    }

    int block() {
        return block;
    }

    /** Whether an entry speaks of this segment, not of an earlier or later one in the block. */
    boolean isLife(BlockEntry found) {
        BlockEntry mine = entry;
        if (mine == null || found == null) {
            return mine == null && found == null;
        }
        return mine.life() == found.life() && !found.isFree();
    }

    @Override
    public StorageTier tier() {
        return pool.tier();
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
        return deleted ? 0 : pool.format().blockBytes();
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
    public boolean mayHoldStaleBytes() {
        BlockEntry current = entry;
        return current == null || !current.isFirstLife();
    }

    @Override
    public void force(int from, int to) throws IOException {
        BlockEntry current = entry;
        if (writable == null || deleted) {
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
                || deleted
                || (next.state() == SegmentState.SEALED) != current.isSealed()) {
            throw new IllegalArgumentException(
                    name() + " is " + describe() + " and cannot be marked " + next.state());
        }
        write(current.marked(next), both);
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
            BlockEntry.Extent first = store(Sidecar.INDEX, index);
            BlockEntry.Extent second = store(Sidecar.TIMEINDEX, timeIndex);
            write(current.finished(first, second), true);
        }
    }

    /** Stores a sidecar into its place; the entry that vouches for it comes after it. */
    private BlockEntry.Extent store(Sidecar kind, byte[] bytes) throws IOException {
        if (bytes.length == 0 || bytes.length > roomFor(kind)) {
            // None is as good: it is derived, and rebuilt when it is missing.
            return BlockEntry.Extent.NONE;
        }
        pool.store(positionOf(kind), bytes);
        return BlockEntry.Extent.of(bytes);
    }

    private int roomFor(Sidecar kind) {
        return kind == Sidecar.INDEX ? pool.format().indexRoom() : pool.format().timeIndexRoom();
    }

    private long positionOf(Sidecar kind) {
        long index = start + pool.format().room();
        return kind == Sidecar.INDEX ? index : index + pool.format().indexRoom();
    }

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
        if (pool.isReadOnly() && !gone) {
            BlockEntry found = pool.entry(block);
            if (isLife(found)) {
                entry = found;
            }
        }
        return mark();
    }

    @Override
    public boolean mayBeReused() {
        return pool.isReadOnly();
    }

    @Override
    public boolean isStillThere() {
        BlockEntry mine = entry;
        return !pool.isReadOnly() || (mine != null && !gone && pool.isLife(block, mine.life()));
    }

    /** The writing process has freed it: no new read of it begins. */
    synchronized void leave() {
        gone = true;
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

    /** Not while anybody may still read what was in the block. */
    private void giveBackWhenUnused() {
        if (deleted && openViews == 0) {
            pool.giveBack(block);
        }
    }

    @Override
    public synchronized View detachView() {
        return isFinished() ? retireView() : null;
    }

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
        return wanted <= 0 ? 0 : pool.file().read(start + position, target, offset, wanted);
    }

    @Override
    public byte[] readSidecar(Sidecar kind) throws IOException {
        BlockEntry current = entry;
        if (current == null || !current.isSealed()) {
            return null;
        }
        BlockEntry.Extent extent = kind == Sidecar.INDEX ? current.index() : current.timeIndex();
        if (extent.bytes() <= 0 || extent.bytes() > roomFor(kind)) {
            return null;
        }
        byte[] bytes = new byte[extent.bytes()];
        int read = pool.file().read(positionOf(kind), bytes, 0, bytes.length);
        return read == bytes.length && BlockEntry.Extent.of(bytes).equals(extent) ? bytes : null;
    }

    @Override
    public synchronized void rewriteSidecar(Sidecar kind, byte[] bytes) throws IOException {
        requireWritablePool();
        BlockEntry current = entry;
        if (current == null || !current.isSealed()) {
            throw new IllegalStateException(name() + " is not sealed and has no sidecars");
        }
        BlockEntry.Extent extent = store(kind, bytes);
        if (current.finished()) {
            boolean first = kind == Sidecar.INDEX;
            write(
                    current.finished(
                            first ? extent : current.index(), first ? current.timeIndex() : extent),
                    false);
        }
    }

    @Override
    public synchronized void delete() throws IOException {
        requireWritablePool();
        if (deleted) {
            return;
        }
        BlockEntry current = entry;
        if (current == null) {
            throw new IOException(name() + ": its entry is destroyed, so its owner is unknown");
        }
        release();
        pool.write(block, current, current.freed(), true);
        deleted = true;
        pool.forget(this, current.epoch());
        giveBackWhenUnused();
    }

    /** Gives up the readers' view. */
    synchronized void release() {
        View last = retireView();
        if (last != null) {
            pool.releaseWhenFree(last);
        }
    }

    private void requireWriter() {
        BlockEntry current = entry;
        if (writable == null || deleted || current.isSealed()) {
            throw notWritable();
        }
    }

    private IllegalStateException notWritable() {
        return new IllegalStateException(
                name() + " is " + describe() + " and cannot be written; use another segment");
    }

    private String describe() {
        if (deleted) {
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
        if (deleted || gone) {
            throw new NoSuchFileException(name(), null, "the segment was deleted");
        }
    }

    @Override
    public String toString() {
        return name() + " " + mark();
    }
}
