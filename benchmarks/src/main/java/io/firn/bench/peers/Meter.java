package io.firn.bench.peers;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Measures sections of a run: wall time, CPU time of the process, allocation of the calling thread,
 * and how much others disturbed it. Linux only.
 */
final class Meter {
    private static final long TICK_NS = 10_000_000; // USER_HZ is 100 on all systems of today
    private static final Path SELF = Path.of("/proc/self");
    private static final Path STAT = Path.of("/proc/stat");
    private static final Path PRESSURE = Path.of("/proc/pressure/cpu");
    private static final int FIRST_FIELD = 3; // of /proc/self/stat, after the name in brackets
    private static final int USER = 14 - FIRST_FIELD;
    private static final int SYSTEM = 15 - FIRST_FIELD;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private Counters started;
    private long startedNs;
    private long startedAllocated;
    private long wallNs;
    private long cpuNs;
    private long busyNs;
    private long stalledUs;

    /** Begins a section. */
    void start() throws IOException {
        started = read();
        startedAllocated = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        startedNs = System.nanoTime();
    }

    /** Ends a section. */
    Section stop() throws IOException {
        long ns = System.nanoTime() - startedNs;
        long allocated =
                threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - startedAllocated;
        Counters now = read();
        long user = now.userTicks - started.userTicks;
        long system = now.systemTicks - started.systemTicks;
        long cpu = cpuNs(now.cpuNs - started.cpuNs, user + system);
        Section section = new Section(ns, cpu, user, system, allocated);
        wallNs += section.wallNs;
        cpuNs += section.cpuNs;
        busyNs += (now.busyTicks - started.busyTicks) * TICK_NS;
        stalledUs += now.stalledUs - started.stalledUs;
        return section;
    }

    /** The sum over threads is precise, but without those that ended; then the ticks must do. */
    static long cpuNs(long ofThreads, long ticks) {
        return ofThreads < (ticks - 2) * TICK_NS ? ticks * TICK_NS : ofThreads;
    }

    /** Returns the disturbance in all sections. */
    Disturbance disturbance() {
        return new Disturbance(
                Math.min(
                        100,
                        100.0 * TimeUnit.MICROSECONDS.toNanos(stalledUs) / Math.max(wallNs, 1)),
                100.0 * Math.max(0, busyNs - cpuNs) / Math.max(wallNs, 1),
                wallNs / 1e6);
    }

    /** Waits until this process has nothing left to do, 5 s at most. */
    static void settle() throws IOException, InterruptedException {
        long before = cpuNs();
        for (int i = 0; i < 100; i++) {
            Thread.sleep(50);
            long now = cpuNs();
            if (now - before < TimeUnit.MILLISECONDS.toNanos(5)) {
                return;
            }
            before = now;
        }
    }

    private Counters read() throws IOException {
        String[] own =
                Files.readString(SELF.resolve("stat")).replaceFirst("(?s).*\\) ", "").split(" ");
        return new Counters(
                cpuNs(),
                Long.parseLong(own[USER]),
                Long.parseLong(own[SYSTEM]),
                busyTicks(Files.readAllLines(STAT)),
                stalledUs(Files.exists(PRESSURE) ? Files.readString(PRESSURE) : ""));
    }

    /** Returns the CPU time of this process, more precise than in ticks. */
    private static long cpuNs() throws IOException {
        long sum = 0;
        try (Stream<Path> tasks = Files.list(SELF.resolve("task"))) {
            for (Path task : tasks.toList()) {
                try {
                    sum +=
                            Long.parseLong(
                                    Files.readString(task.resolve("schedstat")).split(" ")[0]);
                } catch (NoSuchFileException e) {
                    continue; // the thread has just ended
                }
            }
        }
        return sum;
    }

    /** Returns the ticks in which a CPU was busy, or was given to another machine. */
    static long busyTicks(List<String> stat) {
        String[] fields = stat.get(0).trim().split("\\s+");
        long busy = 0;
        for (int i = 1; i < fields.length && i <= 8; i++) {
            boolean idle = i == 4 || i == 5; // idle, iowait
            busy += idle ? 0 : Long.parseLong(fields[i]);
        }
        return busy;
    }

    /** Returns the time in which some task waited for a CPU; 0 if the kernel does not say. */
    static long stalledUs(String pressure) {
        for (String line : pressure.split("\n")) {
            if (line.startsWith("some ")) {
                return Long.parseLong(line.substring(line.indexOf("total=") + 6).trim());
            }
        }
        return 0;
    }

    private record Counters(
            long cpuNs, long userTicks, long systemTicks, long busyTicks, long stalledUs) {}

    /**
     * What a section took.
     *
     * @param wallNs elapsed time
     * @param cpuNs CPU time of all threads of the process
     * @param userTicks of it in user mode
     * @param systemTicks of it in the kernel
     * @param allocated bytes of heap by the calling thread
     */
    record Section(long wallNs, long cpuNs, long userTicks, long systemTicks, long allocated) {
        /** Nothing. */
        static final Section NONE = new Section(0, 0, 0, 0, 0);

        /** Returns the sum of two sections. */
        Section plus(Section other) {
            return new Section(
                    wallNs + other.wallNs,
                    cpuNs + other.cpuNs,
                    userTicks + other.userTicks,
                    systemTicks + other.systemTicks,
                    allocated + other.allocated);
        }

        /** Returns the CPU time in user mode, divided as the ticks are. */
        double userNs() {
            long ticks = userTicks + systemTicks;
            return ticks == 0 ? cpuNs : (double) cpuNs * userTicks / ticks;
        }
    }
}
