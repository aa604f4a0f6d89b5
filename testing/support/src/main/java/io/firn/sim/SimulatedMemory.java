package io.firn.sim;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * A file in persistent memory. A store is seen by everybody at once, and is durable when its cache
 * line was flushed and a fence followed. Before, each line is durable up to any of its stores, in
 * their order, whatever becomes of the other lines.
 *
 * <p>Stores through a buffer cannot be seen one by one. They are looked for before each operation
 * of the medium; what a line held then is one of its <em>versions</em>. Stores between two looks
 * make one version; a {@link Survival} may tear it, word by word, in any order: more than a
 * processor does, which keeps the order of stores into a line.
 *
 * <p>With eADR the caches are in the persistence domain: what is stored is durable.
 *
 * <p>Bytes are kept in chunks, shared between copies until somebody stores into them. What is
 * mapped must not cross the bounds of a chunk.
 */
public final class SimulatedMemory extends SimulatedBytes {
    /** Bytes that can be mapped in one piece, from a multiple of this. */
    public static final int CHUNK = 64 * 1024;

    static final int LINE = 64;
    private static final int WORD = 8;
    private static final byte[] ZEROS = new byte[CHUNK];
    private static final byte[][] NONE = {};

    private final boolean eadr;
    private Chunk[] chunks = {};
    private int size;
    private int durableSize;
    private long modifiedMs;

    /** Another one whenever something becomes durable. */
    private long durableVersion;

    /** A piece of the file. */
    private static final class Chunk {
        /** As it is on the medium; never written to while it is shared. */
        byte[] durable;

        boolean shared;

        /** As everybody sees it; null while nobody asked for it, and it is as on the medium. */
        byte[] live;

        /** As it was at the last look. */
        byte[] seen;

        /** By line, what it held at each look since it was last durable; arrays never change. */
        final TreeMap<Integer, byte[][]> versions;

        Chunk(byte[] durable, TreeMap<Integer, byte[][]> versions) {
            this.durable = durable;
            this.shared = true;
            this.versions = versions;
        }

        byte[] live() {
            if (live == null) {
                live = durable.clone();
                if (versions.isEmpty()) {
                    seen = durable;
                    shared = true;
                } else {
                    versions.forEach((line, all) -> put(last(all), line, live));
                    seen = live.clone();
                }
            }
            return live;
        }

        /** What everybody sees. */
        byte[] shown() {
            return live != null || !versions.isEmpty() ? live() : durable;
        }

        void look() {
            if (live == null) {
                return;
            }
            for (int at = Arrays.mismatch(live, seen); at >= 0; ) {
                if (seen == durable) {
                    seen = durable.clone();
                }
                int line = at / LINE;
                byte[] now = Arrays.copyOfRange(live, line * LINE, (line + 1) * LINE);
                put(now, line, seen);
                byte[][] before = versions.getOrDefault(line, NONE);
                byte[][] after = Arrays.copyOf(before, before.length + 1);
                after[before.length] = now;
                versions.put(line, after);
                int from = (line + 1) * LINE;
                int next = Arrays.mismatch(live, from, CHUNK, seen, from, CHUNK);
                at = next < 0 ? -1 : from + next;
            }
        }

        void makeDurable(int line, byte[] content) {
            if (shared) {
                if (seen == durable) {
                    seen = durable.clone();
                }
                durable = durable.clone();
                shared = false;
            }
            put(content, line, durable);
        }

        private static void put(byte[] content, int line, byte[] into) {
            System.arraycopy(content, 0, into, line * LINE, LINE);
        }

        byte[] durableLine(int line) {
            return Arrays.copyOfRange(durable, line * LINE, (line + 1) * LINE);
        }
    }

    SimulatedMemory(long modifiedMs, boolean eadr) {
        this.modifiedMs = modifiedMs;
        this.eadr = eadr;
    }

    @Override
    int size() {
        return size;
    }

    @Override
    long modifiedMs() {
        return modifiedMs;
    }

    @Override
    int read(long position, byte[] target, int offset, int length) {
        int count = (int) Math.max(0, Math.min(length, size - position));
        int at = (int) position;
        for (int done = 0; done < count; ) {
            Chunk chunk = chunks[at / CHUNK];
            byte[] from = chunk.shown();
            int n = Math.min(count - done, CHUNK - at % CHUNK);
            System.arraycopy(from, at % CHUNK, target, offset + done, n);
            done += n;
            at += n;
        }
        return count;
    }

    /** As on a file system with DAX: through the processor's caches, durable when forced. */
    @Override
    void write(long position, byte[] source, int offset, int length, long now) {
        int end = Math.toIntExact(position + length);
        resize(Math.max(size, end));
        int at = (int) position;
        for (int done = 0; done < length; ) {
            int n = Math.min(length - done, CHUNK - at % CHUNK);
            Chunk chunk = chunks[at / CHUNK];
            int from = offset + done;
            boolean zeros = Arrays.equals(source, from, from + n, ZEROS, 0, n);
            if (!zeros || chunk.shown() != ZEROS) {
                System.arraycopy(source, from, chunk.live(), at % CHUNK, n);
            }
            done += n;
            at += n;
        }
        modifiedMs = now;
    }

