package io.firn.medium;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A process as Linux identifies it while the system runs: by its number, the time of its start in
 * ticks since the start of the system, which no change of the clock affects, and the namespace of
 * the number.
 */
record LinuxProcess(long pid, long started, String namespace) {
    private static final Path PROC = Path.of("/proc");
    private static final Pattern TEXT = Pattern.compile("pid (\\d+) started (\\d+) in (\\S+)");

    /** Places after the name of the program, which is in parentheses and may contain any. */
    private static final int STATE = 0;

    private static final int STARTED = 19;

    /** Returns this process; null when the system does not say. */
    static LinuxProcess current() {
        try {
            String stat = Files.readString(PROC.resolve("self/stat"));
            long pid = Long.parseLong(stat.substring(0, stat.indexOf(' ')));
            return new LinuxProcess(pid, Long.parseLong(fields(stat)[STARTED]), ownNamespace());
        } catch (IOException | RuntimeException e) {
            return null; // another system, or one that hides it
        }
    }

    private static String ownNamespace() throws IOException {
        return Files.readSymbolicLink(PROC.resolve("self/ns/pid")).toString();
    }

    /** Returns what {@link #toString} has written; null when it has not. */
    static LinuxProcess parse(String text) {
        Matcher found = TEXT.matcher(text);
        return found.matches()
                ? new LinuxProcess(
                        Long.parseLong(found.group(1)),
                        Long.parseLong(found.group(2)),
                        found.group(3))
                : null;
    }

    /** Returns whether it runs on this start of the system. */
    FileMedium.Life life() {
        try {
            return namespace.equals(ownNamespace()) ? lifeHere() : FileMedium.Life.UNKNOWN;
        } catch (IOException | RuntimeException e) {
            return FileMedium.Life.UNKNOWN;
        }
    }

    private FileMedium.Life lifeHere() throws IOException {
        Path directory = PROC.resolve(Long.toString(pid));
        try {
            String[] fields = fields(Files.readString(directory.resolve("stat")));
            boolean isSame = Long.parseLong(fields[STARTED]) == started;
            return isSame && !isDead(fields[STATE], directory)
                    ? FileMedium.Life.RUNS
                    : FileMedium.Life.ENDED;
        } catch (NoSuchFileException e) {
            // A system may show each user only the processes that are theirs.
            boolean showsAll = Files.exists(PROC.resolve("1/stat"));
            return showsAll ? FileMedium.Life.ENDED : FileMedium.Life.UNKNOWN;
        }
    }

    /** A process whose first thread has ended has that state, too, while others run. */
    private static boolean isDead(String state, Path directory) throws IOException {
        if (!state.equals("Z") && !state.equals("X")) {
            return false;
        }
        try (Stream<Path> threads = Files.list(directory.resolve("task"))) {
            return threads.count() <= 1;
        }
    }

    private static String[] fields(String stat) {
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    }

    @Override
    public String toString() {
        return "pid " + pid + " started " + started + " in " + namespace;
    }
}
