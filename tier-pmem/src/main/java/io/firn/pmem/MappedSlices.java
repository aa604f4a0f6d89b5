package io.firn.pmem;

import io.firn.medium.MediumFile;
import io.firn.medium.MediumFile.Mapping;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel.MapMode;

/**
 * A pool file in mappings below 2 GiB each, the limit of a buffer. The first contains the header;
 * no block extends over two of them.
 */
final class MappedSlices {
    private static final long MAX_SLICE_BYTES = 1L << 30;

    private final Mapping[] slices;
    private final long firstBytes;
    private final long sliceBytes;

    private MappedSlices(Mapping[] slices, long firstBytes, long sliceBytes) {
        this.slices = slices;
        this.firstBytes = firstBytes;
        this.sliceBytes = sliceBytes;
    }

    static MappedSlices map(MediumFile file, MapMode mode, Superblock pool) throws IOException {
        PoolFormat format = pool.format();
        int inFirst = format.blocksIn(Math.max(MAX_SLICE_BYTES, format.dataStart()));
        long firstBytes = format.fileBytes(Math.min(inFirst, pool.blockCount()));
        long sliceBytes = MAX_SLICE_BYTES / format.blockBytes() * format.blockBytes();
        long rest = pool.fileBytes() - firstBytes;
        Mapping[] slices = new Mapping[1 + (int) ((rest + sliceBytes - 1) / sliceBytes)];
        MappedSlices made = new MappedSlices(slices, firstBytes, sliceBytes);
        try {
            long position = 0;
            for (int i = 0; i < slices.length; i++) {
                long length =
                        i == 0 ? firstBytes : Math.min(sliceBytes, pool.fileBytes() - position);
                slices[i] = file.map(mode, position, (int) length);
                position += length;
            }
            return made;
        } catch (IOException | RuntimeException e) {
            made.unmap();
            throw e;
        }
    }

    int count() {
        return slices.length;
    }

    Mapping slice(int index) {
        return slices[index];
    }

    /** Returns the slice that contains a byte of the file. */
    int indexOf(long position) {
        return position < firstBytes ? 0 : 1 + (int) ((position - firstBytes) / sliceBytes);
    }

    /** Returns the position of a byte of the file in its slice. */
    int within(long position) {
        return (int) (position < firstBytes ? position : (position - firstBytes) % sliceBytes);
    }

    ByteBuffer bytes(long position, int length) {
        return slices[indexOf(position)].buffer().slice(within(position), length);
    }

    void prefault(long position, int length) throws IOException {
        try {
            Mapping.makeWritable(bytes(position, length));
        } catch (InternalError e) {
            throw new IOException("a page of the pool cannot be read", e);
        }
    }

    void unmap() {
        for (Mapping slice : slices) {
            if (slice != null) {
                slice.unmap();
            }
        }
    }

    void abandon() {
        for (Mapping slice : slices) {
            slice.abandon();
        }
    }
}
