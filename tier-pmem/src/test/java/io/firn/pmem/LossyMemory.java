package io.firn.pmem;

import io.firn.Survives;
import io.firn.medium.MediumFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.IntConsumer;

/**
 * Persistent memory that knows which cache lines were flushed. What is stored and not forced is, in
 * the {@link #image} of a power cut, there or not, line by line, as the seed decides.
 */
final class LossyMemory implements PmemMemory {
    private static final int LINE = 64;

    private final PmemMemory below;
    private final ByteBuffer live;
    private final ByteBuffer durable;
    private final IntConsumer beforeForce;
    private int forces;
    private boolean isForgetful;

    private LossyMemory(PmemMemory below, int fileBytes, IntConsumer beforeForce) {
        this.below = below;
        this.live = below.bytes(0, fileBytes);
        this.durable = ByteBuffer.allocateDirect(fileBytes).put(0, live, 0, fileBytes);
        this.beforeForce = beforeForce;
    }

    /** A provider whose memory is lossy; the last one that was mapped is the one to ask. */
    static final class Lossy implements PmemProvider {
        private final PmemProvider below;
        private final IntConsumer beforeForce;
        private LossyMemory memory;

        Lossy(PmemProvider below, IntConsumer beforeForce) {
            this.below = PersistentMemory.demand(below);
            this.beforeForce = beforeForce;
        }

        LossyMemory memory() {
            return memory;
        }

        @Override
        public Provider kind() {
            return below.kind();
        }

        @Override
        public String reason() {
            return below.reason();
        }

        @Override
        public Survives survives() {
            return Survives.POWER_LOSS;
        }

        @Override
        public PmemMemory map(MediumFile file, Path path, Superblock pool) throws IOException {
            int fileBytes = (int) pool.fileBytes();
            memory = new LossyMemory(below.map(file, path, pool), fileBytes, beforeForce);
            return memory;
        }
    }

    /** From now on forces have no effect: what a missing flush would be. */
    synchronized void forgetForces() {
        isForgetful = true;
    }

    synchronized int forces() {
        return forces;
    }

    @Override
    public ByteBuffer bytes(long position, int length) {
        return below.bytes(position, length);
    }

    @Override
    public synchronized void force(long position, int length) {
        beforeForce.accept(forces++);
        if (!isForgetful && length > 0) {
            int from = (int) position / LINE * LINE;
            int to = ((int) position + length + LINE - 1) / LINE * LINE;
            durable.put(from, live, from, to - from);
        }
    }

    @Override
    public void prefault(long position, int length) throws IOException {
        below.prefault(position, length);
    }

    @Override
    public void close() {
        below.close();
    }

    @Override
    public void abandon() {
        below.abandon();
    }

    /**
     * The first byte at or after a position that is stored and not forced; −1 when there is none.
     */
    synchronized int firstUnforced(int from) {
        int length = live.capacity() - from;
        int at = live.slice(from, length).mismatch(durable.slice(from, length));
        return at < 0 ? -1 : from + at;
    }

    /** Whether every byte that was stored into a range was forced. */
    synchronized boolean isForced(int from, int length) {
        return live.slice(from, length).equals(durable.slice(from, length));
    }

    /** What a power cut leaves. */
    synchronized Image image(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] bytes = new byte[durable.capacity()];
        durable.get(0, bytes);
        for (int at = firstUnforced(0); at >= 0; ) {
            int line = at / LINE * LINE;
            if (random.nextBoolean()) {
                live.get(line, bytes, line, LINE);
            }
            int next = line + LINE;
            at = next < bytes.length ? firstUnforced(next) : -1;
        }
        return Image.of(bytes);
    }

    /** A pool file of which most is zeros. */
    record Image(int length, Map<Integer, byte[]> pages) {

        static Image of(byte[] bytes) {
            Map<Integer, byte[]> pages = new TreeMap<>();
            byte[] zeros = new byte[PoolFormat.PAGE];
            for (int at = 0; at < bytes.length; at += PoolFormat.PAGE) {
                byte[] page = Arrays.copyOfRange(bytes, at, at + PoolFormat.PAGE);
                if (!Arrays.equals(page, zeros)) {
                    pages.put(at, page);
                }
            }
            return new Image(bytes.length, pages);
        }

        /** Makes a pool of it. */
        void writeTo(Path directory) throws IOException {
            Files.createDirectories(directory);
            Path file = directory.resolve(PoolFile.NAME);
            try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
                out.setLength(length);
                for (Map.Entry<Integer, byte[]> page : pages.entrySet()) {
                    out.seek(page.getKey());
                    out.write(page.getValue());
                }
            }
        }
    }
}
