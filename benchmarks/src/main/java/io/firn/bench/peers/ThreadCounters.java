package io.firn.bench.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What the system counts of each thread of this process, by the thread's number. Linux only:
 * elsewhere there are no threads.
 */
final class ThreadCounters {
    private static final Path TASKS = Path.of("/proc/self/task");
    private static final int FIRST_FIELD = 3; // of stat, after the name in brackets
    private static final int MINOR_FAULTS = 10 - FIRST_FIELD;
    private static final int MAJOR_FAULTS = 12 - FIRST_FIELD;

    private ThreadCounters() {}

    /**
     * The counters of a thread.
     *
     * @param name up to 15 characters of it
     * @param cpuNs time on a processor
     * @param waitedNs time in which it could run and had no processor
     * @param rests how often it gave its processor up
     * @param losses how often its processor was taken away
     * @param faults page faults
     * @param majorFaults those that waited for a disk
     */
    record Counters(
            String name,
            long cpuNs,
            long waitedNs,
            long rests,
            long losses,
            long faults,
            long majorFaults) {
        static final Counters NONE = new Counters("", 0, 0, 0, 0, 0, 0);

        Counters minus(Counters before) {
            return new Counters(
                    name,
                    cpuNs - before.cpuNs,
                    waitedNs - before.waitedNs,
                    rests - before.rests,
                    losses - before.losses,
                    faults - before.faults,
                    majorFaults - before.majorFaults);
        }

        Counters plus(Counters other) {
            return new Counters(
                    name,
                    cpuNs + other.cpuNs,
                    waitedNs + other.waitedNs,
                    rests + other.rests,
                    losses + other.losses,
                    faults + other.faults,
                    majorFaults + other.majorFaults);
        }
    }

    /** Returns the counters of all threads. */
    static Map<Long, Counters> read() throws IOException {
        Map<Long, Counters> all = new TreeMap<>();
        if (!Files.isDirectory(TASKS)) {
            return all;
        }
        try (Stream<Path> tasks = Files.list(TASKS)) {
            for (Path task : tasks.toList()) {
                try {
                    all.put(Long.parseLong(task.getFileName().toString()), read(task));
                } catch (IOException e) {
                    continue; // the thread has just ended
                }
            }
        }
        return all;
    }

    private static Counters read(Path task) throws IOException {
        String[] schedule = Files.readString(task.resolve("schedstat")).trim().split(" ");
        String[] stat =
                Files.readString(task.resolve("stat")).replaceFirst("(?s).*\\) ", "").split(" ");
        List<String> status = Files.readAllLines(task.resolve("status"));
        return new Counters(
                Files.readString(task.resolve("comm")).trim(),
                Long.parseLong(schedule[0]),
                Long.parseLong(schedule[1]),
                field(status, "voluntary_ctxt_switches:"),
                field(status, "nonvoluntary_ctxt_switches:"),
                Long.parseLong(stat[MINOR_FAULTS]),
                Long.parseLong(stat[MAJOR_FAULTS]));
    }

    private static long field(List<String> status, String name) {
        for (String line : status) {
            if (line.startsWith(name)) {
                return Long.parseLong(line.substring(name.length()).trim());
            }
        }
        return 0;
    }

    /** Returns what was counted since, of threads that still run, by their numbers. */
    static Map<Long, Counters> since(Map<Long, Counters> before) throws IOException {
        Map<Long, Counters> all = read();
        all.replaceAll((id, now) -> now.minus(before.getOrDefault(id, Counters.NONE)));
        return all;
    }
}
