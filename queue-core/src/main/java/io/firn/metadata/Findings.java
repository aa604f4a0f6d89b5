package io.firn.metadata;

import io.firn.medium.GuardedLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * What is wrong in a store, one line each, for its user to read. Thread-safe.
 *
 * <ul>
 *   <li>{@link #add}: a fact that stays true until the store is opened again.
 *   <li>{@link #set} and {@link #clear}: a condition that begins and ends, by a key.
 *   <li>{@link #ask}: conditions that somebody else keeps and logs; they are asked for each time.
 * </ul>
 */
public final class Findings {
    private static final GuardedLog LOG = GuardedLog.get();

    private final List<String> all = new CopyOnWriteArrayList<>();
    private final Map<String, String> present = new ConcurrentSkipListMap<>();
    private final List<Consumer<List<String>>> sources = new CopyOnWriteArrayList<>();

    /** Adds and logs a finding, unless it is known. */
    public void add(String finding) {
        if (!all.contains(finding)) {
            all.add(finding);
            LOG.log(System.Logger.Level.WARNING, finding);
        }
    }

    /**
     * Sets the finding of a condition, which is one until {@link #clear}; logs it when it begins,
     * and not when its text changes.
     *
     * @param key names the condition and its subject, for example {@code "clock orders-0"}; it is
     *     not shown
     */
    public void set(String key, String finding) {
        if (present.put(key, finding) == null) {
            LOG.log(System.Logger.Level.WARNING, finding);
        }
    }

    /** Ends the condition of a key, if it is present, and logs that. */
    public void clear(String key) {
        String ended = present.remove(key);
        if (ended != null) {
            LOG.log(System.Logger.Level.INFO, "no longer: " + ended);
        }
    }

    /**
     * Registers a source, which adds the findings of conditions that it knows to be present. It is
     * called by any thread that asks for findings, and logs nothing.
     */
    public void ask(Consumer<List<String>> source) {
        sources.add(source);
    }

    /** Returns all that hold now. */
    public List<String> all() {
        List<String> found = new ArrayList<>(all);
        found.addAll(present.values());
        sources.forEach(source -> source.accept(found));
        return List.copyOf(found);
    }
}
