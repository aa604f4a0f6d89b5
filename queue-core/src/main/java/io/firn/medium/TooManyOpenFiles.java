package io.firn.medium;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Distinguishes a lack of file descriptors from other failures to open a file. Java only has the
 * system's message, which may be in any language. So when a file cannot be opened, another one is
 * tried that always can be, and how that fails is remembered. Thread-safe.
 */
final class TooManyOpenFiles {
    private static final Path ALWAYS_THERE = Path.of("/dev/null");

    private final Opening opening;
    private final Set<String> messages = ConcurrentHashMap.newKeySet();

    /** Opens a file that can always be opened, and closes it. */
    interface Opening {
        void run() throws IOException;
    }

    /** Creates it for this system. */
    TooManyOpenFiles() {
        this(() -> FileChannel.open(ALWAYS_THERE, StandardOpenOption.READ).close());
    }

    TooManyOpenFiles(Opening opening) {
        this.opening = opening;
        messages.add("too many open files");
    }

    /** Returns whether an error in opening a file means it. */
    boolean isMeantBy(IOException e) {
        if (!isKnown(e) && !isOfTheFile(e)) {
            learn();
        }
        return isKnown(e);
    }

    private boolean isKnown(IOException e) {
        String message = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
        return messages.stream().anyMatch(message::contains);
    }

    private static boolean isOfTheFile(IOException e) {
        return e instanceof NoSuchFileException
                || e instanceof AccessDeniedException
                || e instanceof FileAlreadyExistsException
                || e instanceof NotDirectoryException
                || e instanceof DirectoryNotEmptyException;
    }

    /** Remembers how a file that can always be opened fails now, if it does. */
    private void learn() {
        try {
            opening.run();
        } catch (FileSystemException e) {
            if (!isOfTheFile(e) && e.getReason() != null) { // otherwise it is another system
                messages.add(e.getReason().toLowerCase(Locale.ROOT));
            }
        } catch (IOException e) {
            return; // it says no reason
        }
    }
}
