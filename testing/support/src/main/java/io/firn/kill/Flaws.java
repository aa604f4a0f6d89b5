package io.firn.kill;

import io.firn.LogStore;
import java.util.List;

/** What a store found that should not be; a tier that is full, or a clock set back, is none. */
public final class Flaws {
    private Flaws() {}

    /** Returns those findings of a store that tell of something wrong. */
    public static List<String> of(LogStore store) {
        return store.findings().stream()
                .filter(each -> !each.contains(" had no room for a segment "))
                .filter(each -> !each.contains("the clock was ahead"))
                .toList();
    }
}
