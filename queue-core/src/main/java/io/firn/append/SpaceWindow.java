package io.firn.append;

/**
 * How far ahead of a partition's writer space is prepared, for the thread that has the turn. It
 * doubles while space is asked for again soon, so that it covers the bursts that a partition has;
 * and halves when that has taken long. A partition never prepares more by itself than it has
 * appended, or than its share.
 */
final class SpaceWindow {
    static final int SMALLEST = 64 * 1024;

    /** When space is asked for again so soon, it lasts for less than a second. */
    private static final int SOON_MS = 100;

    private static final int LONG_MS = 10_000;

    private int fixed;
    private int grown = SMALLEST;
    private long askedMs;
    private long appendedBefore;

    /**
     * Goes to another segment.
     *
     * @param bytes what was appended to the last one
     * @param fixedBytes what the topic's options want to have prepared
     */
    void roll(int bytes, int fixedBytes) {
        appendedBefore += bytes;
        fixed = fixedBytes;
    }

    /** The bytes that are to be prepared ahead whatever the rate is. */
    int fixed() {
        return fixed;
    }

    /** Whether it is known that more than the least is needed. */
    boolean isWide() {
        return fixed > 0 || grown > SMALLEST;
    }

    /**
     * Space is asked for.
     *
     * @param written what was appended to this segment
     * @param share what the partition may prepare by itself
     * @return the bytes that are to be prepared ahead
     */
    int ask(long nowMs, int written, int share) {
        long since = nowMs - askedMs;
        long next = since < SOON_MS ? 2L * grown : since > LONG_MS ? grown / 2 : grown;
        long most = Math.min(share, appendedBefore + written);
        grown = (int) Math.max(SMALLEST, Math.min(most, next));
        askedMs = nowMs;
        return Math.max(fixed, grown);
    }

    /** After so many bytes of those prepared ahead, more are asked for. */
    static int step(int ahead) {
        return Math.max(SMALLEST / 2, ahead / 8);
    }
}
