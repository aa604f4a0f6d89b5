package io.firn.crashlab;

import java.util.Arrays;

/** Prints stack traces, limited to Firn's own frames. */
final class Traces {
    private static final int MOST_FRAMES = 40;

    private Traces() {}

    /** Returns the exception and its causes, each with its frames in Firn's code. */
    static String of(Throwable why) {
        StringBuilder out = new StringBuilder();
        for (Throwable t = why; t != null; t = t.getCause()) {
            out.append(t).append('\n');
            Arrays.stream(t.getStackTrace())
                    .filter(each -> each.getClassName().startsWith("io.firn"))
                    .limit(MOST_FRAMES)
                    .forEach(each -> out.append("        at ").append(each).append('\n'));
        }
        return out.toString();
    }
}
