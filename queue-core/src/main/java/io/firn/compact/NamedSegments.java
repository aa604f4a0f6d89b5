package io.firn.compact;

import java.util.ArrayList;
import java.util.List;

/**
 * Segments with what is to be said of each, the first hundred by name: a partition may have so many
 * that a line for each would fill the memory. Not thread-safe.
 */
final class NamedSegments {
    private static final int MOST = 100;

    private final List<String> named = new ArrayList<>();
    private int others;

    void add(Object segment, String what) {
        if (named.size() < MOST) {
            named.add(segment + ": " + what);
        } else {
            others++;
        }
    }

    /** Returns a line for each, or for the first hundred and one for all others. */
    List<String> lines() {
        if (others == 0) {
            return List.copyOf(named);
        }
        List<String> all = new ArrayList<>(named);
        all.add("and " + others + " more segments");
        return List.copyOf(all);
    }
}
