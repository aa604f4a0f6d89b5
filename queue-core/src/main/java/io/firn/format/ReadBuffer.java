package io.firn.format;

import io.firn.Compression;
import io.firn.format.Codecs.BatchInput;
import io.firn.format.Codecs.StreamMemory;
import io.firn.format.ReadMemory.Grant;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A reader's buffer for one decompressed batch, part of a {@link ReadMemory}. The reader holds it
 * while it reads; at other times its memory may be taken away.
 *
 * <pre>
 *           hold                    takeBytes, by a thread that needs memory
 *   HELD ◀────────▶ FREE ◀────────▶ TAKEN
 *          letGo
 * </pre>
 *
 * <p>In the steady state, with batches that fit, holding it and filling it takes no lock and
 * allocates nothing but what the codec does. For one thread, except {@link #close}.
 */
public final class ReadBuffer {
    private static final byte[] NOTHING = new byte[0];
    private static final ByteBuffer EMPTY = ByteBuffer.wrap(NOTHING);
    private static final int FREE = 0;
    private static final int HELD = 1;
    private static final int TAKEN = 2;
    private static final int LEAST = 1024;
    private static final int EXPECTED_RATIO = 4;
    private static final int PIECE = 8192;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(ReadBuffer.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ReadMemory memory;
    private final Runnable onTaken;

    /** Written by the thread that has the state HELD or TAKEN, as all other fields are. */
    private ByteBuffer buffer = EMPTY;

    /** What the buffer is wrapped around. */
    private byte[] array = NOTHING;

    private int length;
    private long lastUse;
    private Thread holder;
    private volatile int state;
    private volatile boolean closed;

    /**
     * Creates it without memory.
     *
     * @param onTaken lets nothing else refer to its memory, which is given back or taken away; by
     *     any thread, and as if that thread held the buffer. Must not throw
     */
    public ReadBuffer(ReadMemory memory, Runnable onTaken) {
        this.memory = memory;
        this.onTaken = onTaken;
    }

    // ---- by its reader

    /** Begins to read. */
    public void hold() {
        while (!STATE.compareAndSet(this, FREE, HELD)) {
            Thread.onSpinWait(); // it is being taken away, which does not take long
        }
        holder = Thread.currentThread();
    }

    /** Ends to read: what it contains may be taken away from now on. */
    public void letGo() {
        lastUse = memory.nextUse();
        holder = null;
        state = FREE; // before the look whether a thread waits
        if (closed) {
            memory.drop(this);
        } else {
            memory.onLetGo();
        }
    }

    /** Returns the decompressed bytes, from 0 to the length; no memory if they were taken away. */
    public ByteBuffer bytes() {
        return buffer;
    }

    /** Returns how many bytes the batch has; −1 when there are none, or not any more. */
    public int length() {
        return length;
    }

    /** Returns whether it has more memory than is kept from one batch to the next. */
    public boolean isLarge() {
        return array.length > memory.kept();
    }

    /** Gives its memory back. */
    public void clear() {
        int bytes = array.length;
        array = NOTHING;
        buffer = EMPTY;
        length = -1;
        onTaken.run();
        if (bytes > 0) {
            memory.note(this, false);
            memory.give(bytes);
        }
    }

    /** Gives its memory back, at once or when its reader lets go of it. For any thread. */
    public void close() {
        closed = true;
        memory.drop(this);
    }

    /**
     * Replaces its content with the decompressed bytes.
     *
     * @return {@link Grant#GRANTED}, or why it is empty
     * @throws IOException when the bytes are not what the codec wrote
     * @throws io.firn.MissingCodecException when the codec's library is not there, or does not load
     */
    public Grant fill(Compression codec, ByteBuffer source, int from, int size) throws IOException {
        Codecs.require(codec);
        length = -1;
        try {
            return codec == Compression.SNAPPY
                    ? fillSnappy(source, from, size)
                    : fillFromStream(codec, source, from, size);
        } catch (IOException | RuntimeException e) { // lz4-java throws bare ones
            throw new IOException(codec + " stream is damaged: " + e, e);
        }
    }

    /** Snappy says before how large everything is, and needs no stream. */
    private Grant fillSnappy(ByteBuffer source, int from, int size) throws IOException {
        long announced = SnappyBlocks.announced(source, from, size);
        if (announced > memory.largest()) {
            return Grant.TOO_LARGE;
        }
        int bytes = (int) announced;
        boolean isReady = size <= ReadMemory.UNCOUNTED && (hasRoom(bytes) || grow(bytes));
        long beside = isReady ? 0 : beside(bytes, counted(size)); // a block is copied
        if (!isReady) {
            Grant grant = replace(bytes, beside);
            if (grant != Grant.GRANTED) {
                return grant;
            }
        }
        try {
            length = SnappyBlocks.decompress(source, from, size, array);
        } finally {
            giveBeside(beside);
        }
        return Grant.GRANTED;
    }

    private Grant fillFromStream(Compression codec, ByteBuffer source, int from, int size)
            throws IOException {
        long beside = counted(StreamMemory.atOnce(codec, source, from, size));
        if (beside == 0 && fillStepByStep(codec, source, from, size)) {
            return Grant.GRANTED;
        }
        // A large one: first count, then take exactly as much; nothing is held while it waits.
        clear();
        boolean isZstd = codec == Compression.ZSTD;
        if (isZstd) {
            long window = StreamMemory.zstdWindow(source, from, size);
            beside = counted(Math.min(window, memory.largest()));
        }
        Grant grant = beside == 0 ? Grant.GRANTED : memory.take(beside, this);
        if (grant != Grant.GRANTED) {
            return grant;
        }
        int total;
        try {
            total = count(codec, source, from, size);
        } finally {
            giveBeside(beside);
        }
        if (total > memory.largest()) {
            return Grant.TOO_LARGE;
        }
        beside = beside(total, isZstd ? Math.min(beside, total) : beside);
        grant = replace(total, beside);
        if (grant != Grant.GRANTED) {
            return grant;
        }
        try {
            fillExactly(codec, source, from, size, total);
        } finally {
            giveBeside(beside);
        }
        return Grant.GRANTED;
    }

    /** Decompresses a batch of usual size; false when it is larger, or memory is short. */
    private boolean fillStepByStep(Compression codec, ByteBuffer source, int from, int size)
            throws IOException {
        long expected = Math.min((long) EXPECTED_RATIO * size, memory.kept());
        if (array.length == 0 && !grow((int) Math.max(LEAST, expected))) {
            return false;
        }
        try (InputStream in = Codecs.input(codec, new BatchInput(source, from, size))) {
            int at = 0;
            while (true) {
                if (at == array.length && !growTwice(at)) {
                    return false;
                }
                int n = in.read(array, at, array.length - at);
                if (n < 0) {
                    length = at;
                    return true;
                }
                at += n;
            }
        }
    }

    /** Returns how many bytes there are, or a larger number than one batch may have. */
    private int count(Compression codec, ByteBuffer source, int from, int size) throws IOException {
        byte[] piece = new byte[PIECE];
        int total = 0;
        try (InputStream in = Codecs.input(codec, new BatchInput(source, from, size))) {
            while (total <= memory.largest()) {
                int n = in.read(piece, 0, PIECE);
                if (n < 0) {
                    break;
                }
                total += n;
            }
        }
        return total;
    }

    private void fillExactly(Compression codec, ByteBuffer source, int from, int size, int total)
            throws IOException {
        try (InputStream in = Codecs.input(codec, new BatchInput(source, from, size))) {
            int n = in.readNBytes(array, 0, total);
            if (n != total || in.read() >= 0) {
                throw new IOException("it does not have " + total + " bytes any more");
            }
        }
        length = total;
    }

    // ---- its memory

    private static long counted(long bytes) {
        return bytes <= ReadMemory.UNCOUNTED ? 0 : bytes;
    }

    /** As much beside a batch as the limit allows: what a codec needs may be twice the batch. */
    private long beside(int total, long bytes) {
        return Math.min(bytes, memory.limit() - total);
    }

    private void giveBeside(long bytes) {
        if (bytes > 0) {
            memory.give(bytes);
        }
    }

    private boolean hasRoom(int bytes) {
        return array.length >= bytes && !isLarge();
    }

    private boolean growTwice(int bytes) {
        return bytes < memory.kept() && grow((int) Math.min(2L * bytes, memory.kept()));
    }

    /** Grows to a usual size, keeping what it has; false when it is more, or not there at once. */
    private boolean grow(int bytes) {
        if (bytes > memory.kept() || !memory.tryTake(bytes)) {
            return false;
        }
        int before = array.length;
        become(bytes, array);
        if (before > 0) {
            memory.give(before);
        }
        return true;
    }

    /** Replaces its memory, and takes some more for the codec, which the caller gives back. */
    private Grant replace(int bytes, long beside) {
        clear();
        Grant grant = memory.take(bytes + beside, this);
        if (grant == Grant.GRANTED) {
            try {
                become(bytes, NOTHING);
            } catch (OutOfMemoryError e) {
                giveBeside(beside);
                throw e;
            }
        }
        return grant;
    }

    private void become(int bytes, byte[] content) {
        byte[] grown;
        try {
            grown = Arrays.copyOf(content, bytes);
        } catch (OutOfMemoryError e) {
            memory.give(bytes);
            throw e;
        }
        array = grown;
        buffer = ByteBuffer.wrap(grown);
        memory.note(this, bytes > 0);
    }

    // ---- by threads that need memory

    boolean isHeld() {
        return state == HELD;
    }

    /** Whether the caller holds it: only then it has written the holder itself. */
    @SuppressWarnings("ReferenceEquality") // a thread
    boolean isHeldBy(Thread caller) {
        return holder == caller && state == HELD;
    }

    /** When it was read last; not exact. */
    long lastUse() {
        return lastUse;
    }

    /** Takes its memory away, unless it is held; returns how many bytes it had, then −1. */
    int takeBytes() {
        if (!STATE.compareAndSet(this, FREE, TAKEN)) {
            return -1;
        }
        int bytes = array.length;
        array = NOTHING;
        buffer = EMPTY;
        length = -1;
        try {
            onTaken.run();
        } finally {
            state = FREE;
        }
        return bytes;
    }
}
