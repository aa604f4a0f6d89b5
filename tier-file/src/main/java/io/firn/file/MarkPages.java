package io.firn.file;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.firn.medium.MediumFile;
import io.firn.medium.TwoSlots;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import io.firn.spi.MarkFormat;
import java.io.IOException;
import java.util.Arrays;

/**
 * The place of the marks in an active file: its last two 4 KiB pages, one slot at the start of each
 * ({@link TwoSlots}). The last mark of a segment is its {@link SealMark}.
 *
 * <pre>
 *  0                     capacity          size − 8192    size − 4096    size
 *  | batches             | to a full page  | slot 0       | slot 1       |
 * </pre>
 *
 * <p>The page of slot 0 ends with {@link #RECYCLED} if the file had been that of another segment:
 * above the batches of this one it may have some of that one. Both pages are forced before the file
 * gets its name, and that text does not change any more.
 */
final class MarkPages {
    static final int PAGE = MarkFormat.SLOT_SPACING;
    static final int BYTES = TwoSlots.COUNT * PAGE;

    /** The bytes of a slot that are used at most. */
    static final int LENGTH = SealMark.MAX_LENGTH;

    private static final byte[] RECYCLED = "this file is recycled".getBytes(US_ASCII);

    private MarkPages() {}

    /**
     * The marks of a file.
     *
     * @param newest the newest intact mark; null when there is none
     * @param slot the slot that contains it; −1 when there is none
     * @param fileBytes the size that was used to find the pages; a writer may have changed it since
     * @param seal the seal that the newest mark is; null when it is none
     * @param isRecycled whether the file may contain batches of an earlier segment
     */
    record Found(Mark newest, int slot, long fileBytes, SealMark seal, boolean isRecycled) {}

    /**
     * Notes in the mark pages of a file that it was used before.
     *
     * @param end what ends with the pages
     */
    static void markRecycled(byte[] end) {
        int at = end.length - PAGE - RECYCLED.length;
        System.arraycopy(RECYCLED, 0, end, at, RECYCLED.length);
    }

    private static boolean isRecycled(MediumFile file, long fileBytes) throws IOException {
        byte[] found = new byte[RECYCLED.length];
        int length = file.read(fileBytes - PAGE - found.length, found, 0, found.length);
        return length == found.length && Arrays.equals(found, RECYCLED);
    }

    /** Returns the size of a file with room for so many bytes of batches. */
    static long fileBytes(int capacity) {
        return roundUp(capacity) + BYTES;
    }

    /** Returns the room for batches in a file; 0 when no active file has that size. */
    static int capacity(long fileBytes) {
        boolean possible = fileBytes > BYTES && fileBytes % PAGE == 0;
        return possible && fileBytes <= Integer.MAX_VALUE ? (int) fileBytes - BYTES : 0;
    }

    static long slotPosition(long fileBytes, int slot) {
        return fileBytes - BYTES + (long) slot * PAGE;
    }

    /** Reads both slots of a file that has, or had, so many bytes. */
    static Found read(MediumFile file, long fileBytes) throws IOException {
        if (capacity(fileBytes) == 0) {
            return new Found(null, -1, fileBytes, null, false);
        }
        byte[][] slots = new byte[TwoSlots.COUNT][LENGTH];
        TwoSlots.Newest<Mark> newest =
                TwoSlots.newest(
                        slot -> {
                            long position = slotPosition(fileBytes, slot);
                            int length = file.read(position, slots[slot], 0, LENGTH);
                            return length == LENGTH ? decode(slots[slot]) : null;
                        },
                        Mark::sequence);
        Mark found = newest.record();
        SealMark seal =
                found != null && found.state() == SegmentState.SEALED
                        ? SealMark.decode(slots[newest.slot()], LENGTH)
                        : null;
        return new Found(found, newest.slot(), fileBytes, seal, isRecycled(file, fileBytes));
    }

    /** Decodes a slot; null when it is not intact. */
    static Mark decode(byte[] slot) throws IOException {
        Mark mark = MarkFormat.decode(slot, 0);
        if (mark == null || mark.state() != SegmentState.SEALED) {
            return mark;
        }
        SealMark seal = SealMark.decode(slot, slot.length);
        return seal == null ? null : seal.mark();
    }

    /** Encodes the content of a slot. */
    static byte[] encode(Mark mark, long fileEpoch) {
        return mark.state() == SegmentState.SEALED
                ? new SealMark(mark, fileEpoch, null).encode()
                : MarkFormat.encode(mark);
    }

    /**
     * Stores a seal that was found after a crash once more, where it is, and forces it: it may so
     * far exist in a cache only (O1).
     */
    static void restore(MediumFile file, Found found) throws IOException {
        byte[] bytes = found.seal().encode();
        file.write(slotPosition(found.fileBytes(), found.slot()), bytes, 0, bytes.length);
        file.force();
    }

    private static long roundUp(int capacity) {
        return (capacity + (long) PAGE - 1) / PAGE * PAGE;
    }
}
