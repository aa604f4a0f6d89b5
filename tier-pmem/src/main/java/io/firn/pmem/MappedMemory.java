package io.firn.pmem;

import io.firn.medium.MediumFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;

/** Memory that is mapped and forced by the JDK alone. */
final class MappedMemory implements PmemMemory {

    /** What a force does. */
    enum Forcing {
        /** Nothing: the bytes survive the end of this process only. */
        NOT,
        /** {@code MappedByteBuffer.force}: on a synchronous mapping, cache lines only. */
        LINES,
        /** The same on a mapping of an ordinary file: pages, through the file system. */
        PAGES
    }

    private final MappedSlices slices;
    private final Forcing forcing;
    private final MediumFile file;
    private final Path path;
    private final long fileBytes;

    MappedMemory(MediumFile file, Path path, MapMode mode, Superblock pool, Forcing forcing)
            throws IOException {
        this.slices = MappedSlices.map(file, mode, pool);
        this.forcing = forcing;
        this.file = file;
        this.path = path;
        this.fileBytes = pool.fileBytes();
    }

    @Override
    public ByteBuffer bytes(long position, int length) {
        return slices.bytes(position, length);
    }

    @Override
    public void force(long position, int length) throws IOException {
        if (forcing == Forcing.NOT || length == 0) {
            return;
        }
        slices.slice(slices.indexOf(position)).force(slices.within(position), length);
        if (forcing == Forcing.PAGES && file.size() != fileBytes) {
            // A force of pages that were cut off returns normally.
            throw PoolFile.changedSize(path, fileBytes, file.size());
        }
    }

    @Override
    public void prefault(long position, int length) throws IOException {
        slices.prefault(position, length);
    }

    @Override
    public void close() {
        slices.unmap();
    }

    @Override
    public void abandon() {
        slices.abandon();
    }
}
