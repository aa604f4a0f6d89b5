package io.firn.medium;

import java.util.Locale;

/**
 * What the files of an operating system do differently, as far as Java reaches them: all that this
 * code knows of other systems than Linux is here. A test can give a medium another platform than
 * that of its machine.
 */
enum Platform {
    /** Linux, and each system that is not named here. */
    LINUX,
    MACOS,
    WINDOWS;

    /** That of this machine. */
    static final Platform CURRENT = named(System.getProperty("os.name", ""));

    /** Returns the platform that the JDK calls by this name. */
    static Platform named(String osName) {
        String lower = osName.toLowerCase(Locale.ROOT);
        if (lower.startsWith("windows")) {
            return WINDOWS;
        }
        return lower.startsWith("mac") || lower.startsWith("darwin") ? MACOS : LINUX;
    }

    /**
     * Whether a directory can be opened, and so be forced. Windows opens none for Java: a change of
     * names is durable when the file system has written its journal.
     */
    boolean forcesDirectories() {
        return this != WINDOWS;
    }

    /**
     * Whether a force of a mapping reaches the drive. That of macOS leaves the bytes in the drive's
     * cache; only a force through a channel empties it. That of Windows flushes the file as well.
     */
    boolean mappingForceReachesDrive() {
        return this != MACOS;
    }

    /**
     * Whether files are read and written through a channel. On Windows nothing else lets others
     * rename and delete an open file; on macOS nothing else forces to the drive.
     */
    boolean usesChannels() {
        return this != LINUX;
    }

    /** Whether a file can be cut, replaced and deleted while it is open or mapped. */
    boolean canChangeFilesInUse() {
        return this != WINDOWS;
    }

    /** Whether a lock keeps other processes from reading what is locked. */
    boolean locksKeepReadersOut() {
        return this == WINDOWS;
    }

    /** Whether names are different that differ in case, or in dots at their ends. */
    boolean hasExactNames() {
        return this == LINUX;
    }
}
