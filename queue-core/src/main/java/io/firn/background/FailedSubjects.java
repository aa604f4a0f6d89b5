package io.firn.background;

import io.firn.findings.FindingKey;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Subjects of one type whose medium failed at the last look, each with its pause before the next
 * one. For one thread.
 *
 * @param <T> what is looked at, for example a block
 */
public final class FailedSubjects<T> {
    private final Attempts attempts;
    private final Map<T, Failed> failed = new IdentityHashMap<>();

    private record Failed(FindingKey key, BackOff pause) {}

    public FailedSubjects(Attempts attempts) {
        this.attempts = attempts;
    }

    /** Whether the medium of any subject failed when it was last looked at. */
    public boolean isAny() {
        return !failed.isEmpty();
    }

    /** Whether a subject is left alone for now. */
    public boolean isLeftAlone(T subject) {
        Failed before = failed.get(subject);
        return before != null && before.pause.leftNs() > 0;
    }

    /**
     * Notes a failure; the subject is left alone for a while, longer each time.
     *
     * @param key of the finding, which is the same while it fails
     */
    public void onFailure(T subject, FindingKey key, Throwable e) {
        Failed now =
                failed.computeIfAbsent(
                        subject, each -> new Failed(key, new BackOff(attempts.clock())));
        attempts.failed(now.key, e, now.pause);
    }

    public void onSuccess(T subject) {
        end(failed.remove(subject));
    }

    private void end(Failed over) {
        if (over != null) {
            attempts.succeeded(over.key, over.pause);
        }
    }

    /** Forgets subjects that are gone. */
    public void forget(Predicate<T> isGone) {
        failed.entrySet()
                .removeIf(
                        each -> {
                            boolean isOver = isGone.test(each.getKey());
                            if (isOver) {
                                end(each.getValue());
                            }
                            return isOver;
                        });
    }
}
