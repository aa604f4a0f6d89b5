package io.firn.spi;

import io.firn.spi.Block.Sidecar;
import io.firn.spi.Mark.SegmentState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.Objects;

/** A segment as one open {@link MemoryTier} sees it. Thread-safe as {@link Block} demands. */
final class MemoryBlock implements Block {
    private final MemoryTier tier;
    private final StoredSegment segment;
    private View view;

    MemoryBlock(MemoryTier tier, StoredSegment segment) {
        this.tier = tier;
        this.segment = segment;
    }

    @Override
    public StorageTier tier() {
        return tier;
    }

    @Override
    public String name() {
        return "memory block " + Integer.toHexString(System.identityHashCode(segment));
    }

    @Override
    public int capacity() {
        return segment.length();
    }

    @Override
    public long usedBytes() {
        return segment.isDeleted() ? 0 : segment.room();
    }

    @Override
    public Mark mark() {
        return segment.mark();
    }

    @Override
    public Mark refreshMark() {
        return segment.mark();
    }

    @Override
    public ByteBuffer memory() {
        requireWriter();
        if (segment.isSealed()) {
            throw new IllegalStateException(name() + " is sealed and cannot be written");
        }
        return segment.bytes();
    }

    private void requireWriter() {
        tier.requireWriter();
        if (segment.isDeleted()) {
            throw new IllegalStateException(name() + " is deleted");
        }
    }

    @Override
    public void force(int from, int to) {
        requireWriter();
        Objects.checkFromToIndex(from, to, segment.room());
    }

    @Override
    public void writeMark(Mark mark) {
        requireWriter();
        if (segment.isSealed() != (mark.state() == SegmentState.SEALED)) {
            throw new IllegalArgumentException(name() + " cannot be marked " + mark);
        }
        segment.mark(mark);
    }

    @Override
    public void rewriteMark(Mark mark) {
        writeMark(mark);
    }

    @Override
    public void seal(Mark mark) {
        requireWriter();
        if (mark.state() != SegmentState.SEALED || mark.position() > segment.room()) {
            throw new IllegalArgumentException(name() + " cannot be sealed with " + mark);
        }
        segment.mark(mark);
    }

    @Override
    public void finishSeal(byte[] index, byte[] timeIndex) {
        requireWriter();
        if (!segment.isSealed()) {
            throw new IllegalStateException(name() + " is not sealed yet");
        }
        segment.finish(index, timeIndex);
    }

    @Override
    public boolean isFinished() {
        return segment.isFinished();
    }

    @Override
    public synchronized View view() throws IOException {
        requirePresence();
        if (view == null) {
            ByteBuffer bytes = segment.bytes().slice(0, segment.length()).asReadOnlyBuffer();
            view = new View(bytes, handedOut -> {});
        }
        return view;
    }

    private void requirePresence() throws IOException {
        if (segment.isDeleted()) {
            throw new NoSuchFileException(name(), null, "the segment was deleted");
        }
    }

    @Override
    public synchronized View detachView() {
        if (!segment.isFinished() || view == null) {
            return null;
        }
        View detached = view;
        view = null;
        detached.retire();
        return detached;
    }

    @Override
    public int read(int position, byte[] target, int offset, int length) throws IOException {
        requirePresence();
        int wanted = Math.max(0, Math.min(length, segment.length() - position));
        if (wanted > 0) {
            segment.bytes().get(position, target, offset, wanted);
        }
        return wanted;
    }

    @Override
    public byte[] readSidecar(Sidecar kind) {
        return segment.sidecar(kind);
    }

    @Override
    public void rewriteSidecar(Sidecar kind, byte[] bytes) {
        requireWriter();
        segment.sidecar(kind, bytes);
    }

    @Override
    public synchronized void delete() {
        tier.requireWriter();
        if (!segment.isDeleted()) {
            segment.delete();
            tier.remove(segment);
            if (view != null) {
                view.leave();
                view = null;
            }
        }
    }

    @Override
    public String toString() {
        return name() + " " + segment.mark();
    }
}
