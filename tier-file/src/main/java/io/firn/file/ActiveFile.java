package io.firn.file;

import io.firn.medium.DirectMemory;
import io.firn.medium.MediumFile;
import io.firn.medium.MediumFile.Mapping;
import io.firn.medium.TwoSlots;
import io.firn.medium.Uncollected;
import io.firn.spi.Mark;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import javax.annotation.concurrent.GuardedBy;

/**
 * The writer's side of a segment that is not sealed: its mapped file, with the marks at its end.
 * The file is sparse. A store through the mapping into a hole of a full file system would be lost
 * or end the JVM, so only two parts of it are stored to: the mark pages, which were written before
 * the file got its name (O16), and what was prepared with written zeros (O17). Everything else is
 * written by calls, which fail properly.
 */
final class ActiveFile {
    /**
     * The last bytes of the file while it is active. If they are missing, the file was cut by
     * somebody else. Asking the system for the size would also show this, but costs more than a
     * force of memory (measured: 170 ns against 140 ns).
     */
    private static final byte[] GUARD = "the file is whole".getBytes(StandardCharsets.US_ASCII);

    /**
     * Zeros are written in pieces of this size. With larger pieces Linux keeps the file in larger
     * folios, and a later force of a small store writes a whole folio (measured: pieces of 1 MiB
     * double the cost of a force of 64 bytes).
     */
    private static final DirectMemory.Zeros ZEROS = new DirectMemory.Zeros(16 * 1024);

    private final BlockOwner owner;
    private final PartitionDirectory directory;
    private final Path path;
    private final long fileEpoch;
    private final MediumFile file;
    private final Mapping mapping;
    private final ByteBuffer memory;
    private final long fileBytes;
    private final byte[] seen = new byte[GUARD.length];

    @GuardedBy("this")
    private final MarkSlots marks;

    /**
     * Maps a file for writing.
     *
     * @param fileEpoch the epoch in its name
     * @param newestSlot the slot that contains the newest mark
     */
    ActiveFile(
            BlockOwner owner,
            PartitionDirectory directory,
            long fileEpoch,
            MediumFile file,
            int capacity,
            int newestSlot)
            throws IOException {
        this.owner = owner;
        this.directory = directory;
        this.path = directory.active(fileEpoch);
        this.fileEpoch = fileEpoch;
        this.file = file;
        this.fileBytes = file.size();
        this.marks = new MarkSlots(newestSlot);
        this.mapping = file.map((int) fileBytes, true);
        this.memory = mapping.buffer().slice(0, capacity);
        mapping.buffer().put(guardPosition(), GUARD);
    }

    ByteBuffer memory() {
        return memory;
    }

    void write(int position, ByteBuffer source) throws IOException {
        Objects.checkFromIndexSize(position, source.remaining(), memory.capacity());
        int length = source.remaining();
        try {
            file.write(position, source);
        } catch (IOException e) {
            if (directory.isFull(e, length)) {
                throw owner.noSpace(directory.full(e, length), position + length);
            }
            throw e;
        }
    }

    /** Writes zeros first, so that every page has space when it is stored to (O17). */
    void prepare(int from, int to, boolean durably) throws IOException {
        Objects.checkFromToIndex(from, to, memory.capacity());
        owner.requireSpace(directory, fileBytes); // or zeros take the last of it
        writeZeros(from, to);
        int length = to - from;
        if (durably) {
            // Before the pages are made writable: it undoes that.
            mapping.force(from, length);
        }
        mapping.prefault(from, length);
    }

    private void writeZeros(int from, int to) throws IOException {
        ByteBuffer zeros = ZEROS.get();
        try {
            for (int position = from; position < to; position += ZEROS.bytes()) {
                int length = Math.min(ZEROS.bytes(), to - position);
                file.write(position, zeros.limit(length).position(0));
            }
        } catch (IOException e) {
            if (directory.isFull(e, to - from)) {
                throw directory.full(e, to - from);
            }
            throw e;
        }
    }

    /** Releases the mapping; returns whether it is unmapped. */
    boolean release(Uncollected uncollected, boolean handedOut) {
        return uncollected.release(mapping, handedOut);
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
        // A force of pages that were cut off the file returns normally.
        checkWhole();
    }

    private void checkWhole() throws IOException {
        try {
            if (!isWhole()) {
                throw new IOException(whatHappened());
            }
        } catch (InternalError e) {
            // Java 17 reports late that reading the end of the file was a fault, or a fault in
            // another file, for example in the published offsets.
            if (!hasItsEnd()) {
                throw new IOException(whatHappened(), e);
            }
        }
    }

    /** Reads the last bytes through the file: another look at the mapping might fault later. */
    private boolean hasItsEnd() throws IOException {
        Arrays.fill(seen, (byte) 0);
        return file.read(guardPosition(), seen, 0, seen.length) == seen.length
                && Arrays.equals(seen, GUARD);
    }

    /**
     * Returns whether the file still has its last bytes. They are read with a bulk copy, which
     * leaves the array unchanged if the page is gone, however late the JVM reports the fault.
     */
    private boolean isWhole() {
        Arrays.fill(seen, (byte) 0);
        mapping.buffer().get(guardPosition(), seen);
        return Arrays.equals(seen, GUARD);
    }

    private int guardPosition() {
        return (int) fileBytes - GUARD.length;
    }

    synchronized void writeMark(Mark mark) throws IOException {
        marks.write(mark);
    }

    /**
     * Writes a mark into both slots. The newest mark so far may exist in a cache only, because the
     * process that wrote it died before it forced it: it is made durable first (O1).
     */
    synchronized void rewriteMark(Mark mark) throws IOException {
        marks.restore();
        marks.writeBoth(mark);
    }

    /** The marks in the mapped pages. */
    private final class MarkSlots extends TwoSlots<Mark> {
        MarkSlots(int newestSlot) {
            super(newestSlot);
        }

        @Override
        protected Mark read(int slot) throws IOException {
            byte[] bytes = new byte[MarkPages.LENGTH];
            mapping.buffer().get((int) MarkPages.slotPosition(fileBytes, slot), bytes);
            return MarkPages.decode(bytes);
        }

        @Override
        protected void store(int slot, Mark mark) throws IOException {
            int position = (int) MarkPages.slotPosition(fileBytes, slot);
            mapping.buffer().put(position, MarkPages.encode(mark, fileEpoch));
            mapping.force(position, MarkPages.PAGE);
            // If the file grew, nothing is lost, but the marks would not be found at its end.
            if (file.size() != fileBytes) {
                throw new IOException(whatHappened());
            }
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
