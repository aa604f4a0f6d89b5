package io.firn.chronicle;

import io.firn.FirnException;
import io.firn.MediumException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueStore;

/**
 * How many documents the files of a queue have, and which of them Chronicle Queue may read. It has
 * no checksums and follows any length, also out of the file; the fault in its mapping is reported
 * by the JVM some instructions later, to whoever is at work then. So the headers of each file are
 * walked through first, without a mapping.
 *
 * <pre>
 *   header, little-endian        0  nothing follows yet
 *     bit 31  not complete, or the end mark
 *     bit 30  metadata
 *     others  length; the next header is after it, from data version 1 on at a multiple of 4
 * </pre>
 *
 * <p>For one thread.
 */
final class WrittenParts {
    private static final int HEADER_BYTES = 4;
    private static final int NOT_COMPLETE = 0x80000000;
    private static final int METADATA = 0x40000000;
    private static final int LENGTH = 0x3fffffff;
    private static final int WINDOW = 64 * 1024;
    private static final long UNLIMITED = Long.MAX_VALUE;

    private final long[] counts;
    private final long[] limits;
    private final ByteBuffer window = ByteBuffer.allocate(WINDOW).order(ByteOrder.LITTLE_ENDIAN);
    private long windowAt;

    private WrittenParts(int files) {
        this.counts = new long[files];
        this.limits = new long[files];
    }

    /**
     * Looks at all files.
     *
     * @throws FirnException when documents are damaged so that they cannot be counted
     */
    static WrittenParts of(
            Path directory, SingleChronicleQueue queue, int[] cycles, QueueFiles files)
            throws IOException {
        WrittenParts parts = new WrittenParts(cycles.length);
        // By another tailer, because counting moves it.
        try (ExcerptTailer counter = queue.createTailer()) {
            for (int i = 0; i < cycles.length; i++) {
                String name = files.name(cycles[i]);
                try (FileChannel file =
                        FileChannel.open(directory.resolve(name), StandardOpenOption.READ)) {
                    parts.look(i, file, queue, cycles[i], counter);
                } catch (InternalError e) { // a fault in Chronicle's mapping
                    throw damaged(directory, name, e);
                }
            }
        }
        return parts;
    }

    /** What to say when a file cannot even be walked through. */
    static FirnException damaged(Path directory, String name, Throwable why) {
        return new MediumException(
                directory
                        + " is damaged: "
                        + name
                        + " has a document whose length leads beyond the file ("
                        + why.getMessage()
                        + "). Restore the file from a copy and start again",
                why);
    }

    private void look(
            int number,
            FileChannel file,
            SingleChronicleQueue queue,
            int cycle,
            ExcerptTailer counter)
            throws IOException {
        limits[number] = UNLIMITED;
        SingleChronicleQueueStore store = queue.storeForCycle(cycle, queue.epoch(), false, null);
        if (store == null) {
            counts[number] = counter.excerptsInCycle(cycle);
            return;
        }
        try {
            long last = store.writePosition();
            boolean isLastDamaged = walk(number, file, last, store.dataVersion());
            counts[number] = isLastDamaged ? limits[number] + 1 : counter.excerptsInCycle(cycle);
            if (counts[number] >= 0 && last > 0 && header(file, last) == 0) {
                counts[number]++; // a zeroed one, which Chronicle does not count
            }
        } finally {
            queue.closeStore(store);
        }
    }

    /**
     * Walks from header to header, up to one that leads too far.
     *
     * @param last where the last document begins, which a writer notes after it has completed it
     * @return whether that is the last one, or one that follows
     */
    private boolean walk(int number, FileChannel file, long last, int version) throws IOException {
        if (version < 0 || version > 1) {
            return false; // not known where headers are
        }
        long size = file.size();
        windowAt = -WINDOW;
        long documents = 0;
        long at = 0;
        while (at <= size - HEADER_BYTES) {
            int header = header(file, at);
            if (header == 0 || (header & NOT_COMPLETE) != 0) {
                return false;
            }
            long end = at + HEADER_BYTES + (header & LENGTH);
            if (end > (at < last ? last : size)) {
                limits[number] = documents;
                return at >= last;
            }
            documents += (header & METADATA) == 0 ? 1 : 0;
            at = version == 0 ? end : (end + HEADER_BYTES - 1) / HEADER_BYTES * HEADER_BYTES;
        }
        return false;
    }

    private int header(FileChannel file, long at) throws IOException {
        if (at < windowAt || at > windowAt + window.limit() - HEADER_BYTES) {
            window.clear();
            windowAt = at;
            while (window.hasRemaining() && file.read(window, at + window.position()) >= 0) {
                // until it is full or the file ends
            }
            window.flip();
        }
        int inWindow = (int) (at - windowAt);
        return inWindow > window.limit() - HEADER_BYTES ? 0 : window.getInt(inWindow);
    }

    /** How many documents each file has. */
    long[] counts() {
        return counts;
    }

    /** Whether Chronicle Queue may read a document of a file without leaving the file. */
    boolean mayRead(int file, long number) {
        return number < limits[file];
    }
}
