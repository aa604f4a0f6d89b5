package io.firn.metadata;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What was found wrong in a store, each finding once, for its user to read. Thread-safe. */
public final class Findings {
    private static final System.Logger LOG = System.getLogger("io.firn");

    private final List<String> all = new CopyOnWriteArrayList<>();

    /** Adds and logs a finding, unless it is known. */
    public void add(String finding) {
        if (!all.contains(finding)) {
            all.add(finding);
            LOG.log(System.Logger.Level.WARNING, finding);
        }
    }

    public List<String> all() {
        return List.copyOf(all);
    }
}
