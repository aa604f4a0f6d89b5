package io.firn.medium;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Recognizes one kind of error by the system's message, the only thing that Java passes on. It may
 * be in any language. So when there is an error with an unknown message, something is done that can
 * only fail in this one way, and how it fails is remembered. Thread-safe.
 */
final class SystemMessage {
    /** A file system, or a user's quota of it, is full. */
    static final SystemMessage NO_SPACE =
            new SystemMessage(
                    List.of("no space left", "quota exceeded"), true, SystemMessage::writeToFull);

    /** The process, or the machine, has too many open files. */
    static final SystemMessage TOO_MANY_OPEN_FILES =
            new SystemMessage(List.of("too many open files"), false, SystemMessage::openNull);

    private final boolean isFailureCertain;
    private final Attempt attempt;
    private final Set<String> messages = ConcurrentHashMap.newKeySet();
    private volatile boolean isLearnt;

    /** Does something that can fail in one way only. */
    interface Attempt {
        void run() throws IOException;
    }

    /**
     * Creates it.
     *
     * @param english messages without capital letters
     * @param isFailureCertain whether the attempt fails always; otherwise only while there is what
     *     the message says
     */
    SystemMessage(List<String> english, boolean isFailureCertain, Attempt attempt) {
        this.isFailureCertain = isFailureCertain;
        this.attempt = attempt;
        messages.addAll(english);
    }

    private static void writeToFull() throws IOException {
        writeTo(Path.of("/dev/full"));
    }

    /** Writes to a device if there is one: to open a file that does not exist would create it. */
    static void writeTo(Path device) throws IOException {
        if (!Files.exists(device) || Files.isRegularFile(device)) {
            return; // another system, or a container without it
        }
        try (FileOutputStream full = new FileOutputStream(device.toFile())) {
            full.write(0);
        }
    }

    private static void openNull() throws IOException {
        FileChannel.open(Path.of("/dev/null"), StandardOpenOption.READ).close();
    }

    /** Returns whether an error means it. */
    boolean isMeantBy(IOException e) {
        if (isKnown(e)) {
            return true;
        }
        if (isLearnt || isOfTheFile(e)) {
            return false;
        }
        learn();
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

    /** Remembers how the attempt fails now, if it does. */
    private void learn() {
        try {
            attempt.run();
        } catch (IOException e) {
            String reason = reasonOf(e);
            if (reason != null && !reason.isBlank()) {
                messages.add(reason.toLowerCase(Locale.ROOT));
                isLearnt = isFailureCertain;
            }
        }
    }

    /** Returns what the system has said; null when it cannot be told from the rest. */
    private String reasonOf(IOException e) {
        if (isOfTheFile(e)) {
            return null; // another system, or another one's file
        }
        if (e instanceof FileSystemException named) {
            return named.getReason();
        }
        // To open /dev/full may fail, too; a write has the system's message and no name.
        boolean isOfWrite = isFailureCertain && e.getClass() == IOException.class;
        return isOfWrite ? e.getMessage() : null;
    }
}
