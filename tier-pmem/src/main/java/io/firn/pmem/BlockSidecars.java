package io.firn.pmem;

import io.firn.spi.Sidecar;
import java.io.IOException;

/** The sidecars of one block: derived data, at the end of the block. */
final class BlockSidecars {
    private final MappedPool pool;
    private final long start;

    BlockSidecars(MappedPool pool, int block) {
        this.pool = pool;
        this.start = pool.format().blockPosition(block) + pool.format().room();
    }

    /**
     * Stores a sidecar, durable on return. The block's entry makes it valid later.
     *
     * @return what the entry records of it; {@link BlockEntry.Extent#NONE} when it does not fit: a
     *     missing sidecar is rebuilt
     */
    BlockEntry.Extent store(Sidecar kind, byte[] bytes) throws IOException {
        if (bytes.length == 0 || bytes.length > roomFor(kind)) {
            return BlockEntry.Extent.NONE;
        }
        pool.store(positionOf(kind), bytes);
        return BlockEntry.Extent.of(bytes);
    }

    /** Returns a sidecar; null when there is none or it is damaged. */
    byte[] read(Sidecar kind, BlockEntry entry) throws IOException {
        BlockEntry.Extent extent = kind == Sidecar.INDEX ? entry.index() : entry.timeIndex();
        if (extent.bytes() <= 0 || extent.bytes() > roomFor(kind)) {
            return null;
        }
        byte[] bytes = new byte[extent.bytes()];
        int read = pool.read(positionOf(kind), bytes, 0, bytes.length);
        return read == bytes.length && BlockEntry.Extent.of(bytes).equals(extent) ? bytes : null;
    }

    private int roomFor(Sidecar kind) {
        return kind == Sidecar.INDEX ? pool.format().indexRoom() : pool.format().timeIndexRoom();
    }

    private long positionOf(Sidecar kind) {
        return kind == Sidecar.INDEX ? start : start + pool.format().indexRoom();
    }
}
