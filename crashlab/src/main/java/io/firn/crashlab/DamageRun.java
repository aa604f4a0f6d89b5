package io.firn.crashlab;

import io.firn.DamagedRange;
import io.firn.DamagedRangeException;
import io.firn.LogStore;
import io.firn.Partition;
import io.firn.StoreOpenException;
import io.firn.Tailer;
import io.firn.UnreadableTopicException;
import io.firn.Verdict;
import io.firn.crashlab.Matrix.Fault;
import io.firn.crashlab.Promises.Violation;
import io.firn.crashlab.ReferenceLog.Stored;
import io.firn.sim.SimulatedFileMedium;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Damages a reference log in one place at a time: nothing wrong is read, no more is lost than was
 * hit, and what is lost is named.
 */
final class DamageRun {
    private static final int[] PIECES = {64, 512, 4096};
    private static final int MOST_TOLD = 5;
    private static final int OPENED_SHARE = 61;

    private final Media media;
    private final Matrix matrix;
    private final Runnable progress;
    private final Consumer<String> failures;
    private int told;

    DamageRun(Media media, Matrix matrix, Runnable progress, Consumer<String> failures) {
        this.media = media;
        this.matrix = matrix;
        this.progress = progress;
        this.failures = failures;
    }

    /** Changes a copy of the medium. */
    @FunctionalInterface
    private interface Damage {
        /** Returns whether it changed anything. */
        boolean apply(SimulatedFileMedium copy) throws IOException;
    }

