package io.firn.management;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** How many ranges of memory this process has mapped, of how many that it may have. */
final class ProcessMappings {
    private static final Path MAPS = Path.of("/proc/self/maps");
    private static final Path MOST = Path.of("/proc/sys/vm/max_map_count");

    private ProcessMappings() {}

    /** Returns their number; NaN where the system does not tell it. */
    static double count() {
        try (InputStream in = Files.newInputStream(MAPS)) {
            byte[] some = new byte[1 << 16];
            long lines = 0;
            for (int n = in.read(some); n > 0; n = in.read(some)) {
                for (int i = 0; i < n; i++) {
                    lines += some[i] == '\n' ? 1 : 0;
                }
            }
            return lines;
        } catch (IOException e) {
            return Double.NaN;
        }
    }

    /** Returns how many there may be; NaN where the system does not tell it. */
    static double most() {
        try {
            return Long.parseLong(Files.readString(MOST).strip());
        } catch (IOException | NumberFormatException e) {
            return Double.NaN;
        }
    }
}
