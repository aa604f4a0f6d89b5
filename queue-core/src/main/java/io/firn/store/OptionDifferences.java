package io.firn.store;

import io.firn.TopicOptions;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** Tells which options of a topic are not as requested, for messages of errors. */
final class OptionDifferences {
    private OptionDifferences() {}

    /** Describes each option that two sets have otherwise; they must not be equal. */
    static String describe(TopicOptions has, TopicOptions requested) {
        Map<String, Object> wanted = requested.toMap();
        return has.toMap().entrySet().stream()
                .filter(each -> !Objects.equals(each.getValue(), wanted.get(each.getKey())))
                .map(
                        each ->
                                each.getKey()
                                        + " is "
                                        + each.getValue()
                                        + ", requested was "
                                        + wanted.get(each.getKey()))
                .collect(Collectors.joining("; "));
    }
}
