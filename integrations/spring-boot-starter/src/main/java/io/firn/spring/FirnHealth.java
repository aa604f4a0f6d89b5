package io.firn.spring;

import io.firn.ClosedException;
import io.firn.Finding;
import io.firn.Finding.Kind;
import io.firn.LogStore;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Whether the store takes records and the listeners get them. */
final class FirnHealth {
    /** With these, appends are refused, or nothing new is read. Others are details. */
    private static final Set<Kind> DOWN =
            EnumSet.of(
                    Kind.TIER_FULL,
                    Kind.DIRECTORY_FULL,
                    Kind.PARTITION_POISONED,
                    Kind.LOCK_LOST,
                    Kind.THREAD_ENDED);

    /** What is shown. */
    record State(boolean isUp, Map<String, Object> details) {}

    private final LogStore store;
    private final FirnListeners listeners;

    FirnHealth(LogStore store, FirnListeners listeners) {
        this.store = store;
        this.listeners = listeners;
    }

    State state() {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("directory", store.directory().toString());
        List<Finding> findings;
        try {
            store.metrics(); // which a store that is closed refuses
            findings = store.findings();
        } catch (ClosedException e) {
            details.put("store", "closed");
            return new State(false, details);
        }
        Map<String, String> ended = listeners.failures();
        if (!findings.isEmpty()) {
            details.put(
                    "findings",
                    findings.stream().map(each -> each.kind() + ": " + each.text()).toList());
        }
        if (!ended.isEmpty()) {
            details.put("endedListeners", ended);
        }
        boolean isUp =
                ended.isEmpty() && findings.stream().noneMatch(each -> DOWN.contains(each.kind()));
        return new State(isUp, details);
    }
}