    /** One of several parts of the work, with each N-th bit. */
    void run(int part, int parts, int stride) {
        try {
            ReferenceLog log = new ReferenceLog(media);
            flipUnderReaders(log, part, parts, stride);
            int number = 0;
            for (Stored batch : log.batches) {
                if (number++ % parts == part) {
                    // Opening looks at no batch of a sealed segment; a share is tried all the same.
                    flip(log, batch, log.isSealed(batch) ? OPENED_SHARE * stride : stride);
                }
            }
            for (Path file : log.files()) {
                if (!file.endsWith("lock")) {
                    flipOthers(log, file, part, parts * stride);
                }
            }
            for (int size : PIECES) {
                pieces(log, size, part, parts);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Flips bits of sealed segments while the store is open, one after the other, and reads the
     * batch with the one before and the one after it.
     */
    private void flipUnderReaders(ReferenceLog log, int part, int parts, int stride)
            throws IOException {
        SimulatedFileMedium copy = log.medium.kill();
        try (LogStore store = media.open(copy, log.clock, 0)) {
            Partition partition = store.openTopic(ReferenceLog.TOPIC).partition(0);
            for (int i = part; i < log.batches.size(); i += parts) {
                Stored batch = log.batches.get(i);
                for (int bit = 0; log.isSealed(batch) && bit < 8 * batch.length(); bit += stride) {
                    int position = batch.position() + bit / 8;
                    int mask = 1 << bit % 8;
                    matrix.count(Fault.BIT_UNDER_READERS);
                    progress.run();
                    copy.rot(batch.file(), position, mask);
                    try {
                        readAround(log, partition, batch);
                        matrix.addDistinct(1);
                    } catch (RuntimeException | AssertionError e) {
                        String what = batch.file() + " byte " + position + " mask " + mask;
                        fail(Fault.BIT_UNDER_READERS, what, e);
                    }
                    copy.rot(batch.file(), position, mask);
                }
            }
        }
    }

    private static void readAround(ReferenceLog log, Partition partition, Stored batch) {
        int from = (int) Math.max(0, batch.baseOffset() - ReferenceLog.MOST_IN_BATCH);
        int to =
                (int) Math.min(log.records.size(), batch.nextOffset() + ReferenceLog.MOST_IN_BATCH);
        BitSet missing = new BitSet();
        missing.set(from, to);
        BitSet named = new BitSet();
        read(log, partition, from, to, missing, named);
        judge(missing, named, List.of(batch));
    }

    private void flip(ReferenceLog log, Stored batch, int stride) {
        for (int bit = 0; bit < 8 * batch.length(); bit += stride) {
            int position = batch.position() + bit / 8;
            int mask = 1 << bit % 8;
            attempt(
                    Fault.BIT,
                    log,
                    batch.file() + " byte " + position + " mask " + mask,
                    copy -> flipped(copy, batch.file(), position, mask),
                    List.of(batch));
        }
    }

    private static boolean flipped(SimulatedFileMedium copy, Path file, int position, int mask)
            throws IOException {
        copy.rot(file, position, mask);
        return true;
    }

    /** Marks, seals, superblocks, indexes, and what the store knows. */
    private void flipOthers(ReferenceLog log, Path file, int part, int stride) throws IOException {
        BitSet others = log.others(file);
        int number = 0;
        for (int at = others.nextSetBit(0); at >= 0; at = others.nextSetBit(at + 1)) {
            int position = at;
            for (int bit = 0; bit < 8; bit++) {
                int mask = 1 << bit;
                if (number++ % stride == part) {
                    attempt(
                            Fault.BIT,
                            log,
                            file + " byte " + position + " mask " + mask,
                            copy -> flipped(copy, file, position, mask),
                            null);
                }
            }
        }
    }

    private void pieces(ReferenceLog log, int size, int part, int parts) throws IOException {
        Set<String> seen = new TreeSet<>();
        for (Stored batch : log.batches) {
            int first = batch.position() / size * size;
            int last = (batch.position() + batch.length() - 1) / size * size;
            for (int at = first; at <= last; at += size) {
                boolean isNew = seen.add(batch.file() + " " + at);
                if (isNew && (at / size + seen.size()) % parts == part) {
                    piece(log, batch.file(), at, size);
                }
            }
        }
    }

    private void piece(ReferenceLog log, Path file, int at, int size) throws IOException {
        List<Stored> hit =
                log.batches.stream()
                        .filter(each -> each.file().equals(file))
                        .filter(each -> each.position() < at + size)
                        .filter(each -> each.position() + each.length() > at)
                        .toList();
        int end = hit.get(hit.size() - 1).position() + hit.get(hit.size() - 1).length();
        int length = Math.min(size, end - at); // the bytes after it belong to no batch
        String where = " of " + length + " bytes at " + at + " of " + file;
        attempt(Fault.ZEROED, log, "zeros" + where, c -> put(c, file, at, new byte[length]), hit);
        byte[] before = pieceOf(log.half, file, at, length);
        attempt(Fault.STALE, log, "stale piece" + where, c -> put(c, file, at, before), hit);
        Stored other = log.batches.get((log.batches.indexOf(hit.get(0)) + 97) % log.batches.size());
        byte[] elsewhere = pieceOf(log.medium, other.file(), other.position(), length);
        attempt(Fault.MISPLACED, log, "other piece" + where, c -> put(c, file, at, elsewhere), hit);
    }

    private static byte[] pieceOf(SimulatedFileMedium medium, Path file, int at, int length)
            throws IOException {
        try {
            return ReferenceLog.bytes(medium, file, at, length);
        } catch (NoSuchFileException e) {
            return new byte[length];
        }
    }

    private static boolean put(SimulatedFileMedium copy, Path file, int at, byte[] piece)
            throws IOException {
        byte[] now = ReferenceLog.bytes(copy, file, at, piece.length);
        boolean changed = false;
        for (int i = 0; i < piece.length; i++) {
            int mask = now[i] ^ piece[i];
            if (mask != 0) {
                copy.rot(file, at + i, mask);
                changed = true;
            }
        }
        return changed;
    }

    /**
     * Damages and looks.
     *
     * @param hit the batches that may be lost; null when none may, but opening may be refused
     */
    private void attempt(
            Fault fault, ReferenceLog log, String what, Damage damage, List<Stored> hit) {
        SimulatedFileMedium copy = log.medium.kill();
        try {
            if (!damage.apply(copy)) {
                return;
            }
            matrix.count(fault);
            progress.run();
            look(log, copy, hit);
            matrix.addDistinct(1);
        } catch (IOException | RuntimeException | AssertionError e) {
            fail(fault, what, e);
        }
    }

    private void fail(Fault fault, String what, Throwable why) {
        matrix.violated(fault);
        if (told++ < MOST_TOLD) {
            failures.accept(
                    "bin/crashlab --damage --media "
                            + media
                            + ": "
                            + what
                            + ": "
                            + CrashLab.Traces.of(why));
        }
    }

    private void look(ReferenceLog log, SimulatedFileMedium copy, List<Stored> hit) {
        LogStore store;
        try {
            store = media.open(copy, log.clock, 0);
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
        BitSet missing = new BitSet();
        missing.set(0, log.records.size());
        BitSet named = new BitSet();
        read(log, partition, 0, log.records.size(), missing, named);
        for (DamagedRange range : partition.damage()) {
            name(range, named);
        }
        require(
                partition.nextOffset() == log.records.size(),
                "the next offset is " + partition.nextOffset());
        judge(missing, named, hit == null ? List.of() : hit);
    }

    private static void judge(BitSet missing, BitSet named, List<Stored> hit) {
        BitSet silent = (BitSet) missing.clone();
        silent.andNot(named);
        require(silent.isEmpty(), "lost and not named: " + silent + ", named " + named);
        for (Stored batch : hit) {
            missing.clear((int) batch.baseOffset(), (int) batch.nextOffset());
        }
        require(missing.isEmpty(), "lost without having been hit: " + missing);
    }

    private static void name(DamagedRange range, BitSet named) {
        named.set((int) range.fromOffset(), Math.toIntExact(range.toOffset()));
    }

    private static void read(
            ReferenceLog log,
            Partition partition,
            long from,
            long to,
            BitSet missing,
            BitSet named) {
        byte[] value = new byte[ReferenceLog.LONGEST_VALUE];
        try (Tailer tailer = partition.openTailer()) {
            tailer.seek(from);
            while (tailer.offset() < to && tailer.offset() < partition.visibleOffset()) {
                long before = tailer.offset();
                try {
                    tailer.poll(
                            record -> {
                                int offset = (int) record.offset();
                                byte[] expected = log.records.get(offset);
                                int length = record.valueLength();
                                boolean isRight = length == expected.length;
                                if (isRight) {
                                    record.getValue(value, 0);
                                }
                                require(
                                        isRight
                                                && Arrays.equals(
                                                        expected, 0, length, value, 0, length),
                                        "another value at " + offset);
                                missing.clear(offset);
                                return offset + 1 < to ? Verdict.CONTINUE : Verdict.STOP;
                            },
                            1_000);
                    require(tailer.offset() > before, "no way on from " + before);
                } catch (DamagedRangeException e) {
                    name(new DamagedRange(e.fromOffset(), e.toOffset(), ""), named);
                    tailer.seek(e.toOffset());
                }
            }
        }
    }

    private static void require(boolean kept, String what) {
        if (!kept) {
            throw new Violation(what);
        }
    }
}
