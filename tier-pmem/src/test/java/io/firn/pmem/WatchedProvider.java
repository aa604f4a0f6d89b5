package io.firn.pmem;

import io.firn.medium.MediumFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/** Memory of which somebody is told before bytes of it are brought in. */
record WatchedProvider(PmemProvider below, Watch watch) implements ProviderOver {
    /** Is told how many bytes are to be brought in at once, and may refuse. */
    interface Watch {
        void onPrefault(int length) throws IOException;
    }

    /** Refuses while a switch is on. */
    static WatchedProvider failing(PmemProvider below, AtomicBoolean failing) {
        return new WatchedProvider(
                below,
                length -> {
                    if (failing.get()) {
                        throw new IOException("on purpose");
                    }
                });
    }

    @Override
    public PmemMemory map(MediumFile file, Path path, Superblock pool) throws IOException {
        return new Memory(below.map(file, path, pool), watch);
    }

    private record Memory(PmemMemory memory, Watch watch) implements PmemMemory {
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
            watch.onPrefault(length);
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
