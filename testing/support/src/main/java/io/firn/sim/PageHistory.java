package io.firn.sim;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the pages of a file held between the content that was forced last and the one that they have
 * now. A system may write a page back at any time, so that after a crash a page may hold any of
 * these, whatever has become of the other pages. Stores into a mapping cannot be seen one by one:
 * they are looked for before each operation of the medium.
 */
final class PageHistory {
    /** Of more the oldest and the newest are kept. */
    private static final int MOST = 4;

    private static final byte[][] NONE = {};

    private final Map<Integer, byte[][]> earlier = new TreeMap<>();

    /** A mapped file as it was at the last look; null when it is not mapped. */
    private byte[] seen;

    PageHistory copy() {
        PageHistory copy = new PageHistory();
        copy.earlier.putAll(earlier); // arrays never change
        return copy;
    }

    /** What a page held; oldest first, without what it holds now. */
    byte[][] of(int page) {
        return earlier.getOrDefault(page, NONE);
    }

    /** A page held this, and is about to hold something else. */
    void add(int page, byte[] content) {
        byte[][] before = of(page);
        if (before.length > 0 && Arrays.equals(before[before.length - 1], content)) {
            return;
        }
        boolean isFull = before.length == MOST;
        byte[][] after = Arrays.copyOf(before, isFull ? MOST : before.length + 1);
        after[after.length - 1] = content;
        earlier.put(page, after);
    }

    /** A page was forced as it is now. */
    void forget(int page, byte[] now) {
        earlier.remove(page);
        int start = page * SimulatedFile.PAGE;
        if (seen != null && start < seen.length) {
            System.arraycopy(now, 0, seen, start, Math.min(now.length, seen.length - start));
        }
    }

    /** The file was cut. */
    void forgetFrom(int page) {
        earlier.keySet().removeIf(each -> each >= page);
    }

    /** A file is mapped for writing: from now on it is looked at. */
    void watch(ByteBuffer bytes, int size) {
        seen = new byte[size];
        bytes.get(0, seen, 0, size);
    }

    void unwatch() {
        seen = null;
    }

    /** Whom to tell of a page that changed. */
    @FunctionalInterface
    interface Visitor {
        /** It held this at the last look. */
        void changed(int page, byte[] before);
    }

    /** Sees what was stored into a mapped file since the last look. */
    void look(ByteBuffer bytes, int size, Visitor visitor) {
        if (seen == null) {
            return;
        }
        int length = Math.min(seen.length, size);
        ByteBuffer then = ByteBuffer.wrap(seen, 0, length).slice();
        ByteBuffer now = bytes.slice(0, length);
        for (int from = 0; from < length; ) {
            int at = now.slice(from, length - from).mismatch(then.slice(from, length - from));
            if (at < 0) {
                return;
            }
            int page = (from + at) / SimulatedFile.PAGE;
            int start = page * SimulatedFile.PAGE;
            int end = Math.min(start + SimulatedFile.PAGE, length);
            visitor.changed(page, Arrays.copyOfRange(seen, start, start + SimulatedFile.PAGE));
            now.get(start, seen, start, end - start);
            from = end;
        }
    }

    /** A byte rots: it was never anything else. */
    void rot(int position, int mask) {
        earlier.remove(position / SimulatedFile.PAGE);
        if (seen != null && position < seen.length) {
            seen[position] ^= (byte) mask;
        }
    }
}
