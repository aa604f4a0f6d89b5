package io.firn.crashlab;

import static io.firn.crashlab.Violation.require;

import io.firn.DamagedRangeException;
import io.firn.LogRecord;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.PartitionReader.DamagedRange;
import io.firn.RecordHandler;
import io.firn.StoreOpenException;
import io.firn.Tailer;
import io.firn.UnreadableTopicException;
import io.firn.crashlab.ReferenceBatches.Content;
import io.firn.crashlab.ReferenceLog.Stored;
import io.firn.sim.SimulatedFileMedium;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Reads a damaged copy of a reference log: no wrong record may be returned, no record may be
 * missing from a batch that was not hit, and every missing record must be reported.
 */
final class DamageCheck {
    private final ReferenceLog log;

    DamageCheck(ReferenceLog log) {
        this.log = log;
    }

    /** Offsets that were not read, and offsets that were reported as damaged. */
    private record Found(BitSet missing, BitSet reported) {
        /** Nothing was read yet of what a log has in a range. */
        static Found nothing(ReferenceLog log, int from, int to) {
            Found found = new Found(new BitSet(), new BitSet());
            for (int offset = from; offset < to; offset++) {
                found.missing.set(offset, log.records.get(offset) != null);
            }
            return found;
        }

        void report(long from, long to) {
            reported.set((int) from, Math.toIntExact(to));
        }

        /** Compares this with the batches that were hit. */
        void judge(List<Stored> hit) {
            BitSet silent = (BitSet) missing.clone();
            silent.andNot(reported);
            require(
                    silent.isEmpty(),
                    "missing and not reported: " + silent + ", reported: " + reported);
            BitSet unhurt = (BitSet) missing.clone();
            for (Stored batch : hit) {
                unhurt.clear((int) batch.baseOffset(), (int) batch.nextOffset());
            }
            require(unhurt.isEmpty(), "missing although not damaged: " + unhurt);
        }
    }

    /**
     * Opens a store on a damaged copy and reads the whole log.
     *
     * @param hit the batches that may be missing; null when none may, but opening may be refused
     */
    void open(SimulatedFileMedium copy, List<Stored> hit) {
        LogStore store;
        try {
            store = log.media.open(copy, log.clock, 0);
        } catch (StoreOpenException e) {
            if (hit != null) {
                throw e;
            }
            return;
        }
        Partition partition;
        try {
            partition = store.openTopic(ReferenceLog.TOPIC).partition(0);
        } catch (UnreadableTopicException e) {
            if (hit != null || store.findings().isEmpty()) {
                throw e;
            }
            return;
        }
        int end = log.records.size();
        Found found = Found.nothing(log, 0, end);
        read(partition, 0, end, found);
        for (DamagedRange range : partition.damage()) {
            found.report(range.fromOffset(), range.toOffset());
        }
        require(
                partition.nextOffset() == end,
                "the next offset is " + partition.nextOffset() + ", not " + end);
        found.judge(hit == null ? List.of() : hit);
    }

    /** Reads a damaged batch with the one before and the one after it. */
    void readAround(Partition partition, Stored batch) {
        int from = (int) Math.max(0, batch.baseOffset() - ReferenceLog.MOST_IN_BATCH);
        int to =
                (int) Math.min(log.records.size(), batch.nextOffset() + ReferenceLog.MOST_IN_BATCH);
        Found found = Found.nothing(log, from, to);
        read(partition, from, to, found);
        found.judge(List.of(batch));
    }

    private void read(Partition partition, long from, long to, Found found) {
        byte[] value = new byte[ReferenceLog.LONGEST_VALUE];
        try (Tailer tailer = partition.openTailer()) {
            tailer.seek(from);
            while (tailer.offset() < to && tailer.offset() < partition.visibleOffset()) {
                long before = tailer.offset();
                try {
                    tailer.poll(
                            record -> {
                                int offset = (int) record.offset();
                                require(
                                        isExpected(record, log.records.get(offset), value),
                                        "another record at " + offset);
                                found.missing().clear(offset);
                                return offset + 1 < to
                                        ? RecordHandler.Action.CONTINUE
                                        : RecordHandler.Action.STOP;
                            },
                            1_000);
                    require(tailer.offset() > before, "the tailer stays at " + before);
                } catch (DamagedRangeException e) {
                    found.report(e.fromOffset(), e.toOffset());
                    tailer.seek(e.toOffset());
                }
            }
        }
    }

    private static boolean isExpected(LogRecord record, Content expected, byte[] value) {
        if (expected == null || expected.isTombstone() == record.hasValue()) {
            return false; // removed records do not come back
        }
        if (expected.key() != null && !Arrays.equals(expected.key(), record.copy().key())) {
            return false;
        }
        if (expected.isTombstone()) {
            return true;
        }
        int length = record.valueLength();
        if (length != expected.value().length) {
            return false;
        }
        record.getValue(value, 0);
        return Arrays.equals(expected.value(), 0, length, value, 0, length);
    }
}
