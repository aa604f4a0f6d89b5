package io.firn.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** A file that only its owner can read. */
final class OwnFile {
    private OwnFile() {}

    /** Takes the rights of others, where the file system has such rights. */
    static void restrict(Path file) throws IOException {
        try {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        } catch (UnsupportedOperationException e) {
            return; // on Windows, a directory of the user has that
        }
    }
}
