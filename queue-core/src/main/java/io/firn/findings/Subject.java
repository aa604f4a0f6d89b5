package io.firn.findings;

import java.nio.file.Path;
import java.util.UUID;

/**
 * What a finding or background work is about. Its text names it in messages.
 *
 * @param topicId null for no topic
 * @param topic its name; null if there is none, or it is unknown
 * @param partition −1 for none
 * @param tier the label of a tier; null for none
 */
public record Subject(UUID topicId, String topic, int partition, String tier, String text) {
    private static final int NONE = -1;

    /** Returns a store as a whole. */
    public static Subject store(Path directory) {
        return new Subject(null, null, NONE, null, "store " + directory);
    }

    /**
     * Returns a topic.
     *
     * @param name null when it is unknown
     */
    public static Subject topic(UUID id, String name) {
        return new Subject(id, name, NONE, null, name == null ? "topic " + id : "topic " + name);
    }

    /** Returns a partition. */
    public static Subject partition(UUID topicId, String topic, int index) {
        return new Subject(topicId, topic, index, null, topic + "-" + index);
    }

    /** Returns a tier. */
    public static Subject tier(String label, String name) {
        return new Subject(null, null, NONE, label, "tier " + label + " (" + name + ")");
    }

    /** Returns something else, which has only a name. */
    public static Subject named(String text) {
        return new Subject(null, null, NONE, null, text);
    }

    /** Returns the same partition or topic, as far as it is in a tier. */
    public Subject in(String tierLabel) {
        return new Subject(topicId, topic, partition, tierLabel, text);
    }

    @Override
    public String toString() {
        return text;
    }
}
