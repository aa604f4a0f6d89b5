package io.firn.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.firn.sim.SimulatedFileMedium;
import io.firn.spi.Block;
import io.firn.spi.Block.Sidecar;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import io.firn.spi.StorageTier.TierContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/** The life of one segment in a tier on a simulated medium, step by step. */
final class Life implements AutoCloseable {
    static final UUID STORE = new UUID(1, 2);
    static final UUID TOPIC = new UUID(3, 4);
    static final int PARTITION = 0;
    static final long BASE = 1000;
    static final int ROOM = 20_000;
    static final int LENGTH = 9_000;
    static final byte[] INDEX = {1, 2, 3};
    static final byte[] TIME_INDEX = {4, 5, 6, 7};
    static final Path ROOT = Path.of("/data/tier");
    static final Path DIRECTORY = ROOT.resolve(FileNames.topic(TOPIC)).resolve("0");

    /** What has been done to the segment, and may therefore be found. */
    enum Step {
        OPEN,
        RESERVE,
        BEGIN,
        STORE,
        MARK,
        REWRITE,
        SEAL,
        FINISH,
        DELETE
    }

    private static final byte[] BYTES = bytes();

    final SimulatedFileMedium medium;
    final FileTier tier;
    private Block segment;

    private Life(SimulatedFileMedium medium) {
        this.medium = medium;
        this.tier = FileTier.at(ROOT).withMedium(medium);
    }

    private static byte[] bytes() {
        byte[] bytes = new byte[LENGTH];
        for (int i = 0; i < LENGTH; i++) {
            bytes[i] = (byte) (i * 31 + i / 256 + 1);
        }
        return bytes;
    }

    /** A life that has not begun. */
    static Life on(SimulatedFileMedium medium) {
        return new Life(medium);
    }

    /** A life as far as a step. */
    static Life after(Step step) throws IOException {
        Life life = on(new SimulatedFileMedium());
        life.liveFrom(Step.OPEN, step);
        return life;
    }

    /** Another process's look at what is left. */
    static Life reopened(SimulatedFileMedium medium) throws IOException {
        Life life = on(medium);
        life.take(Step.OPEN);
        return life;
    }

    Block segment() {
        return segment;
    }

    void liveFrom(Step first, Step last) throws IOException {
        for (Step step : Step.values()) {
            if (step.compareTo(first) >= 0 && step.compareTo(last) <= 0) {
                take(step);
            }
        }
    }

    void take(Step step) throws IOException {
        switch (step) {
            case OPEN -> open();
            case RESERVE -> segment = tier.reserve(TOPIC, PARTITION, ROOM, 42);
            case BEGIN -> segment.writeMark(segment.mark().active(42, BASE, 0, BASE));
            case STORE -> {
                segment.write(0, ByteBuffer.wrap(BYTES));
                segment.force(0, LENGTH);
            }
            case MARK -> segment.writeMark(segment.mark().active(42, BASE, 5000, BASE + 5));
            case REWRITE -> segment.rewriteMark(segment.mark().active(43, BASE, LENGTH, BASE + 9));
            case SEAL -> segment.seal(segment.mark().sealed(43, BASE, LENGTH, BASE + 9, 77));
            case FINISH -> segment.finishSeal(INDEX, TIME_INDEX);
            case DELETE -> segment.delete();
        }
    }

    private void open() throws IOException {
        tier.open(new TierContext(STORE, true, false));
        List<Block> found = tier.list();
        assertEquals(List.of(), tier.strangers());
        assertEquals(found.isEmpty() ? 0 : 1, found.size(), () -> "segments in " + medium);
        segment = found.isEmpty() ? null : found.get(0);
        assertEquals(segment == null, tier.usedBytes() == 0);
    }

    /**
     * The step that the segment is at, after a look whether everything is there that it promises.
     */
    Step step() throws IOException {
        for (String name : medium.list(DIRECTORY)) {
            assertFalse(name.endsWith(".tmp") || name.endsWith(".deleted"), name);
        }
        if (segment == null) {
            return Step.OPEN;
        }
        Mark mark = segment.mark();
        assertNotNull(mark, () -> "no mark in " + medium);
        assertBytes(mark.position());
        if (mark.state() == SegmentState.SEALED) {
            assertEquals(LENGTH, segment.capacity());
            assertEquals(43, mark.epoch());
            assertEquals(BASE + 9, mark.offset());
            assertEquals(77, mark.sealTimeMs());
            return segment.name().endsWith(FileNames.log(BASE)) ? finished() : Step.SEAL;
        }
        segment.write(LENGTH, ByteBuffer.wrap(new byte[8]));
        segment.force(LENGTH, ROOM);
        return switch (mark.position()) {
            case 0 -> mark.state() == SegmentState.RESERVED ? Step.RESERVE : Step.BEGIN;
            case 5000 -> Step.MARK;
            default -> Step.REWRITE;
        };
    }

    private Step finished() throws IOException {
        assertSidecar(INDEX, Sidecar.INDEX);
        assertSidecar(TIME_INDEX, Sidecar.TIMEINDEX);
        if (!segment.isFinished()) {
            segment.finishSeal(INDEX, TIME_INDEX); // it was not cut, as core does after an open
        }
        assertEquals(LENGTH, tier.usedBytes());
        return Step.FINISH;
    }

    /** Core makes a missing one again: it is not forced. But it is right, or it is not there. */
    private void assertSidecar(byte[] expected, Sidecar kind) throws IOException {
        byte[] found = segment.readSidecar(kind);
        if (found != null) {
            assertArrayEquals(expected, found, () -> kind + " in " + medium);
        }
    }

    /** What core does with a segment that it goes on writing to, so that no more can be lost. */
    void recover() throws IOException {
        if (segment != null && segment.mark().state() != SegmentState.SEALED) {
            int position = segment.mark().position();
            segment.write(0, ByteBuffer.wrap(BYTES, 0, position));
            segment.force(0, position);
            segment.rewriteMark(segment.mark());
        }
    }

    /** Lives on to the end, from whatever was found. */
    void liveOn(Step found) throws IOException {
        // A stored byte is not seen from outside, so it is stored again.
        Step next = found == Step.BEGIN ? Step.STORE : Step.values()[found.ordinal() + 1];
        if (found == Step.MARK) {
            take(Step.STORE);
        }
        liveFrom(next, Step.DELETE);
        assertEquals(List.of(), medium.list(DIRECTORY));
        assertEquals(0, tier.usedBytes());
    }

    private void assertBytes(int length) throws IOException {
        byte[] found = new byte[length];
        assertEquals(length, segment.read(0, found, 0, length));
        assertArrayEquals(Arrays.copyOf(BYTES, length), found, "bytes read");
        segment.view().buffer().get(0, found);
        assertArrayEquals(Arrays.copyOf(BYTES, length), found, "bytes viewed");
    }

    @Override
    public void close() throws IOException {
        tier.close();
        assertEquals(0, medium.inUse(), "open files, mappings and locks");
    }
}
