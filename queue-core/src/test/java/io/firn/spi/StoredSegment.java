package io.firn.spi;

import io.firn.spi.Block.Sidecar;
import io.firn.spi.Mark.SegmentState;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;

/** A segment of a {@link MemoryTier}, as its writer and all readers share it. Thread-safe. */
final class StoredSegment {
    private final ByteBuffer bytes;
    private final Map<Sidecar, byte[]> sidecars = new EnumMap<>(Sidecar.class);
    private Mark mark;
    private boolean finished;
    private boolean deleted;

    StoredSegment(int room, Mark mark) {
        this.bytes = ByteBuffer.allocateDirect(room);
        this.mark = mark;
    }

    ByteBuffer bytes() {
        return bytes;
    }

    int room() {
        return bytes.capacity();
    }

    synchronized int length() {
        return isSealed() ? mark.position() : room();
    }

    synchronized Mark mark() {
        return mark;
    }

    synchronized void mark(Mark next) {
        mark = next;
    }

    synchronized boolean isSealed() {
        return mark.state() == SegmentState.SEALED;
    }

    synchronized boolean isFinished() {
        return finished;
    }

    synchronized void finish(byte[] index, byte[] timeIndex) {
        if (!finished) {
            sidecars.put(Sidecar.INDEX, index.clone());
            sidecars.put(Sidecar.TIMEINDEX, timeIndex.clone());
            finished = true;
        }
    }

    synchronized byte[] sidecar(Sidecar kind) {
        byte[] found = sidecars.get(kind);
        return found == null || found.length == 0 ? null : found.clone();
    }

    synchronized void sidecar(Sidecar kind, byte[] content) {
        sidecars.put(kind, content.clone());
    }

    synchronized boolean isDeleted() {
        return deleted;
    }

    synchronized void delete() {
        deleted = true;
    }
}
