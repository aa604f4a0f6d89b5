package io.firn.medium;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/** Distinguishes a full file system from other failures. */
public final class NoSpace {
    private NoSpace() {}

    /**
     * Returns whether an error means that there is no space. The system's message may be in any
     * language, so the remaining space is checked as well.
     *
     * @param wanted the bytes that were to be written below the path
     */
    public static boolean isMeantBy(IOException e, FileMedium medium, Path path, long wanted) {
        String message = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
        try {
            return message.contains("no space left")
                    || message.contains("quota exceeded")
                    || medium.usableBytes(path) < wanted;
        } catch (IOException again) {
            e.addSuppressed(again);
            return false;
        }
    }
}
