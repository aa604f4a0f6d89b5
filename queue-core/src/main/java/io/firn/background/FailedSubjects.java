package io.firn.background;

import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Subjects whose medium failed at the last look, each with its pause before the next one. For one
 * thread.
 */
public final class FailedSubjects {
    private final Attempts attempts;
    private final Map<Object, BackOff> pauses = new IdentityHashMap<>();

    public FailedSubjects(Attempts attempts) {
        this.attempts = attempts;
    }

    /** Whether the medium of any subject failed when it was last looked at. */
    public boolean isAny() {
        return !pauses.isEmpty();
    }

    /** Whether a subject is left alone for now. */
    public boolean isLeftAlone(Object subject) {
        BackOff backOff = pauses.get(subject);
        return backOff != null && backOff.leftNs() > 0;
    }

    /** Reports a failure; the subject is left alone for a while, longer each time. */
    public void onFailure(Object subject, String what, Throwable e) {
        BackOff pause = pauses.computeIfAbsent(subject, each -> new BackOff(attempts.clock()));
        attempts.failed(what, e, pause);
    }

    public void onSuccess(Object subject) {
        attempts.succeeded(pauses.remove(subject));
    }

    public void forget(Predicate<Object> gone) {
        pauses.entrySet()
                .removeIf(
                        each -> {
                            boolean isGone = gone.test(each.getKey());
                            if (isGone) {
                                attempts.succeeded(each.getValue());
                            }
                            return isGone;
                        });
    }
}
