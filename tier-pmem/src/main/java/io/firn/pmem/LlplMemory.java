package io.firn.pmem;

import io.firn.medium.MediumFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;

/**
 * Memory that the JDK maps and llpl flushes through a mapping of its own: cache lines belong to the
 * memory, not to an address. Uses plain stores, because llpl's non-temporal copy passes the whole
 * backing array through JNI. llpl cannot unmap: its mapping stays until the process ends.
 */
final class LlplMemory implements PmemMemory {
    private final MappedSlices slices;
    private final Object pool;
    private final long fileBytes;

    LlplMemory(MediumFile file, Path path, MapMode mode, Superblock superblock) throws IOException {
        fileBytes = superblock.fileBytes();
        slices = MappedSlices.map(file, mode, superblock);
        Object opened = null;
        try {
            opened = Llpl.open(path.toString());
            // llpl opens any file, so the size that it found is checked.
            if (Llpl.size(opened) != fileBytes) {
                throw PoolFile.changedSize(path, fileBytes, Llpl.size(opened));
            }
        } catch (IOException | RuntimeException e) {
            slices.unmap();
            throw new IOException("llpl cannot open " + path + ": " + e.getMessage(), e);
        }
        pool = opened;
    }

    @Override
    public ByteBuffer bytes(long position, int length) {
        return slices.bytes(position, length);
    }

    @Override
    public void force(long position, int length) {
        if (position < 0 || length < 0 || position + length > fileBytes) {
            throw new IndexOutOfBoundsException(
                    length + " bytes at " + position + " of " + fileBytes);
        }
        Llpl.flush(pool, position, length);
    }

    @Override
    public void prefault(long position, int length) throws IOException {
        slices.prefault(position, length);
        // llpl's mapping has page tables of its own, which the first flush of each page would fill.
        for (long at = position; at < position + length; at += PoolFormat.PAGE) {
            Llpl.flush(pool, at, 1);
        }
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
