package io.firn.file;

import java.nio.channels.FileChannel;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Who in this process may still see the bytes of a file after its segment was deleted. An unlinked
 * file keeps them; one that is written again does not (O37). Thread-safe.
 */
final class FileUses {
    private final AtomicInteger mappings = new AtomicInteger();
    private volatile boolean isLasting;

    /** Notes another mapping of the file. */
    void mapped() {
        mappings.incrementAndGet();
    }

    /**
     * Notes the release of a mapping.
     *
     * @param isUnmapped whether no user of it sees the bytes any more
     */
    void released(boolean isUnmapped) {
        if (isUnmapped) {
            mappings.decrementAndGet();
        }
    }

    /**
     * Notes that the system may be sending from the file. Its sockets refer to the file's own pages
     * until the peer has confirmed the bytes, and the JVM is not told when (O30).
     *
     * @param channel the file; null when it is not to be sent
     * @return the same
     */
    FileChannel sentFrom(FileChannel channel) {
        if (channel != null && !isLasting) {
            isLasting = true;
        }
        return channel;
    }

    /** Whether the bytes stay unseen from now on, provided that no new mapping or send begins. */
    boolean areOver() {
        return !isLasting && mappings.get() == 0;
    }
}
