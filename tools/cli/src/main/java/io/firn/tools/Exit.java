package io.firn.tools;

/** The exit codes of all commands. */
public final class Exit {
    /** It is done, and nothing is wrong. */
    public static final int FINE = 0;

    /** It is done, and has found something wrong. */
    public static final int FOUND = 1;

    /** An argument is wrong. */
    public static final int MISUSED = 2;

    /** It could not be done. */
    public static final int FAILED = 3;

    private Exit() {}
}
