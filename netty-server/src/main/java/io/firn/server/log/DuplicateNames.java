package io.firn.server.log;

import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.protocol.Errors;

/**
 * The names that a request contains more than once. Such a request is ambiguous, so none of the
 * duplicates is carried out. They have an order, because clients choose names, which may all have
 * one hash. Not thread-safe.
 */
public final class DuplicateNames<T extends Comparable<T>> {
    private final Set<T> duplicates;
    private final Set<T> answered = new HashSet<>();

    public DuplicateNames(Stream<T> all) {
        Set<T> once = new HashSet<>();
        duplicates = all.filter(each -> !once.add(each)).collect(Collectors.toSet());
    }

    /** Returns whether this is a duplicate of what {@link #check} has refused already. */
    public boolean isAnswered(T one) {
        return duplicates.contains(one) && !answered.add(one);
    }

    /** Returns whether there are several of this. */
    boolean contains(T one) {
        return duplicates.contains(one);
    }

    /** Refuses a duplicate. */
    public void check(T one, String name) {
        if (duplicates.contains(one)) {
            throw Errors.INVALID_REQUEST.exception(
                    name + " is named more than once; name it once in a request.");
        }
    }
}
