package io.firn.findings;

import io.firn.Finding.Kind;
import java.util.Objects;

/**
 * Names a condition: it begins and ends by equal keys.
 *
 * @param what tells conditions of one kind and subject apart, for example by a file; may be empty
 * @param fromOffset the first offset that it is about; −1 for none
 * @param toOffset the offset after the last one; −1 for none
 */
public record FindingKey(Kind kind, Subject subject, String what, long fromOffset, long toOffset) {
    private static final long NONE = -1;

    public FindingKey {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(subject, "subject");
        Objects.requireNonNull(what, "what");
    }

    /** Returns the key of the only condition of its kind that a subject can have. */
    public static FindingKey of(Kind kind, Subject subject) {
        return of(kind, subject, "");
    }

    /** Returns the key of one of several conditions of its kind. */
    public static FindingKey of(Kind kind, Subject subject, String what) {
        return new FindingKey(kind, subject, what, NONE, NONE);
    }

    /** Returns the key of a condition of some offsets. */
    public static FindingKey of(Kind kind, Subject subject, long fromOffset, long toOffset) {
        return new FindingKey(kind, subject, "", fromOffset, toOffset);
    }

    /** Returns the key of background work that fails, by the name of the job. */
    public static FindingKey job(Subject subject, String job) {
        return of(Kind.BACKGROUND_FAILING, subject, job);
    }

    /**
     * By hand: on Java 25, the JDK keeps the classes that the methods made for a record compare,
     * and with them the loader of an application that was undeployed.
     */
    @Override
    public boolean equals(Object other) {
        return other instanceof FindingKey key
                && kind == key.kind
                && fromOffset == key.fromOffset
                && toOffset == key.toOffset
                && subject.equals(key.subject)
                && what.equals(key.what);
    }

    @Override
    public int hashCode() {
        return Objects.hash(kind, subject, what, fromOffset, toOffset);
    }

    /** Names background work in messages. */
    @Override
    public String toString() {
        return what.isEmpty() ? subject.text() : subject.text() + ": " + what;
    }
}
