package io.firn.sim;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;

/**
 * A file's bytes: as everybody sees them, and as they are on the medium. Pages are written to the
 * medium one by one, and a page may tear between two sectors.
 *
 * <p><b>Failed forces.</b> When a force fails, the system takes the pages for clean and later
 * forces leave them alone, unless something is stored in them again. A store through a mapping
 * cannot be seen here, only what it changes. Within one life that is enough. A process that starts
 * anew may have to store the very bytes that are there, so for it such pages can be
 * <em>disguised</em>: in a mapping their bytes are shown inverted, while reading gives the right
 * ones. A byte that is not inverted any more was stored, and makes its page dirty.
 */
final class SimulatedFile extends SimulatedBytes {
    static final int PAGE = 4096;
    static final int SECTOR = 512;

    private ByteBuffer bytes = ByteBuffer.allocate(0);
    private int size;
    private boolean mapped;
    private long modifiedMs;
    private byte[] durable = new byte[0];
    private int durableSize;

    /** Whether a copy has the array, too, so that it must be replaced before it is changed. */
    private boolean bytesShared;

    private boolean durableShared;

    /** Another one whenever something becomes durable. */
    private long durableVersion;

    /** Pages with space of their own, not holes. */
    private final BitSet allocated = new BitSet();

    private final BitSet durablyAllocated = new BitSet();

    /** Pages whose write to the medium failed, with the bytes that they had. */
    private final Map<Integer, byte[]> lost = new TreeMap<>();

    private final BitSet disguised = new BitSet();
    private PageHistory history = new PageHistory();

    SimulatedFile(long modifiedMs) {
        this.modifiedMs = modifiedMs;
    }

    @Override
    int size() {
        return size;
    }

    int pages() {
        return (size + PAGE - 1) / PAGE;
    }

    @Override
    long modifiedMs() {
        return modifiedMs;
    }

    @Override
    int read(long position, byte[] target, int offset, int length) {
        int count = (int) Math.max(0, Math.min(length, size - position));
        if (disguised.isEmpty() && count > 0) {
            bytes.get((int) position, target, offset, count);
            return count;
        }
        for (int i = 0; i < count; i++) {
            target[offset + i] = byteAt((int) position + i);
        }
        return count;
    }

    private byte byteAt(int position) {
        byte b = bytes.get(position);
        int page = position / PAGE;
        return isDisguise(page, position % PAGE) ? (byte) ~b : b;
    }

    private boolean isDisguise(int page, int inPage) {
        return disguised.get(page)
                && bytes.get(page * PAGE + inPage) == (byte) ~lost.get(page)[inPage];
    }

    @Override
    void write(long position, byte[] source, int offset, int length, long now) {
        int end = Math.toIntExact(position + length);
        resize(Math.max(size, end));
        own();
        for (int page = (int) position / PAGE; page * PAGE < end; page++) {
            undisguise(page);
            changed(page, pageOf(bytes, size, page));
            lost.remove(page);
            allocated.set(page);
        }
        bytes.put((int) position, source, offset, length);
        modifiedMs = now;
    }

    @Override
    void setSize(int newSize, long now) {
        if (newSize < size) {
            own();
            for (int page = newSize / PAGE; page < pages(); page++) {
                undisguise(page);
            }
            bytes.put(newSize, new byte[bytes.capacity() - newSize]);
            allocated.clear((newSize + PAGE - 1) / PAGE, Integer.MAX_VALUE);
            history.forgetFrom(newSize / PAGE);
            lost.keySet().removeIf(page -> page * PAGE >= newSize);
        }
        resize(newSize);
        modifiedMs = now;
    }

    private void resize(int newSize) {
        if (newSize > bytes.capacity()) {
            if (mapped) {
                throw new IllegalStateException("the simulation cannot let a mapped file grow");
            }
            ByteBuffer larger = ByteBuffer.allocate(Math.max(newSize, bytes.capacity() * 2));
            larger.put(0, bytes, 0, size);
            bytes = larger;
            bytesShared = false;
        }
        size = newSize;
    }

    /** Before the bytes are changed. */
    private void own() {
        if (bytesShared) {
            bytes = ByteBuffer.allocate(bytes.capacity()).put(0, bytes, 0, bytes.capacity());
            bytesShared = false;
        }
    }

    /** Before the medium is changed. */
    private void ownDurable() {
        if (durableShared) {
            durable = durable.clone();
            durableShared = false;
        }
    }

    @Override
    ByteBuffer map(long position, int length, boolean writable) {
        if (position != 0) {
            throw new UnsupportedOperationException("maps from a file's start only");
        }
        if (!mapped) {
            ByteBuffer direct = ByteBuffer.allocateDirect(Math.max(bytes.capacity(), 1));
            direct.put(0, bytes, 0, size);
            bytes = direct;
            bytesShared = false;
            mapped = true;
        }
        ByteBuffer mapping = bytes.slice(0, length);
        return writable ? mapping : mapping.asReadOnlyBuffer();
    }

