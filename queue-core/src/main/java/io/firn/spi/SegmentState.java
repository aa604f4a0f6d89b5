package io.firn.spi;

/** What a block is used for. The codes are on the medium: never renumber. */
public enum SegmentState {
    /** Set aside for a partition; holds no acknowledged record unless its first batch is valid. */
    RESERVED(1),
    /** Written to. */
    ACTIVE(2),
    /** Complete, never written again. */
    SEALED(3);

    private final int code;

    SegmentState(int code) {
        this.code = code;
    }

    /** The number that stands for this state on the medium. */
    public int code() {
        return code;
    }

    /** The state with a code, or null. */
    public static SegmentState ofCode(int code) {
        for (SegmentState state : values()) {
            if (state.code == code) {
                return state;
            }
        }
        return null;
    }
}
