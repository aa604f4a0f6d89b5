package io.firn.kill;

import io.firn.Finding;
import io.firn.Finding.Kind;
import io.firn.Finding.Severity;
import io.firn.LogStore;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What a store found that should not be. A tier that is full, a clock set back, and what was asked
 * for are none.
 */
public final class Flaws {
    private static final Set<Kind> NO_FLAWS = EnumSet.of(Kind.TIER_FULL, Kind.CLOCK_WAS_AHEAD);

    private Flaws() {}

    /** Returns those findings of a store that tell of something wrong. */
    public static List<Finding> of(LogStore store) {
        return store.findings().stream()
                .filter(each -> each.severity() != Severity.NOTICE)
                .filter(each -> !NO_FLAWS.contains(each.kind()))
                .toList();
    }
}
