package io.firn.spi;

/** What a block is used for. The codes are stored on the medium and must not change. */
public enum SegmentState {
    /** Reserved for a partition; holds no acknowledged record unless its first batch is valid. */
    RESERVED(1),
    /** Being written to. */
    ACTIVE(2),
    /** Complete, never written again. */
    SEALED(3);

    private final int code;

    SegmentState(int code) {
        this.code = code;
    }

    /** Returns the number of this state on the medium. */
    public int code() {
        return code;
    }

    /** Returns the state with a code, or null. */
    public static SegmentState ofCode(int code) {
        for (SegmentState state : values()) {
            if (state.code == code) {
                return state;
            }
        }
        return null;
    }
}
