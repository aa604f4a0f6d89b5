package io.firn.inspect;

import java.util.ArrayList;
import java.util.List;

/** The lines of an inspection, and how many of them say that something is wrong. For one thread. */
public final class Report {
    private final List<String> lines = new ArrayList<>();
    private int flaws;

    Report() {}

    /** Returns a line for each thing that was found; the last one says how many are wrong. */
    public List<String> lines() {
        return List.copyOf(lines);
    }

    /** Returns whether nothing is wrong. */
    public boolean isSound() {
        return flaws == 0;
    }

    void say(String format, Object... arguments) {
        lines.add(String.format(format, arguments));
    }

    /** Says what is wrong, and counts it. */
    void flaw(String format, Object... arguments) {
        flaws++;
        say(format, arguments);
    }

    void conclude() {
        say(isSound() ? "nothing is wrong" : "%d things are wrong", flaws);
    }
}
