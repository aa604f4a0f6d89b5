package io.firn.crashlab;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import javax.annotation.concurrent.GuardedBy;

/**
 * Counts how often each kind of fault was tried and how often a promise was violated. Thread-safe.
 */
final class Matrix {

    /** Kinds of faults. */
    enum Fault {
        MEMORY_CUT("power cut, memory, every combination"),
        MEMORY_SAMPLED("power cut, memory, sampled and torn"),
        EADR_CUT("power cut, memory with eADR"),
        FILES_CUT("power cut, files, every combination"),
        FILES_SAMPLED("power cut, files, sampled and torn"),
        BOTH_CUT("power cut, memory and files, every combination"),
        BOTH_SAMPLED("power cut, memory and files, sampled and torn"),
        MOVES_CUT("power cut, moving segments, every combination"),
        MOVES_SAMPLED("power cut, moving segments, sampled and torn"),
        COMPACT_CUT("power cut, compacted segments, every combination"),
        COMPACT_SAMPLED("power cut, compacted segments, sampled and torn"),
        TRANSACTIONS_MEMORY_CUT("power cut, transactions in memory"),
        TRANSACTIONS_FILES_CUT("power cut, transactions in files"),
        TRANSACTIONS_BOTH_CUT("power cut, transactions in moving segments"),
        TRANSACTIONS_COMPACT_CUT("power cut, transactions in compacted segments"),
        REPLICAS_CUT("power cut, replicated topics"),
        KILLED("the process dies, then a power cut"),
        IN_RECOVERY_1("power cut during recovery"),
        IN_RECOVERY_2("power cut during the recovery from that"),
        IN_RECOVERY_3("power cut during the recovery from that again"),
        LOOK_AFTER_CUT("power cut, then a look of the recovery fails with EIO"),
        LOOK_REFUSED("the same, and the open was refused"),
        AFTER_RECOVERY("power cut after recovery and the first append"),
        INCARNATION("power cut, recovery, and the workload continues"),
        DURING_MOVE("an append, a force, a deletion … during a move or a compaction"),
        REPEATED("second recovery; resources released at close"),
        IO_ERROR("an operation fails with EIO"),
        SHORT_WRITE("a write stores half and fails with EIO"),
        NO_SPACE("no space is left for a moment"),
        QUERY("a query fails with EIO"),
        QUERY_IN_RECOVERY("a query of a recovery fails with EIO"),
        ERROR_IN_RECOVERY("an operation of a recovery fails with EIO"),
        DEATH("a background operation ends in an Error"),
        CLOCK("the clock jumps"),
        BIT_UNDER_READERS("a bit of a sealed segment flips while it is read"),
        BIT("a bit of the reference log flips"),
        ZEROED("a piece of the reference log is zeroed"),
        STALE("a piece of the reference log has its earlier bytes"),
        MISPLACED("a piece of the reference log has bytes of another");

        private final String description;

        Fault(String description) {
            this.description = description;
        }
    }

    @GuardedBy("this")
    private final Map<Fault, long[]> counts = new EnumMap<>(Fault.class);

    @GuardedBy("this")
    private long distinct;

    synchronized void count(Fault fault) {
        counts.computeIfAbsent(fault, each -> new long[2])[0]++;
    }

    synchronized void count(Fault fault, int times) {
        if (times > 0) {
            counts.computeIfAbsent(fault, each -> new long[2])[0] += times;
        }
    }

    synchronized long triesOf(Fault fault) {
        return counts.getOrDefault(fault, new long[2])[0];
    }

    synchronized void violated(Fault fault) {
        counts.computeIfAbsent(fault, each -> new long[2])[1]++;
    }

    synchronized void addDistinct(long images) {
        distinct += images;
    }

    synchronized long distinct() {
        return distinct;
    }

    synchronized long violations() {
        return counts.values().stream().mapToLong(each -> each[1]).sum();
    }

    synchronized long tries() {
        return counts.values().stream().mapToLong(each -> each[0]).sum();
    }

    @Override
    public synchronized String toString() {
        StringBuilder out = new StringBuilder();
        out.append(String.format("%-56s %12s %10s%n", "fault", "count", "violations"));
        counts.forEach(
                (fault, count) ->
                        out.append(
                                String.format(
                                        Locale.ROOT,
                                        "%-56s %,12d %,10d%n",
                                        fault.description,
                                        count[0],
                                        count[1])));
        return out.toString();
    }
}
