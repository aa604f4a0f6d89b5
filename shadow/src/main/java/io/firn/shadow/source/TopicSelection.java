package io.firn.shadow.source;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Which topics are followed: those of a set of names, and those that a pattern matches as a whole.
 */
public final class TopicSelection {
    private final Set<String> names;
    private final Pattern pattern;

    /** Creates it; the pattern may be null. */
    public TopicSelection(Set<String> names, Pattern pattern) {
        this.names = new TreeSet<>(names);
        this.pattern = pattern;
    }

    /** Returns whether nothing can be selected. */
    public boolean isEmpty() {
        return names.isEmpty() && pattern == null;
    }

    /** Returns the topics that are named. */
    public List<String> names() {
        return List.copyOf(names);
    }

    boolean hasPattern() {
        return pattern != null;
    }

    /** Internal topics, such as the offsets of groups, are followed only by their names. */
    boolean selects(String topic, boolean isInternal) {
        return names.contains(topic)
                || (pattern != null && !isInternal && pattern.matcher(topic).matches());
    }

    @Override
    public String toString() {
        return pattern == null ? names.toString() : names + " and those that match " + pattern;
    }
}
