package io.firn.pmem;

import io.firn.medium.MediumFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/** Memory that cannot be brought in while a switch is on. */
record FailingProvider(PmemProvider below, AtomicBoolean failing) implements ProviderOver {
    @Override
    public PmemMemory map(MediumFile file, Path path, Superblock pool) throws IOException {
        return new Memory(below.map(file, path, pool), failing);
    }

    private record Memory(PmemMemory memory, AtomicBoolean failing) implements PmemMemory {
        @Override
        public ByteBuffer bytes(long position, int length) {
            return memory.bytes(position, length);
        }

        @Override
        public void force(long position, int length) throws IOException {
            memory.force(position, length);
        }

        @Override
        public void prefault(long position, int length) throws IOException {
            if (failing.get()) {
                throw new IOException("on purpose");
            }
            memory.prefault(position, length);
        }

        @Override
        public void close() {
            memory.close();
        }

        @Override
        public void abandon() {
            memory.abandon();
        }
    }
}
