package io.firn.background;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.findings.FindingKey;
import io.firn.findings.Findings;
import io.firn.findings.Subject;
import java.io.IOException;
import java.util.List;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Subjects that failed are left alone for a while. */
class FailedSubjectsTest {
    private final Attempts attempts = new Attempts(SystemNanoClock.INSTANCE);
    private final Findings findings = new Findings();
    private final FailedSubjects<String> trouble = new FailedSubjects<>(attempts);
    private final String one = "one";
    private final String other = "other";

    @BeforeEach
    void report() {
        attempts.reportTo(findings);
    }

    private static FindingKey keyOf(String subject) {
        return FindingKey.job(Subject.named(subject), "look");
    }

    @Test
    void shouldLeaveAloneOnlyWhatFailed() {
        trouble.onFailure(one, keyOf(one), new IOException("test"));
        assertTrue(trouble.isLeftAlone(one));
        assertFalse(trouble.isLeftAlone(other));
        assertEquals(1, attempts.errors());
        assertEquals(1, findings.all().size());
    }

    @Test
    void shouldNotLeaveAloneWhatWorksAgainOrIsGone() {
        trouble.onFailure(one, keyOf(one), new IOException("test"));
        trouble.onFailure(other, keyOf(other), new IOException("test"));
        trouble.onSuccess(one);
        trouble.forget(each -> each.equals(other));
        assertFalse(trouble.isLeftAlone(one));
        assertFalse(trouble.isLeftAlone(other));
        assertEquals(List.of(), findings.all());
    }
}
