package io.firn.sim;

import java.util.SplittableRandom;
import java.util.function.IntPredicate;

/**
 * Decides what of the things that were not forced survives a crash. Asked in an order that depends
 * on nothing but the content of the medium.
 */
public interface Survival {
    /** Nothing that was not forced. */
    Survival NONE = new Fixed("nothing", false, false);

    /** Everything, as when only the process died. */
    Survival ALL = new Fixed("everything", true, true);

    /** Creations, renames, deletions and sizes, but no bytes: what a missing file force costs. */
    Survival NAMES = new Fixed("names without bytes", true, false);

    /** Bytes and sizes, but no names: what a missing directory force costs. */
    Survival BYTES = new Fixed("bytes without names", false, true);

    /** Whether a change of a directory survives. */
    boolean name();

    /** Whether a change of a file's size survives. */
    boolean size();

    /** Whether a page's change survives as a whole, not at all, or in part. */
    Fate page();

    /** Whether a piece of a torn page survives. */
    boolean piece();

    /** Bytes of the pieces that a page tears into. */
    int pieceBytes();

    /**
     * How many of the contents that a cache line, or a page, had since it was last durable it went
     * through.
     *
     * @param versions how many there are
     * @return 0 for none to {@code versions} for all; negative, −v, for one that is torn between
     *     its contents v − 1 and v: a line word by word, a page in {@link #piece pieces}
     */
    default int line(int versions) {
        return switch (page()) {
            case OLD -> 0;
            case NEW -> versions;
            case TORN -> -versions;
        };
    }

    /** What becomes of a page. */
    enum Fate {
        OLD,
        NEW,
        TORN
    }

    /** Some of it, decided by the seed; some seeds lose much, some little. */
    static Survival random(long seed) {
        return new Random(seed, SimulatedFile.SECTOR, 0.2);
    }

    /**
     * Of the pages (in persistent memory: cache lines) that changed, those with certain numbers,
     * and no sizes or names. They are numbered from 0 in the order in which the crash asks for
     * them: file by file, ascending. For one crash only.
     */
    static Survival pages(IntPredicate surviving) {
        return new Pages(surviving);
    }

    /** As {@link #random}, but most pages tear, in the middle of sectors too. */
    static Survival shredded(long seed) {
        return new Random(seed, 8, 0.8);
    }

    /** The same answer to everything of a kind. */
    record Fixed(String what, boolean names, boolean bytes) implements Survival {
        @Override
        public boolean name() {
            return names;
        }

        @Override
        public boolean size() {
            return names || bytes;
        }

        @Override
        public Fate page() {
            return bytes ? Fate.NEW : Fate.OLD;
        }

        @Override
        public boolean piece() {
            return bytes;
        }

        @Override
        public int pieceBytes() {
            return SimulatedFile.PAGE;
        }

        @Override
        public String toString() {
            return what + " survives";
        }
    }

    /** Answers from a seed. */
    final class Random implements Survival {
        private static final double[] SHARES = {0.1, 0.5, 0.9};

        private final long seed;
        private final SplittableRandom random;
        private final int pieceBytes;
        private final double tornShare;
        private final double nameShare;
        private final double pageShare;

        private Random(long seed, int pieceBytes, double tornShare) {
            this.seed = seed;
            this.pieceBytes = pieceBytes;
            this.tornShare = tornShare;
            this.random = new SplittableRandom(seed);
            this.nameShare = SHARES[random.nextInt(SHARES.length)];
            this.pageShare = SHARES[random.nextInt(SHARES.length)];
        }

        @Override
        public boolean name() {
            return random.nextDouble() < nameShare;
        }

        @Override
        public boolean size() {
            return random.nextBoolean();
        }

        @Override
        public Fate page() {
            if (random.nextDouble() < tornShare) {
                return Fate.TORN;
            }
            return random.nextDouble() < pageShare ? Fate.NEW : Fate.OLD;
        }

        @Override
        public int line(int versions) {
            int version = 1 + random.nextInt(versions);
            if (random.nextDouble() < tornShare) {
                return -version;
            }
            return random.nextDouble() < pageShare ? version : 0;
        }

        @Override
        public boolean piece() {
            return random.nextBoolean();
        }

        @Override
        public int pieceBytes() {
            return pieceBytes;
        }

        @Override
        public String toString() {
            return "what seed " + seed + " decides survives";
        }
    }
}
