package io.firn.medium;

import java.nio.file.FileSystemException;
import java.nio.file.Path;

/**
 * Something else has the name of a file or directory: a link, a FIFO, a device. It was not opened,
 * and nothing was changed.
 */
public final class UnexpectedFileException extends FileSystemException {
    private static final long serialVersionUID = 1;

    UnexpectedFileException(Path path, String reason) {
        super(path.toString(), null, reason);
    }
}
