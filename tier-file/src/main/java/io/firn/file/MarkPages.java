package io.firn.file;

import io.firn.medium.MediumFile;
import io.firn.medium.TwoSlots;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import io.firn.spi.MarkFormat;
import java.io.IOException;

/**
 * The place of the marks in an active file: its last two 4 KiB pages, one slot at the start of each
 * ({@link TwoSlots}).
 *
 * <pre>
 *  0                     capacity          size − 8192    size − 4096    size
 *  | batches             | to a full page  | slot 0       | slot 1       |
 * </pre>
 */
final class MarkPages {
    static final int PAGE = MarkFormat.SLOT_SPACING;
    static final int BYTES = TwoSlots.COUNT * PAGE;

    private MarkPages() {}

    /**
     * The marks of a file.
     *
     * @param newest the newest intact mark; null when there is none
     * @param slot the slot that contains it; −1 when there is none
     * @param fileBytes the size that was used to find the pages; a writer may have changed it since
     */
    record Found(Mark newest, int slot, long fileBytes) {}

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
            return new Found(null, -1, fileBytes);
        }
        byte[] bytes = new byte[MarkFormat.LENGTH];
        TwoSlots.Newest<Mark> newest =
                TwoSlots.newest(
                        slot -> {
                            int length =
                                    file.read(
                                            slotPosition(fileBytes, slot), bytes, 0, bytes.length);
                            return length == bytes.length ? decode(bytes) : null;
                        },
                        Mark::sequence);
        return new Found(newest.record(), newest.slot(), fileBytes);
    }

    /** Decodes a slot. A seal is recorded in {@code BASE.mark}, never in a mark page. */
    static Mark decode(byte[] slot) throws IOException {
        Mark mark = MarkFormat.decode(slot, 0);
        return mark != null && mark.state() != SegmentState.SEALED ? mark : null;
    }

    private static long roundUp(int capacity) {
        return (capacity + (long) PAGE - 1) / PAGE * PAGE;
    }
}
