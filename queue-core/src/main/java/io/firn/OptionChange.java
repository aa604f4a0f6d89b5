package io.firn;

/**
 * An option of a topic that was changed; see {@link LogStore#ensureTopic(String, TopicOptions,
 * java.util.function.Consumer)}.
 *
 * @param option the name, as in {@link TopicOptions#toMap}
 * @param before the value that the topic had
 * @param after the value that it has now
 */
public record OptionChange(String option, Object before, Object after) {
    @Override
    public String toString() {
        return option + " from " + before + " to " + after;
    }
}
