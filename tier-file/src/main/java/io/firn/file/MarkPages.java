package io.firn.file;

import io.firn.medium.MediumFile;
import io.firn.spi.Mark;
import io.firn.spi.MarkFormat;
import io.firn.spi.SegmentState;
import java.io.IOException;

/**
 * Where an active file keeps its marks: in its last two 4 KiB pages, one slot at the start of each.
 *
 * <pre>
 *  0                     capacity          size − 8192    size − 4096    size
 *  | batches             | to a full page  | slot 0       | slot 1       |
 * </pre>
 */
final class MarkPages {
    static final int PAGE = MarkFormat.SLOT_SPACING;
    static final int SLOTS = 2;
    static final int BYTES = SLOTS * PAGE;

    private MarkPages() {}

    /**
     * The marks of a file.
     *
     * @param newest the newest whole mark, null when there is none
     * @param slot the slot that it lies in, −1 when there is none
     * @param fileBytes the size by which they were found; beside a writer it may be another by now
     */
    record Found(Mark newest, int slot, long fileBytes) {}

    /** Size of a file with room for so many bytes of batches. */
    static long fileBytes(int capacity) {
        return roundUp(capacity) + BYTES;
    }

    /** Room for batches in a file of a size; 0 when no active file has that size. */
    static int capacity(long fileBytes) {
        boolean possible = fileBytes > BYTES && fileBytes % PAGE == 0;
        return possible && fileBytes <= Integer.MAX_VALUE ? (int) fileBytes - BYTES : 0;
    }

    static long slotPosition(long fileBytes, int slot) {
        return fileBytes - BYTES + (long) slot * PAGE;
    }

    /** Reads both slots of a file that has, or had, so many bytes. */
    static Found read(MediumFile file, long fileBytes) throws IOException {
        Found found = new Found(null, -1, fileBytes);
        if (capacity(fileBytes) == 0) {
            return found;
        }
        byte[] bytes = new byte[MarkFormat.LENGTH];
        for (int slot = 0; slot < SLOTS; slot++) {
            int length = file.read(slotPosition(fileBytes, slot), bytes, 0, bytes.length);
            Mark mark = length == bytes.length ? MarkFormat.decode(bytes, 0) : null;
            if (isActive(mark) && MarkFormat.newer(mark, found.newest()).equals(mark)) {
                found = new Found(mark, slot, fileBytes);
            }
        }
        return found;
    }

    /** That a segment is sealed is said elsewhere, never in its own pages. */
    private static boolean isActive(Mark mark) {
        return mark != null && mark.state() != SegmentState.SEALED;
    }

    private static long roundUp(int capacity) {
        return (capacity + (long) PAGE - 1) / PAGE * PAGE;
    }
}
