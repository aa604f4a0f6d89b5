package io.firn.medium;

import io.firn.Survives;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What is known of a file system by its type.
 *
 * @param name as the system names it, such as {@code ext4}
 * @param survives what a forced file survives; null when it is not known
 */
record FileSystemType(String name, Survives survives) {
    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs", "devtmpfs", "hugetlbfs");

    /** Those on a device of this machine, whose force reaches it; with DAX they are the same. */
    private static final Set<String> ON_A_DEVICE =
            Set.of(
                    "ext2",
                    "ext3",
                    "ext4",
                    "xfs",
                    "btrfs",
                    "zfs",
                    "f2fs",
                    "bcachefs",
                    "jfs",
                    "reiserfs",
                    "nilfs2",
                    "apfs",
                    "hfs",
                    "ufs",
                    "ntfs",
                    "refs");

    private static final String OVERLAY = "overlay";
    private static final Path MOUNTS = Path.of("/proc/self/mountinfo");
    private static final Pattern UPPER = Pattern.compile("upperdir=([^,\\s]+)");

    /** Returns the file system of a directory that exists. */
    static FileSystemType of(Path existing) throws IOException {
        FileStore store = Files.getFileStore(existing);
        String name = store.type();
        return name.equals(OVERLAY) ? ofOverlay(existing) : of(name);
    }

    /** Returns what is known of a type. */
    static FileSystemType of(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (IN_MEMORY.contains(lower)) {
            return new FileSystemType(name, Survives.PROCESS_CRASH);
        }
        boolean isOnADevice = ON_A_DEVICE.contains(lower);
        return new FileSystemType(name, isOnADevice ? Survives.POWER_LOSS : null);
    }

    /** Returns what is known of it where Java cannot force its directories. */
    FileSystemType withoutForcedDirectories() {
        return survives == Survives.POWER_LOSS
                ? new FileSystemType(name + " (no directory can be forced)", null)
                : this;
    }

    /** What is written to an overlay is in its upper directory, which a container may not see. */
    private static FileSystemType ofOverlay(Path existing) {
        try {
            return ofOverlay(existing.toRealPath(), Files.readString(MOUNTS));
        } catch (IOException e) {
            return of(OVERLAY);
        }
    }

    /** Returns what is known of an overlay by the table of mounts. */
    static FileSystemType ofOverlay(Path existing, String mounts) throws IOException {
        String options = null;
        int deepest = -1;
        for (String line : mounts.split("\n")) {
            String[] fields = line.split(" ");
            int separator = line.indexOf(" - " + OVERLAY + " ");
            if (separator < 0 || fields.length < 5) {
                continue;
            }
            Path mounted = Path.of(unescaped(fields[4]));
            if (existing.startsWith(mounted) && mounted.getNameCount() >= deepest) {
                deepest = mounted.getNameCount(); // of several, the last one is on top
                options = line.substring(separator);
            }
        }
        Matcher upper = UPPER.matcher(options == null ? "" : options);
        if (!upper.find() || options.matches(".*[ ,]volatile(,.*)?")) {
            return of(OVERLAY);
        }
        Path directory = Path.of(unescaped(upper.group(1)));
        if (!directory.isAbsolute() || !Files.isDirectory(directory)) {
            return of(OVERLAY);
        }
        FileSystemType below = of(Files.getFileStore(directory).type());
        return new FileSystemType(OVERLAY + " over " + below.name, below.survives);
    }

    private static String unescaped(String field) {
        return field.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
    }
}