    /** A page held this, and changes. */
    private void changed(int page, byte[] before) {
        checkSpace(page);
        if (!disguised.get(page) && !Arrays.equals(before, durablePage(page))) {
            history.add(page, before);
        }
    }

    /**
     * A store through a mapping into a page that was never written would end the process, or be
     * lost, if the medium were full.
     */
    private void checkSpace(int page) {
        if (!allocated.get(page) && page < pages() && !isZero(page)) {
            throw new AssertionError(
                    "a store through a mapping into page " + page + ", which has no space");
        }
    }

    private boolean isZero(int page) {
        return Arrays.equals(pageOf(bytes, size, page), new byte[PAGE]);
    }

    /** Its mapping is written to from now on. */
    void watch() {
        history.watch(bytes, size);
    }

    /** Its mapping is written to no more. */
    void unwatch() {
        look();
        history.unwatch();
    }

    /** Sees what was stored into its mapping since the last look. */
    void look() {
        history.look(bytes, size, this::changed);
    }

    @Override
    long usedBytes() {
        return (long) allocated.cardinality() * PAGE;
    }

    @Override
    int fitting(long position, int length, long room) {
        long left = room;
        int end = (int) position + length;
        for (int at = (int) position; at < end; ) {
            int next = Math.min(end, (at / PAGE + 1) * PAGE);
            if (!allocated.get(at / PAGE) && left < PAGE) {
                // A page in a hole gets its space as a whole, or not at all; at the file's end
                // some of it may be written.
                long part = next <= size ? 0 : Math.min(next - at, left);
                return (int) (at - position + part);
            }
            left -= allocated.get(at / PAGE) ? 0 : PAGE;
            at = next;
        }
        return length;
    }

    /** The first page without space of its own, or −1. */
    @Override
    int firstHole() {
        int page = allocated.nextClearBit(0);
        return page < pages() ? page : -1;
    }

    /** Writes what is dirty in a range of bytes to the medium. */
    @Override
    void force(int from, int to) {
        for (int page = from / PAGE; page * PAGE < Math.min(to, size); page++) {
            if (isDirtyAgain(page)) {
                undisguise(page);
                lost.remove(page);
            }
            checkSpace(page);
            if (!lost.containsKey(page)) {
                byte[] now = pageOf(bytes, size, page);
                store(page, now);
                history.forget(page, now);
            }
        }
    }

    @Override
    void forceSize() {
        if (durableSize != size) {
            durableVersion = Fingerprints.mix(durableVersion, size);
        }
        durableSize = size;
        if (durable.length < size) {
            durable = Arrays.copyOf(durable, size);
            durableShared = false;
        } else if (durable.length > size) {
            ownDurable();
            Arrays.fill(durable, size, durable.length, (byte) 0);
        }
        durablyAllocated.clear(pages(), Integer.MAX_VALUE);
    }

    /** The medium refuses: what is dirty in the range is taken for clean, and is not written. */
    @Override
    void failForce(int from, int to) {
        for (int page = from / PAGE; page * PAGE < Math.min(to, size); page++) {
            byte[] now = pageOf(bytes, size, page);
            if (!Arrays.equals(now, durablePage(page))) {
                lost.putIfAbsent(page, now);
            }
        }
    }

    /** Shows the lost pages inverted to whoever maps the file from now on. */
    void disguiseLostPages() {
        for (int page : lost.keySet()) {
            own();
            disguised.set(page);
            invert(page);
        }
    }

    private void undisguise(int page) {
        if (disguised.get(page)) {
            own();
            for (int i = 0; i < Math.min(PAGE, size - page * PAGE); i++) {
                if (isDisguise(page, i)) {
                    bytes.put(page * PAGE + i, lost.get(page)[i]);
                }
            }
            disguised.clear(page);
        }
    }

    private void invert(int page) {
        for (int i = page * PAGE; i < Math.min(size, (page + 1) * PAGE); i++) {
            bytes.put(i, (byte) ~bytes.get(i));
        }
    }

    private boolean isDirtyAgain(int page) {
        byte[] then = lost.get(page);
        if (then == null) {
            return false;
        }
        for (int i = 0; i < Math.min(PAGE, size - page * PAGE); i++) {
            byte unchanged = disguised.get(page) ? (byte) ~then[i] : then[i];
            if (bytes.get(page * PAGE + i) != unchanged) {
                return true;
            }
        }
        return false;
    }

    /** Changes a byte, here and on the medium: rot. */
    @Override
    void rot(int position, int mask) {
        own();
        ownDurable();
        bytes.put(position, (byte) (bytes.get(position) ^ mask));
        history.rot(position, mask);
        if (position < durable.length) {
            durable[position] ^= (byte) mask;
        }
    }

