package io.firn.file;

import io.firn.medium.Mapping;
import io.firn.medium.MediumFile;
import io.firn.medium.Uncollected;
import io.firn.spi.Mark;
import io.firn.spi.MarkFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The writer's side of a segment that is not sealed: its file, mapped, with the marks at its end.
 * Every byte of the file was written before it is mapped: a store into a hole of a full file system
 * would be lost in silence.
 */
final class ActiveFile {
    /**
     * The last bytes of the file for as long as it is written. Where they are missing, somebody has
     * cut the file. Asking the system for its size would tell as well, but costs more than a force
     * does in memory (measured: 170 ns against 140).
     */
    private static final byte[] GUARD = "the file is whole".getBytes(StandardCharsets.US_ASCII);

    private final Path path;
    private final MediumFile file;
    private final Mapping mapping;
    private final ByteBuffer memory;
    private final long fileBytes;
    private final byte[] seen = new byte[GUARD.length];
    private int newestSlot;

    /**
     * Maps a file for writing.
     *
     * @param newestSlot the slot that holds the mark that counts
     */
    ActiveFile(Path path, MediumFile file, int capacity, int newestSlot) throws IOException {
        this.path = path;
        this.file = file;
        this.fileBytes = file.size();
        this.newestSlot = newestSlot;
        this.mapping = file.map((int) fileBytes, true);
        this.memory = mapping.buffer().slice(0, capacity);
        mapping.buffer().put(guardPosition(), GUARD);
    }

    ByteBuffer memory() {
        return memory;
    }

    void prefault() throws IOException {
        mapping.prefault();
    }

    /** Lets go of the mapping. */
    void release(Uncollected uncollected, boolean handedOut) {
        uncollected.release(mapping, handedOut);
    }

    void force(int from, int to) throws IOException {
        if (from < 0 || from > to || to > memory.capacity()) {
            throw new IndexOutOfBoundsException(
                    "0 <= from <= to <= "
                            + memory.capacity()
                            + " expected, found from "
                            + from
                            + " and to "
                            + to);
        }
        if (from < to) {
            mapping.force(from, to - from);
        }
        // A force of pages that were cut off the file returns as if all were well.
        checkWhole();
    }

    private void checkWhole() throws IOException {
        try {
            if (!isWhole()) {
                throw new IOException(whatHappened());
            }
        } catch (InternalError e) {
            // Java 17 tells late of a fault that the look at the file's end was.
            throw new IOException(whatHappened(), e);
        }
    }

    /**
     * Whether the end of the file is where it was. Read by a copy, which leaves the array as it is
     * where the page is gone, however late the JVM tells of the fault.
     */
    private boolean isWhole() {
        Arrays.fill(seen, (byte) 0);
        mapping.buffer().get(guardPosition(), seen);
        return Arrays.equals(seen, GUARD);
    }

    private int guardPosition() {
        return (int) fileBytes - GUARD.length;
    }

    /** A torn write must leave the other slot whole, so the one with the newest mark is spared. */
    synchronized void writeMark(Mark mark) throws IOException {
        int slot = MarkPages.SLOTS - 1 - newestSlot;
        writeSlot(slot, MarkFormat.encode(mark));
        newestSlot = slot;
    }

    /**
     * The second slot is written when the first is durable, or a crash could tear both. For the
     * same reason the newest mark is stored again and forced before the other slot is written: it
     * may be in the cache only, written by a process that died before it was forced (O1).
     */
    synchronized void rewriteMark(Mark mark) throws IOException {
        byte[] newest = new byte[MarkFormat.LENGTH];
        mapping.buffer().get((int) MarkPages.slotPosition(fileBytes, newestSlot), newest);
        writeSlot(newestSlot, newest);
        writeMark(mark);
        writeMark(mark);
    }

    private void writeSlot(int slot, byte[] encoded) throws IOException {
        int position = (int) MarkPages.slotPosition(fileBytes, slot);
        mapping.buffer().put(position, encoded);
        mapping.force(position, MarkPages.PAGE);
        // A file that grew loses nothing, but its marks would not be found at its end.
        if (file.size() != fileBytes) {
            throw new IOException(whatHappened());
        }
    }

    private String whatHappened() throws IOException {
        return path
                + " has "
                + file.size()
                + " bytes, "
                + fileBytes
                + " expected: somebody else has changed its size, and what was stored in it may be"
                + " lost; stop what touches the tier's files and open the store again";
    }
}
