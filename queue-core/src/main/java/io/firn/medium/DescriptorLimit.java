package io.firn.medium;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * How many files and sockets this process may have open.
 *
 * @see io.firn.spi.StorageTier
 */
public final class DescriptorLimit {
    /** Stands for a limit that is not known, or for none. */
    public static final long UNKNOWN = Long.MAX_VALUE;

    private static final Path LIMITS = Path.of("/proc/self/limits"); // of Linux
    private static final String LIMIT = "Max open files";

    private DescriptorLimit() {}

    /** Returns the limit, or {@link #UNKNOWN}. It is read from a file, which takes a descriptor. */
    public static long ofProcess() {
        try {
            // No charset of the platform: names of limits are ASCII.
            return in(Files.readAllLines(LIMITS, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return UNKNOWN; // another system
        }
    }

    /** Returns the limit that the lines of such a file name. */
    static long in(List<String> limits) {
        for (String line : limits) {
            if (line.startsWith(LIMIT)) {
                return number(line.substring(LIMIT.length()).strip().split(" ", 2)[0]);
            }
        }
        return UNKNOWN;
    }

    private static long number(String soft) {
        try {
            return Long.parseLong(soft);
        } catch (NumberFormatException e) {
            return UNKNOWN; // unlimited
        }
    }
}