    @Override
    void crash(Survival survival) {
        look();
        for (int page = 0; page < pages(); page++) {
            undisguise(page);
            if (!isDurable(page)
                    || history.of(page).length > 0
                    || allocated.get(page) != durablyAllocated.get(page)) {
                decide(page, pageOf(bytes, size, page), survival);
            }
        }
        if (size != durableSize && survival.size()) {
            durableVersion = Fingerprints.mix(durableVersion, size);
            durableSize = size;
        }
        size = durableSize;
        if (durable.length != size) {
            durable = Arrays.copyOf(durable, size);
        }
        durablyAllocated.clear(pages(), Integer.MAX_VALUE);
        bytes = ByteBuffer.wrap(durable);
        bytesShared = true;
        durableShared = true;
        mapped = false;
        allocated.clear();
        allocated.or(durablyAllocated);
        lost.clear();
        disguised.clear();
        history = new PageHistory();
    }

    private void decide(int page, byte[] now, Survival survival) {
        byte[][] before = history.of(page);
        if (before.length > 0) {
            decide(page, before, now, survival);
            return;
        }
        switch (survival.page()) {
            case OLD -> {}
            case NEW -> store(page, now);
            case TORN -> {
                byte[] torn = durablePage(page);
                int length = survival.pieceBytes();
                for (int piece = 0; piece < PAGE; piece += length) {
                    if (survival.piece()) {
                        System.arraycopy(now, piece, torn, piece, length);
                    }
                }
                store(page, torn);
            }
        }
    }

    /** Any of the contents that the page had, or two of them with a tear between. */
    private void decide(int page, byte[][] before, byte[] now, Survival survival) {
        int fate = survival.line(before.length + 1);
        if (fate == 0) {
            return;
        }
        int version = Math.abs(fate);
        byte[] content = version > before.length ? now : before[version - 1];
        if (fate < 0) {
            byte[] torn = version == 1 ? durablePage(page) : before[version - 2].clone();
            int length = survival.pieceBytes();
            for (int piece = 0; piece < PAGE; piece += length) {
                if (survival.piece()) {
                    System.arraycopy(content, piece, torn, piece, length);
                }
            }
            content = torn;
        }
        store(page, content);
    }

    private void store(int page, byte[] content) {
        int end = (page + 1) * PAGE;
        boolean isThere =
                end <= durable.length
                        ? Arrays.equals(content, 0, PAGE, durable, page * PAGE, end)
                        : Arrays.equals(content, durablePage(page));
        if (!isThere) {
            durableVersion += Fingerprints.mix(page, Fingerprints.of(content));
        }
        if (durable.length < end) {
            // All of it at once: page by page would copy a large file a thousand times.
            durable = Arrays.copyOf(durable, Math.max(end, size));
            durableShared = false;
        }
        if (!isThere) {
            ownDurable();
            System.arraycopy(content, 0, durable, page * PAGE, PAGE);
        }
        if (allocated.get(page)) {
            durablyAllocated.set(page);
        }
    }

    /** Whether a page is on the medium as everybody sees it. */
    private boolean isDurable(int page) {
        int start = page * PAGE;
        int end = start + PAGE;
        return end <= Math.min(size, durable.length)
                ? bytes.slice(start, PAGE).equals(ByteBuffer.wrap(durable, start, PAGE))
                : Arrays.equals(pageOf(bytes, size, page), durablePage(page));
    }

    private byte[] durablePage(int page) {
        return pageOf(ByteBuffer.wrap(durable), durable.length, page);
    }

    private static byte[] pageOf(ByteBuffer from, int limit, int page) {
        byte[] content = new byte[PAGE];
        int length = Math.min(PAGE, limit - page * PAGE);
        if (length > 0) {
            from.get(page * PAGE, content, 0, length);
        }
        return content;
    }

    @Override
    long fingerprint() {
        return durableVersion;
    }

    @Override
    SimulatedNode makeCopy(Map<SimulatedNode, SimulatedNode> copies) {
        look();
        SimulatedFile copy = new SimulatedFile(modifiedMs);
        copies.put(this, copy);
        copy.take(taken());
        bytesShared = !mapped; // what is mapped changes unseen
        copy.bytes = bytes;
        copy.bytesShared = true;
        if (mapped) {
            copy.own();
        }
        copy.size = size;
        durableShared = true;
        copy.durable = durable;
        copy.durableShared = true;
        copy.durableSize = durableSize;
        copy.durableVersion = durableVersion;
        copy.allocated.or(allocated);
        copy.durablyAllocated.or(durablyAllocated);
        lost.forEach((page, content) -> copy.lost.put(page, content.clone()));
        copy.disguised.or(disguised);
        copy.history = history.copy();
        return copy;
    }
}
