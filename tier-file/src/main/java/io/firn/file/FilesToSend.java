package io.firn.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * How many files of a tier may be open for the system to send them: few enough that whoever reads a
 * lot does not take the descriptors that are needed to write.
 */
final class FilesToSend {
    private static final int MOST = 500;

    /** Of the descriptors that the process may have; connections may take half of them. */
    private static final int SHARE = 8;

    private static final Path LIMITS = Path.of("/proc/self/limits"); // of Linux
    private static final String LIMIT = "Max open files";

    private FilesToSend() {}

    static int most() {
        try {
            // No charset of the platform: names of limits are ASCII.
            return most(Files.readAllLines(LIMITS, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return MOST; // another system
        }
    }

    static int most(List<String> limits) {
        for (String line : limits) {
            if (line.startsWith(LIMIT)) {
                String soft = line.substring(LIMIT.length()).strip().split(" ", 2)[0];
                return share(soft);
            }
        }
        return MOST;
    }

    private static int share(String descriptors) {
        try {
            return (int) Math.min(MOST, Long.parseLong(descriptors) / SHARE);
        } catch (NumberFormatException e) {
            return MOST; // unlimited
        }
    }
}
