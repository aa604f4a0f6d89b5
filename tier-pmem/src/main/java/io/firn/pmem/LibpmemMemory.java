package io.firn.pmem;

import io.firn.medium.MediumFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel.MapMode;

/**
 * Memory that the JDK maps and libpmem flushes. On persistent memory the mapping is synchronous, so
 * a flushed line does not depend on the metadata of the file system.
 */
final class LibpmemMemory implements PmemMemory {
    private final MappedSlices slices;
    private final long[] addresses;
    private volatile boolean open = true;

    LibpmemMemory(MediumFile file, MapMode mode, Superblock pool) throws IOException {
        slices = MappedSlices.map(file, mode, pool);
        addresses = new long[slices.count()];
        for (int i = 0; i < addresses.length; i++) {
            addresses[i] = Libpmem.addressOf(slices.slice(i).buffer());
        }
    }

    @Override
    public ByteBuffer bytes(long position, int length) {
        return slices.bytes(position, length);
    }

    @Override
    public void force(long position, int length) {
        Libpmem.persist(addressOf(position), length);
    }

    @Override
    public void storeAndForce(long position, byte[] source) {
        Libpmem.copyAndPersist(addressOf(position), source);
    }

    private long addressOf(long position) {
        if (!open) {
            throw new IllegalStateException("the mapping of the pool is gone");
        }
        return addresses[slices.indexOf(position)] + slices.within(position);
    }

    @Override
    public void prefault(long position, int length) throws IOException {
        slices.prefault(position, length);
    }

    @Override
    public void close() {
        open = false;
        slices.unmap();
    }

    @Override
    public void abandon() {
        open = false;
        slices.abandon();
    }
}
