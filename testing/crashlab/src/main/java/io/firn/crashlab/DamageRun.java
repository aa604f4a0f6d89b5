package io.firn.crashlab;

import io.firn.LogStore;
import io.firn.Partition;
import io.firn.crashlab.Matrix.Fault;
import io.firn.crashlab.ReferenceLog.Stored;
import io.firn.sim.SimulatedFileMedium;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Damages a reference log in one place at a time and checks each time that only damaged batches are
 * missing, and that they are reported.
 */
final class DamageRun {
    private static final int[] PIECES = {64, 512, 4096};
    private static final int MOST_REPORTED = 5;

    /** Of the bits of sealed segments, one of this number is flipped before the store is opened. */
    private static final int SEALED_STRIDE = 61;

    private final ReferenceLog log;
    private final DamageCheck check;
    private final Reporter reporter;
    private int reported;

    /** Creates the reference log. */
    DamageRun(Media media, ReferenceLog.Form form, Reporter reporter) {
        try {
            this.log = new ReferenceLog(media, form);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.check = new DamageCheck(log);
        this.reporter = reporter;
    }

    /** Changes a copy of the medium. */
    @FunctionalInterface
    private interface Damage {
        /** Returns whether it changed anything. */
        boolean apply(SimulatedFileMedium copy) throws IOException;
    }

    /**
     * Executes one of several parts of the work.
     *
     * @param stride flips each bit with a multiple of this number
     */
    void run(int part, int parts, int stride) {
        try {
            flipUnderReaders(part, parts, stride);
            int number = 0;
            for (Stored batch : log.batches) {
                if (number++ % parts == part) {
                    // Opening reads no batch of a sealed segment, so a share of its bits is enough.
                    flip(batch, log.isSealed(batch) ? SEALED_STRIDE * stride : stride);
                }
            }
            for (Path file : log.files()) {
                if (!file.endsWith("lock")) {
                    flipOthers(file, part, parts * stride);
                }
            }
            for (int size : PIECES) {
                pieces(size, part, parts);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Flips bits of sealed segments while the store is open, one after the other, and reads the
     * batch with the one before and the one after it. Most of these batches were read before, so
     * the store is one that verifies every read.
     */
    private void flipUnderReaders(int part, int parts, int stride) throws IOException {
        SimulatedFileMedium copy = log.medium.kill();
        try (LogStore store = log.media.builder(copy, log.clock, 0).verifyEveryRead().open()) {
            Partition partition = store.openTopic(ReferenceLog.TOPIC).partition(0);
            for (int i = part; i < log.batches.size(); i += parts) {
                Stored batch = log.batches.get(i);
                for (int bit = 0; log.isSealed(batch) && bit < 8 * batch.length(); bit += stride) {
                    int position = batch.position() + bit / 8;
                    int mask = 1 << bit % 8;
                    reporter.tries(Fault.BIT_UNDER_READERS);
                    copy.rot(batch.file(), position, mask);
                    try {
                        check.readAround(partition, batch);
                        reporter.matrix().addDistinct(1);
                    } catch (RuntimeException | AssertionError e) {
                        String what = batch.file() + " byte " + position + " mask " + mask;
                        fail(Fault.BIT_UNDER_READERS, what, e);
                    }
                    copy.rot(batch.file(), position, mask);
                }
            }
        }
    }

    private void flip(Stored batch, int stride) {
        for (int bit = 0; bit < 8 * batch.length(); bit += stride) {
            int position = batch.position() + bit / 8;
            int mask = 1 << bit % 8;
            attempt(
                    Fault.BIT,
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

    /** Flips bits outside batches: in marks, seals, superblocks, indexes, and the store's files. */
    private void flipOthers(Path file, int part, int stride) throws IOException {
        BitSet others = log.others(file);
        int number = 0;
        for (int at = others.nextSetBit(0); at >= 0; at = others.nextSetBit(at + 1)) {
            int position = at;
            for (int bit = 0; bit < 8; bit++) {
                int mask = 1 << bit;
                if (number++ % stride == part) {
                    attempt(
                            Fault.BIT,
                            file + " byte " + position + " mask " + mask,
                            copy -> flipped(copy, file, position, mask),
                            null);
                }
            }
        }
    }

    private void pieces(int size, int part, int parts) throws IOException {
        Set<String> seen = new TreeSet<>();
        for (Stored batch : log.batches) {
            int first = batch.position() / size * size;
            int last = (batch.position() + batch.length() - 1) / size * size;
            for (int at = first; at <= last; at += size) {
                boolean isNew = seen.add(batch.file() + " " + at);
                if (isNew && (at / size + seen.size()) % parts == part) {
                    piece(batch.file(), at, size);
                }
            }
        }
    }

    private void piece(Path file, int at, int size) throws IOException {
        List<Stored> hit =
                log.batches.stream()
                        .filter(each -> each.file().equals(file))
                        .filter(each -> each.position() < at + size)
                        .filter(each -> each.position() + each.length() > at)
                        .toList();
        int end = hit.get(hit.size() - 1).position() + hit.get(hit.size() - 1).length();
        int length = Math.min(size, end - at); // the bytes after it belong to no batch
        String where = " of " + length + " bytes at " + at + " of " + file;
        attempt(Fault.ZEROED, "zeros" + where, c -> put(c, file, at, new byte[length]), hit);
        byte[] before = pieceOf(log.half, file, at, length);
        attempt(Fault.STALE, "stale piece" + where, c -> put(c, file, at, before), hit);
        Stored other = log.batches.get((log.batches.indexOf(hit.get(0)) + 97) % log.batches.size());
        byte[] elsewhere = pieceOf(log.medium, other.file(), other.position(), length);
        attempt(Fault.MISPLACED, "other piece" + where, c -> put(c, file, at, elsewhere), hit);
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
     * Damages a copy of the log and checks it.
     *
     * @param hit the batches that may be missing; null when none may, but opening may be refused
     */
    private void attempt(Fault fault, String what, Damage damage, List<Stored> hit) {
        SimulatedFileMedium copy = log.medium.kill();
        try {
            if (!damage.apply(copy)) {
                return;
            }
            reporter.tries(fault);
            check.open(copy, hit);
            reporter.matrix().addDistinct(1);
        } catch (IOException | RuntimeException | AssertionError e) {
            fail(fault, what, e);
        }
    }

    private void fail(Fault fault, String what, Throwable why) {
        if (reported++ < MOST_REPORTED) {
            reporter.violated(
                    fault,
                    "bin/check crashlab --damage --media "
                            + log.media
                            + ", "
                            + log.form
                            + ": "
                            + what,
                    why);
        } else {
            reporter.matrix().violated(fault);
        }
    }
}
