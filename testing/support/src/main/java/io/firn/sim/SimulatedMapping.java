package io.firn.sim;

import io.firn.medium.MediumFile.Mapping;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;

/** A mapping of a simulated file. It outlives the handle that it was made with. */
final class SimulatedMapping implements Mapping {
    private final SimulatedFileMedium medium;
    private final SimulatedHandle handle;
    private final ByteBuffer buffer;
    private boolean mapped = true;

    SimulatedMapping(SimulatedFileMedium medium, SimulatedHandle handle, ByteBuffer buffer) {
        this.medium = medium;
        this.handle = handle;
        this.buffer = buffer;
        medium.use(this);
    }

    @Override
    public ByteBuffer buffer() {
        checkMapped();
        return buffer;
    }

    /** Behind a new end of the file there is nothing to force, and nobody says so. */
    @Override
    public void force(int position, int length) throws IOException {
        Objects.checkFromIndexSize(position, length, buffer.capacity());
        synchronized (medium) {
            checkMapped();
            handle.force(
                    "force [" + position + ", " + (position + length) + ") of",
                    position,
                    position + length);
        }
    }

    @Override
    public void prefault(int position, int length) throws IOException {
        Objects.checkFromIndexSize(position, length, buffer.capacity());
        checkMapped();
        synchronized (medium) {
            medium.look(handle.path());
        }
    }

    @Override
    public void unmap() {
        synchronized (medium) {
            mapped = false;
            if (!buffer.isReadOnly() && handle.file() instanceof SimulatedFile pages) {
                medium.unwatch(pages);
            }
            medium.release(this);
        }
    }

    /** What is kept reads memory of the heap, whose end the collector sees by itself. */
    @Override
    public boolean abandon() {
        unmap();
        return false;
    }

    private void checkMapped() {
        synchronized (medium) {
            if (!mapped) {
                throw new IllegalStateException("the mapping of " + handle.path() + " is gone");
            }
        }
    }
}
