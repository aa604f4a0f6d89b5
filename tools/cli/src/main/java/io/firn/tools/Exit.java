package io.firn.tools;

/** The exit codes of all commands. */
public final class Exit {
    /** What help says of them. */
    static final String WORDS =
            "Exit codes: 0 it is done and nothing is wrong, 1 it has found something wrong, 2 an"
                    + " argument is wrong, 3 it could not be done.";

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
