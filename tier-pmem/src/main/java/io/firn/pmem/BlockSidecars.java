package io.firn.pmem;

import io.firn.spi.Block.Sidecar;
import io.firn.spi.Mark;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The sidecars of one block: derived data, at the end of the block. The block's entry makes them
 * valid. In generation 0 each has an area and an extent of its own. In a generation above 0 both
 * are in one bundle, which begins where the first area does:
 *
 * <pre>
 *  0            4              4 + indexBytes
 *  | indexBytes | offset index | time index |
 * </pre>
 */
final class BlockSidecars {
    private static final byte[] NOTHING = {};

    private final MappedPool pool;
    private final long start;

    BlockSidecars(MappedPool pool, int block) {
        this.pool = pool;
        this.start = pool.format().blockPosition(block) + pool.format().room();
    }

    /**
     * Stores both sidecars, durable on return.
     *
     * @return the next entry: finished, with them
     */
    BlockEntry finish(BlockEntry sealed, byte[] index, byte[] timeIndex) throws IOException {
        return sealed.isBundled()
                ? sealed.finished(storeBundle(index, timeIndex), BlockEntry.Extent.NONE)
                : sealed.finished(store(Sidecar.INDEX, index), store(Sidecar.TIMEINDEX, timeIndex));
    }

    /**
     * Stores one sidecar, durable on return.
     *
     * @return the next entry: finished, with it
     */
    BlockEntry replace(BlockEntry current, Sidecar kind, byte[] bytes) throws IOException {
        boolean first = kind == Sidecar.INDEX;
        if (current.isBundled()) {
            return first
                    ? finish(current, bytes, orEmpty(read(Sidecar.TIMEINDEX, current)))
                    : finish(current, orEmpty(read(Sidecar.INDEX, current)), bytes);
        }
        BlockEntry.Extent extent = store(kind, bytes);
        return current.finished(
                first ? extent : current.index(), first ? current.timeIndex() : extent);
    }

    /**
     * Returns the next entry: another mark. If its generation is the first above 0, the sidecars
     * become a bundle, which is stored over them: after a crash before the entry is written they
     * are damaged, and rebuilt.
     */
    BlockEntry mark(BlockEntry current, Mark next) throws IOException {
        BlockEntry marked = current.marked(next);
        if (current.isBundled() || !marked.isBundled() || !current.finished()) {
            return marked;
        }
        byte[] index = orEmpty(read(Sidecar.INDEX, current));
        byte[] timeIndex = orEmpty(read(Sidecar.TIMEINDEX, current));
        return marked.with(storeBundle(index, timeIndex), BlockEntry.Extent.NONE);
    }

    /** Returns a sidecar; null when there is none or it is damaged. */
    byte[] read(Sidecar kind, BlockEntry entry) throws IOException {
        if (!entry.isBundled()) {
            BlockEntry.Extent extent = kind == Sidecar.INDEX ? entry.index() : entry.timeIndex();
            return read(positionOf(kind), extent, roomFor(kind));
        }
        byte[] bundle = read(start, entry.index(), bundleRoom());
        if (bundle == null || bundle.length < Integer.BYTES) {
            return null;
        }
        int from = Integer.BYTES;
        int middle = from + ByteBuffer.wrap(bundle).getInt();
        if (middle < from || middle > bundle.length) {
            return null;
        }
        byte[] bytes =
                kind == Sidecar.INDEX
                        ? Arrays.copyOfRange(bundle, from, middle)
                        : Arrays.copyOfRange(bundle, middle, bundle.length);
        return bytes.length == 0 ? null : bytes;
    }

    private byte[] read(long position, BlockEntry.Extent extent, int room) throws IOException {
        if (extent.bytes() <= 0 || extent.bytes() > room) {
            return null;
        }
        byte[] bytes = new byte[extent.bytes()];
        int read = pool.read(position, bytes, 0, bytes.length);
        return read == bytes.length && BlockEntry.Extent.of(bytes).equals(extent) ? bytes : null;
    }

    /** Returns {@link BlockEntry.Extent#NONE} when it does not fit: a missing one is rebuilt. */
    private BlockEntry.Extent store(Sidecar kind, byte[] bytes) throws IOException {
        return bytes.length > roomFor(kind)
                ? BlockEntry.Extent.NONE
                : store(positionOf(kind), bytes);
    }

    private BlockEntry.Extent storeBundle(byte[] index, byte[] timeIndex) throws IOException {
        byte[] first = index.length > pool.format().indexRoom() ? NOTHING : index;
        long length = (long) Integer.BYTES + first.length + timeIndex.length;
        byte[] second = length > bundleRoom() ? NOTHING : timeIndex;
        ByteBuffer bundle = ByteBuffer.allocate(Integer.BYTES + first.length + second.length);
        bundle.putInt(first.length).put(first).put(second);
        return store(start, bundle.array());
    }

    private BlockEntry.Extent store(long position, byte[] bytes) throws IOException {
        if (bytes.length == 0) {
            return BlockEntry.Extent.NONE;
        }
        pool.store(position, bytes);
        return BlockEntry.Extent.of(bytes);
    }

    private static byte[] orEmpty(byte[] bytes) {
        return bytes == null ? NOTHING : bytes;
    }

    private int bundleRoom() {
        return pool.format().indexRoom() + pool.format().timeIndexRoom();
    }

    private int roomFor(Sidecar kind) {
        return kind == Sidecar.INDEX ? pool.format().indexRoom() : pool.format().timeIndexRoom();
    }

    private long positionOf(Sidecar kind) {
        return kind == Sidecar.INDEX ? start : start + pool.format().indexRoom();
    }
}
