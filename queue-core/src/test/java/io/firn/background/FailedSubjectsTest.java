package io.firn.background;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;

/** Subjects that failed are left alone for a while. */
class FailedSubjectsTest {
    private final Attempts attempts = new Attempts(SystemNanoClock.INSTANCE);
    private final FailedSubjects trouble = new FailedSubjects(attempts);
    private final Object one = new Object();
    private final Object other = new Object();

    @Test
    void shouldLeaveAloneOnlyWhatFailed() {
        trouble.onFailure(one, "one", new IOException("test"));
        assertTrue(trouble.isLeftAlone(one));
        assertFalse(trouble.isLeftAlone(other));
        assertEquals(1, attempts.errors());
    }

    @Test
    void shouldNotLeaveAloneWhatWorksAgainOrIsGone() {
        trouble.onFailure(one, "one", new IOException("test"));
        trouble.onFailure(other, "other", new IOException("test"));
        trouble.onSuccess(one);
        trouble.forget(each -> each.equals(other));
        assertFalse(trouble.isLeftAlone(one));
        assertFalse(trouble.isLeftAlone(other));
    }
}
