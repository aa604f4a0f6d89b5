package io.firn.sim;

/**
 * Whether the tests run for the second time, on another JDK. What they simulate does not depend on
 * the JDK, so where a test tries one case after another, it tries a share of them then.
 */
public final class SecondRun {
    private static final boolean IS_THIS = Boolean.getBoolean("firn.second.run");

    private SecondRun() {}

    /** Returns whether this is the second run. */
    public static boolean isThis() {
        return IS_THIS;
    }

    /** Returns a number for the first run; for the second, one so many times smaller. */
    public static int share(int number, int times) {
        return IS_THIS ? number / times : number;
    }

    /** Returns whether the second run leaves out a case, of which it tries one in so many. */
    public static boolean leavesOut(int number, int oneOf) {
        return IS_THIS && number % oneOf != 0;
    }
}
