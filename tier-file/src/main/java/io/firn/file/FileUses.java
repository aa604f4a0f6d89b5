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
     * until the other side has confirmed the bytes, of which nobody learns (O30).
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

    /** Whether nobody sees the bytes now or later, if nobody maps or sends the file any more. */
    boolean areOver() {
        return !isLasting && mappings.get() == 0;
    }
}
