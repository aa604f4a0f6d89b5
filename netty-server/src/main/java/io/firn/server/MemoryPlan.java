package io.firn.server;

import io.firn.InvalidOptionException;
import io.firn.budget.HeapBudget;
import io.firn.server.config.ServerConfig;
import io.firn.server.wire.ServerLimits;
import java.util.ArrayList;
import java.util.List;

/**
 * What clients can fill the memory with, as a configuration has it: the shares of {@link
 * HeapBudget}, or what an operator has set in their place. The defaults fit together. A
 * configuration that does not is warned about, with the numbers, and refused where it exceeds all
 * of the heap: it could not be kept.
 *
 * @param heapBytes what clients can use of the heap
 * @param directBytes what requests can use outside of it
 * @param chosen the keys that were set, with their values
 */
record MemoryPlan(long heapBytes, long directBytes, List<String> chosen) {
    private static final System.Logger LOG = System.getLogger("io.firn.server");

    /** Returns what a server does with a store that has the defaults. */
    static MemoryPlan of(ServerConfig config) {
        List<String> chosen = new ArrayList<>();
        long groups = chosen(config, "firn.groups.max.bytes", chosen);
        long queued = chosen(config, "queued.max.request.bytes", chosen);
        long unused = chosen(config, "max.connections", chosen);
        long connections = ServerLimits.of(config).connections(); // as many as there can be
        long heap = 0;
        for (HeapBudget each : HeapBudget.values()) {
            heap +=
                    switch (each) {
                        case GROUPS -> groups;
                        case REQUESTS -> queued;
                        case CONNECTIONS -> each.bytesOfCount(connections);
                        default -> each.bytes();
                    };
        }
        // One request more than the limit always fits, and clients that use little use a quarter.
        long direct = queued + queued / 4 + chosen(config, "socket.request.max.bytes", chosen);
        return new MemoryPlan(heap, direct, chosen);
    }

    private static long chosen(ServerConfig config, String key, List<String> chosen) {
        if (config.has(key)) {
            chosen.add(key + "=" + config.text(key));
        }
        return config.number(key);
    }

    /** Returns a plan with what was set in the place of a share. */
    MemoryPlan with(ServerConfig config, String key, HeapBudget share, long bytes) {
        if (!config.has(key)) {
            return this;
        }
        List<String> more = new ArrayList<>(chosen);
        more.add(key + "=" + config.text(key));
        return new MemoryPlan(heapBytes - share.bytes() + bytes, directBytes, more);
    }

    /**
     * Checks that what was set fits into a heap at all.
     *
     * @throws InvalidOptionException otherwise
     */
    void check(long largestHeap) {
        if (!chosen.isEmpty() && heapBytes > largestHeap) {
            throw new InvalidOptionException(
                    describe(heapBytes, "the heap", largestHeap)
                            + ", all of it: lower what is set ("
                            + String.join(", ", chosen)
                            + "), or give the JVM a larger heap (-Xmx)");
        }
    }

    /** Returns what to warn about; empty if everything fits together. */
    List<String> warnings(long largestHeap, long largestDirect) {
        List<String> warnings = new ArrayList<>();
        if (isTooMuch(heapBytes, largestHeap)) {
            warnings.add(describe(heapBytes, "the heap", largestHeap) + whatToDo("-Xmx"));
        }
        if (isTooMuch(directBytes, largestDirect)) {
            warnings.add(
                    describe(directBytes, "the memory outside of the heap", largestDirect)
                            + whatToDo("-XX:MaxDirectMemorySize"));
        }
        return warnings;
    }

    /** Logs the warnings. */
    void warn(long largestHeap, long largestDirect) {
        warnings(largestHeap, largestDirect)
                .forEach(each -> LOG.log(System.Logger.Level.WARNING, each));
    }

    private static boolean isTooMuch(long bytes, long largest) {
        return bytes > largest / 100 * HeapBudget.MOST_PERCENT;
    }

    private static String describe(long bytes, String what, long largest) {
        return "clients may use "
                + (bytes >> 20)
                + " MiB of "
                + what
                + ", "
                + (largest >> 20)
                + " MiB";
    }

    private String whatToDo(String option) {
        return ", more than "
                + HeapBudget.MOST_PERCENT
                + " %: the process may run out of memory. Lower what is set ("
                + (chosen.isEmpty() ? "nothing" : String.join(", ", chosen))
                + "), or give the JVM more ("
                + option
                + ")";
    }
}
