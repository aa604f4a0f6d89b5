package io.firn.crashlab;

import static io.firn.crashlab.Violation.require;

import io.firn.LogStore;
import io.firn.StoreMetrics.Drain;
import io.firn.StoreMetrics.TierMetrics;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What a store has promised about tiers that are drained (O32); by default none is. */
final class ExpectedDrains {
    /** By label, the states of a tier that a crash may leave. */
    private final Map<String, Set<Drain>> possible = new TreeMap<>();

    long version() {
        return possible.hashCode();
    }

    /** Notes that a tier may come into any of some states, or stay in what it is. */
    void mayBecome(String tier, Drain... states) {
        Set<Drain> all = EnumSet.copyOf(of(tier));
        all.addAll(Set.of(states));
        possible.put(tier, all);
    }

    /** Notes that the store has returned: a tier is in a state, durably. */
    void is(String tier, Drain state) {
        possible.put(tier, EnumSet.of(state));
    }

    /** Returns what a tier may be, to be given to {@link #restore}. */
    Set<Drain> of(String tier) {
        return possible.getOrDefault(tier, EnumSet.of(Drain.NONE));
    }

    /** Notes that a call was refused before it changed anything. */
    void restore(String tier, Set<Drain> before) {
        possible.put(tier, before);
    }

    void check(LogStore store) {
        for (TierMetrics tier : store.metrics().tiers()) {
            Set<Drain> expected = of(tier.label());
            require(
                    expected.contains(tier.drain()),
                    "tier " + tier.label() + " is " + tier.drain() + ", not " + expected);
            require(
                    tier.drain() != Drain.DONE || tier.usedBytes() == 0,
                    "tier " + tier.label() + " was drained and uses " + tier.usedBytes());
        }
    }

    /** Continues with a store that was recovered and checked. */
    void adopt(LogStore store) {
        store.metrics().tiers().forEach(tier -> is(tier.label(), tier.drain()));
    }
}
