package io.firn.server.log;

import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.protocol.Errors;

/**
 * Finds what a request names more than once. Such a request is ambiguous, so none of its duplicates
 * is carried out. For one thread.
 */
final class Duplicates<T> {
    private final Set<T> doubled;
    private final Set<T> answered = new HashSet<>();

    Duplicates(Stream<T> all) {
        Set<T> once = new HashSet<>();
        doubled = all.filter(each -> !once.add(each)).collect(Collectors.toSet());
    }

    /** Whether this is a repetition of something that {@link #check} has refused already. */
    boolean isAnswered(T one) {
        return doubled.contains(one) && !answered.add(one);
    }

    /** Refuses what is named more than once. */
    void check(T one, String name) {
        if (doubled.contains(one)) {
            throw Errors.INVALID_REQUEST.exception(
                    name + " is named more than once; name it once in a request.");
        }
    }
}
