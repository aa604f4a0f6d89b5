package io.firn.bench.peers;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What is measured. */
enum Scenario {
    APPEND_FRESH(
            "Append into fresh pages",
            "One thread appends to a new log as fast as it can, with each system's defaults."
                    + " Rolling, growing, zeroing and the kernel's first access to each page are"
                    + " included.",
            Set.of(),
            Metric.APPEND),
    APPEND_TOUCHED(
            "Append into touched pages",
            "The same into one file whose pages were all present and mapped before, as far as the"
                    + " system allows it. Aeron and RocksDB do not. Firn does it itself while it"
                    + " reserves a block.",
            EnumSet.of(Peer.AERON_ARCHIVE, Peer.ROCKSDB_WAL, Peer.ROCKSDB_WAL_16),
            Metric.APPEND),
    LATENCY(
            "Append latency at a fixed rate",
            "Open loop: a record is due at a fixed interval, and its latency is the time from then"
                    + " until its append returned, so a stall counts for all records that became due in"
                    + " it (corrected for coordinated omission). For Aeron it is the offer to the"
                    + " publication, not the recording.",
            EnumSet.of(
                    Peer.FIRN_CLAIM,
                    Peer.FIRN_SHARED,
                    Peer.FIRN_WRITTEN_16,
                    Peer.CHRONICLE_DOCUMENT_16,
                    Peer.ROCKSDB_WAL_16,
                    Peer.FILE_CHANNEL_16,
                    Peer.FIRN_DURABLE_16,
                    Peer.FILE_CHANNEL_SYNC_16,
                    Peer.MAPPING_PLAIN,
                    Peer.MAPPING_PLAIN_16,
                    Peer.MAPPING_CRC_16),
            Metric.latencies()),
    END_TO_END(
            "End to end between two threads",
            "One thread appends at a fixed rate, another one polls without pause and copies the"
                    + " value. Latency is the time from when a record was due until it was copied. The"
                    + " reader of Aeron is a live subscriber, which may be ahead of the recording."
                    + " RocksDB has no way to follow the log.",
            EnumSet.of(
                    Peer.FIRN_CLAIM,
                    Peer.FIRN_SHARED,
                    Peer.FIRN_WRITTEN_16,
                    Peer.CHRONICLE_DOCUMENT_16,
                    Peer.ROCKSDB_WAL,
                    Peer.ROCKSDB_WAL_16,
                    Peer.FILE_CHANNEL_16,
                    Peer.MAPPING_PLAIN_16,
                    Peer.MAPPING_CRC_16),
            Metric.latencies()),
    REPLAY(
            "Replay",
            "A log in the page cache is closed, opened again and read from its start; each value is"
                    + " copied. First: the first pass after the open. Again: later passes of the same"
                    + " reader, where a system may remember what it verified.",
            EnumSet.of(Peer.FIRN_CLAIM, Peer.FIRN_SHARED),
            List.of(Metric.FIRST_NS, Metric.AGAIN_NS, Metric.AGAIN_CPU_NS, Metric.AGAIN_ALLOCATED)),
    DURABLE_1(
            "Durable append, one thread",
            "One thread appends, and each append waits until it is forced.",
            Set.of(),
            List.of(Metric.NS, Metric.CPU_NS, Metric.ALLOCATED)),
    DURABLE_8(
            "Durable append, eight threads",
            "Eight threads append to one log, and each append waits until it is forced.",
            EnumSet.of(Peer.FIRN_DURABLE_16, Peer.FILE_CHANNEL_SYNC_16, Peer.AERON_ARCHIVE_SYNC),
            List.of(Metric.NS, Metric.CPU_NS)),
    REOPEN(
            "Open after a kill",
            "A process that appends is killed with SIGKILL. Time in a new JVM from the call that"
                    + " opens the log until one more record is appended, class loading included. The"
                    + " hand-written logs scan all of it. Aeron waits until it no longer takes the killed"
                    + " archive for a running one.",
            EnumSet.of(
                    Peer.FIRN_CLAIM,
                    Peer.FIRN_SHARED,
                    Peer.FIRN_WRITTEN_16,
                    Peer.CHRONICLE_BYTES,
                    Peer.CHRONICLE_DOCUMENT_16,
                    Peer.ROCKSDB_WAL_16,
                    Peer.FILE_CHANNEL_16,
                    Peer.MAPPING_PLAIN,
                    Peer.MAPPING_PLAIN_16,
                    Peer.MAPPING_CRC_16),
            List.of(Metric.OPEN_MS));

    private final String title;
    private final String description;
    private final Set<Peer> without;
    private final List<Metric> metrics;

    Scenario(String title, String description, Set<Peer> without, List<Metric> metrics) {
        this.title = title;
        this.description = description;
        this.without = without;
        this.metrics = metrics;
    }

    /** Returns the name in options and files. */
    String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    String title() {
        return title;
    }

    String description() {
        return description;
    }

    /** Returns what is measured, the most important first. */
    List<Metric> metrics() {
        return metrics;
    }

    /** Whether a contender is measured. */
    boolean includes(Peer peer) {
        boolean forced = this == DURABLE_1 || this == DURABLE_8;
        return (this == LATENCY || forced == peer.isForced()) && !without.contains(peer);
    }

    /** Whether latencies are measured, as histograms. */
    boolean isLatency() {
        return this == LATENCY || this == END_TO_END;
    }

    /** Returns the rates in records per second at which a contender's latency is measured. */
    List<Integer> rates(Peer peer) {
        if (!isLatency()) {
            return List.of();
        }
        return peer.isForced()
                ? List.of(1_000)
                : this == LATENCY ? List.of(10_000, 200_000) : List.of(100_000);
    }
}
