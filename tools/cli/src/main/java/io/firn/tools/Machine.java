package io.firn.tools;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the system says of itself in files below a directory, which is the root. */
final class Machine {
    private static final Pattern OPEN_FILES =
            Pattern.compile("Max open files +(\\d+|unlimited) +(\\d+|unlimited)");
    private static final Pattern PAGE = Pattern.compile("KernelPageSize: +(\\d+) kB");

    private static final int READ_BYTES = 1 << 16;

    private final Path root;

    Machine(Path root) {
        this.root = root;
    }

    /**
     * Where a directory is mounted.
     *
     * @param device the numbers of the device
     * @param source what is mounted, such as {@code /dev/sda1}
     * @param options of the mount and of the file system
     */
    record Mount(Path point, String device, String type, String source, List<String> options) {
        boolean has(String option) {
            return options.contains(option);
        }
    }

    /** Returns the text of a file; null when it is not there. */
    String read(String file) {
        // What the kernel answers has no size, and may be given at the first read only.
        byte[] buffer = new byte[READ_BYTES];
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (InputStream in = Files.newInputStream(root.resolve(file))) {
            for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
                all.write(buffer, 0, count);
            }
            return all.toString(UTF_8).strip();
        } catch (IOException e) {
            return null;
        }
    }

    private OptionalLong number(String file) {
        String text = read(file);
        return text == null || !text.matches("\\d+")
                ? OptionalLong.empty()
                : OptionalLong.of(Long.parseLong(text));
    }

    /** Returns how many files a process of this user may have open. */
    OptionalLong openFiles() {
        String limits = read("proc/self/limits");
        Matcher found = OPEN_FILES.matcher(limits == null ? "" : limits);
        if (!found.find()) {
            return OptionalLong.empty();
        }
        String soft = found.group(1);
        return OptionalLong.of(soft.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(soft));
    }

    /** Returns how many mappings a process may have. */
    OptionalLong mappings() {
        return number("proc/sys/vm/max_map_count");
    }

    /** Returns the size of a page of memory. */
    OptionalLong pageBytes() {
        String maps = read("proc/self/smaps");
        Matcher found = PAGE.matcher(maps == null ? "" : maps);
        return found.find()
                ? OptionalLong.of(Long.parseLong(found.group(1)) * 1024)
                : OptionalLong.empty();
    }

    /** Returns what the kernel measures time with; null if it does not say. */
    String clockSource() {
        return read("sys/devices/system/clocksource/clocksource0/current_clocksource");
    }

    /** Returns whether the clock follows another one; null if that is not known. */
    Boolean isClockSynchronized() {
        if (Files.exists(root.resolve("run/systemd/timesync/synchronized"))) {
            return true;
        }
        try {
            Process process =
                    new ProcessBuilder(
                                    "timedatectl", "show", "--property=NTPSynchronized", "--value")
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            String text = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
            return text.equals("yes") ? Boolean.TRUE : text.equals("no") ? Boolean.FALSE : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** Returns where a directory is mounted; null if the system does not say. */
    Mount mountOf(Path directory) throws IOException {
        String table = read("proc/self/mountinfo");
        Path real = directory.toRealPath();
        Mount deepest = null;
        for (String line : table == null ? new String[0] : table.split("\n")) {
            String[] halves = line.split(" - ", 2);
            String[] first = halves[0].split(" ");
            String[] second = halves.length < 2 ? new String[0] : halves[1].split(" ");
            if (first.length < 6 || second.length < 3) {
                continue;
            }
            Path point = Path.of(unescaped(first[4]));
            boolean isDeeper =
                    deepest == null || point.getNameCount() >= deepest.point.getNameCount();
            if (real.startsWith(point) && isDeeper) { // of several, the last one is on top
                List<String> options = List.of((first[5] + "," + second[2]).split(","));
                deepest = new Mount(point, first[2], second[0], unescaped(second[1]), options);
            }
        }
        return deepest;
    }

    private static String unescaped(String field) {
        return field.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
    }

    /**
     * Returns {@code write back} if a device has a cache that a force has to empty; null if
     * unknown.
     */
    String writeCache(Mount mount) {
        String device = "sys/dev/block/" + mount.device;
        String own = read(device + "/queue/write_cache");
        // A partition has the queue of its disk, which is the directory above.
        return own != null ? own : read(device + "/../queue/write_cache");
    }

    /** Returns how much of the file system of a directory is free, from 0 to 1. */
    static double free(Path directory) throws IOException {
        FileStore store = Files.getFileStore(directory);
        return store.getTotalSpace() == 0
                ? 1
                : (double) store.getUsableSpace() / store.getTotalSpace();
    }
}
