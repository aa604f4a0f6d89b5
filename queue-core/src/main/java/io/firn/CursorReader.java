package io.firn;

/** The positions of a {@link Cursor}, for those that do not change them. Thread-safe. */
public interface CursorReader {

    /** Returns the cursor's name. */
    String name();

    /**
     * Returns the offset of the next record to be read; {@code −1} when nothing was committed, or
     * the position was lost because the cursor's file is damaged. In a read-only store it is read
     * from the file at each call, and is what the writing process persisted last.
     */
    long offset(int partition);
}
