package io.firn.file;

import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/** Small files that are read and replaced as a whole. */
final class WholeFile {
    private WholeFile() {}

    /** Replaces a file; its name is durable after its directory was forced. */
    static void replace(FileMedium medium, Path file, byte[] bytes, boolean forced)
            throws IOException {
        Path temporary = file.resolveSibling(FileNames.temporary(file.getFileName().toString()));
        medium.delete(temporary);
        try (MediumFile out = medium.create(temporary)) {
            out.write(0, bytes, 0, bytes.length);
            if (forced) {
                // Before the rename: otherwise a crash could leave the new name without its bytes.
                out.force();
            }
        }
        medium.rename(temporary, file);
    }

    /** All bytes of a file, or null when there is none. */
    static byte[] read(FileMedium medium, Path file) throws IOException {
        try (MediumFile in = medium.open(file, false)) {
            byte[] bytes = new byte[Math.toIntExact(in.size())];
            int length = in.read(0, bytes, 0, bytes.length);
            return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
        } catch (NoSuchFileException e) {
            return null;
        }
    }
}