    @Override
    void setSize(int newSize, long now) {
        if (newSize < size && newSize % CHUNK != 0) {
            Arrays.fill(chunks[newSize / CHUNK].live(), newSize % CHUNK, CHUNK, (byte) 0);
        }
        resize(newSize);
        modifiedMs = now;
    }

    private void resize(int newSize) {
        int count = (newSize + CHUNK - 1) / CHUNK;
        int before = chunks.length;
        if (count != before) {
            chunks = Arrays.copyOf(chunks, count);
            for (int i = before; i < count; i++) {
                chunks[i] = new Chunk(ZEROS, new TreeMap<>());
            }
        }
        size = newSize;
    }

    @Override
    int firstHole() {
        return -1;
    }

    @Override
    ByteBuffer map(long position, int length, boolean writable) {
        int from = (int) position;
        if (length > 0 && from / CHUNK != (from + length - 1) / CHUNK) {
            throw new UnsupportedOperationException(
                    "maps within pieces of " + CHUNK + " bytes, not " + length + " at " + from);
        }
        if (from + length > size) {
            throw new AssertionError("[" + from + ", + " + length + ") of " + size + " bytes");
        }
        byte[] bytes = length == 0 ? new byte[0] : chunks[from / CHUNK].live();
        ByteBuffer all = ByteBuffer.wrap(bytes);
        ByteBuffer slice = length == 0 ? all : all.slice(from % CHUNK, length);
        return writable ? slice : slice.asReadOnlyBuffer();
    }

    /** Sees what was stored since the last look. */
    void look() {
        for (Chunk chunk : chunks) {
            chunk.look();
        }
    }

    /** Flushes the lines of a range and fences: what they hold is durable. */
    @Override
    void force(int from, int to) {
        look();
        int end = Math.min(to, size);
        for (int at = from; at < end; at += CHUNK - at % CHUNK) {
            Chunk chunk = chunks[at / CHUNK];
            if (!chunk.versions.isEmpty()) {
                int inChunk = Math.min(end - at / CHUNK * CHUNK, CHUNK);
                forceLines(chunk, at % CHUNK / LINE, (inChunk + LINE - 1) / LINE);
            }
        }
    }

    private void forceLines(Chunk chunk, int from, int to) {
        Map<Integer, byte[][]> forced = chunk.versions.subMap(from, to);
        durableVersion += forced.size();
        forced.forEach((line, versions) -> chunk.makeDurable(line, last(versions)));
        forced.clear();
    }

    private static byte[] last(byte[][] versions) {
        return versions[versions.length - 1];
    }

    @Override
    void forceSize() {
        durableSize = size;
    }

    /** The lines stay as they were: dirty, and some day durable. */
    @Override
    void failForce(int from, int to) {
        look();
    }

    @Override
    void rot(int position, int mask) {
        Chunk chunk = chunks[position / CHUNK];
        chunk.look();
        int in = position % CHUNK;
        chunk.live()[in] ^= (byte) mask;
        byte[] line = chunk.durableLine(in / LINE);
        line[in % LINE] ^= (byte) mask;
        chunk.makeDurable(in / LINE, line);
        if (chunk.seen != chunk.durable) {
            chunk.seen[in] ^= (byte) mask;
        }
    }

    @Override
    void crash(Survival survival) {
        look();
        long survived = 0;
        for (int i = 0; i < chunks.length; i++) {
            Chunk chunk = chunks[i];
            for (Map.Entry<Integer, byte[][]> each : chunk.versions.entrySet()) {
                int line = each.getKey();
                byte[][] versions = each.getValue();
                int fate = eadr ? versions.length : survival.line(versions.length);
                if (fate != 0) {
                    byte[] content = content(chunk, line, versions, fate, survival);
                    chunk.makeDurable(line, content);
                    long place = (long) i * CHUNK + line;
                    survived += Fingerprints.mix(place, Fingerprints.of(content));
                }
            }
            chunk.versions.clear();
            chunk.live = null;
            chunk.seen = null;
        }
        if (size != durableSize && survival.size()) {
            durableSize = size;
            survived += Fingerprints.mix(-1, size);
        }
        resize(durableSize);
        if (survived != 0) {
            durableVersion = Fingerprints.mix(durableVersion, survived);
        }
    }

    private static byte[] content(
            Chunk chunk, int line, byte[][] versions, int fate, Survival survival) {
        if (fate > 0) {
            return versions[fate - 1];
        }
        int version = -fate;
        byte[] torn = version == 1 ? chunk.durableLine(line) : versions[version - 2].clone();
        for (int word = 0; word < LINE; word += WORD) {
            if (survival.piece()) {
                System.arraycopy(versions[version - 1], word, torn, word, WORD);
            }
        }
        return torn;
    }

    @Override
    long fingerprint() {
        return durableVersion;
    }

    @Override
    SimulatedNode makeCopy(Map<SimulatedNode, SimulatedNode> copies) {
        look();
        SimulatedMemory copy = new SimulatedMemory(modifiedMs, eadr);
        copies.put(this, copy);
        copy.take(taken());
        copy.size = size;
        copy.durableSize = durableSize;
        copy.durableVersion = durableVersion;
        copy.chunks = new Chunk[chunks.length];
        for (int i = 0; i < chunks.length; i++) {
            Chunk chunk = chunks[i];
            chunk.shared = true;
            copy.chunks[i] = new Chunk(chunk.durable, new TreeMap<>(chunk.versions));
        }
        return copy;
    }
}
