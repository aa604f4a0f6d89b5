package io.firn.findings;

import io.firn.Finding;
import io.firn.Finding.Kind;
import io.firn.Finding.Severity;
import io.firn.medium.GuardedLog;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import javax.annotation.concurrent.GuardedBy;

/**
 * The conditions that are present in a store. The code that notices a condition begins and ends it
 * here, by its key, on any thread and with any lock: nothing of the application is called
 * meanwhile, except the handlers of its log. A condition that holds until the store is opened again
 * is never ended. Thread-safe.
 */
public final class Findings {
    private static final GuardedLog LOG = GuardedLog.get();

    private static final long LINE_EACH_MS = 60_000;

    private final LongSupplier timeMs;
    private final FindingListeners listeners;

    @GuardedBy("this")
    private final Map<FindingKey, PresentFinding> present = new LinkedHashMap<>();

    /** When the begin of a condition was logged last, for a minute. */
    @GuardedBy("this")
    private final Map<FindingKey, Long> loggedMs = new HashMap<>();

    /** Creates one without listeners, by the clock of the system. */
    public Findings() {
        this(System::currentTimeMillis, new FindingListeners(null, true));
    }

    /**
     * Creates it without findings.
     *
     * @param timeMs the store's clock
     */
    public Findings(LongSupplier timeMs, FindingListeners listeners) {
        this.timeMs = timeMs;
        this.listeners = listeners;
    }

    /** As {@link #begin(FindingKey, String, Throwable)}, without an error. */
    public void begin(FindingKey key, String text) {
        begin(key, text, null);
    }

    /**
     * Notes that a condition is present. It is logged and told when it begins, and not when its
     * text changes.
     *
     * @param cause whose stack trace is logged; null for none
     */
    public void begin(FindingKey key, String text, Throwable cause) {
        PresentFinding found;
        synchronized (this) {
            PresentFinding before = present.get(key);
            if (before != null) {
                if (!before.text().equals(text)) {
                    present.put(key, before.withText(text));
                }
                return;
            }
            long nowMs = nowMs();
            Instant since = Instant.ofEpochMilli(nowMs);
            found = new PresentFinding(key, since, text, mayLog(key, nowMs));
            present.put(key, found);
            listeners.begun(found);
        }
        if (!found.isLogged()) {
            return;
        }
        LOG.log(levelOf(found.severity()), text, cause);
    }

    private static System.Logger.Level levelOf(Severity severity) {
        return switch (severity) {
            case NOTICE -> System.Logger.Level.INFO;
            case WARNING -> System.Logger.Level.WARNING;
            case ERROR -> System.Logger.Level.ERROR;
        };
    }

    /** The clock is the application's, and may be what has ended a thread. */
    private long nowMs() {
        try {
            return timeMs.getAsLong();
        } catch (RuntimeException | Error e) {
            return System.currentTimeMillis();
        }
    }

    /** Of a condition that comes and goes, a begin is logged each minute at most. */
    @GuardedBy("this")
    private boolean mayLog(FindingKey key, long nowMs) {
        loggedMs.values().removeIf(last -> Math.abs(nowMs - last) >= LINE_EACH_MS);
        return loggedMs.putIfAbsent(key, nowMs) == null;
    }

    /** Notes that a condition has ended, or is not present. */
    public void end(FindingKey key) {
        PresentFinding ended;
        synchronized (this) {
            ended = present.remove(key);
            if (ended == null) {
                return;
            }
            listeners.ended(ended);
        }
        if (ended.isLogged()) {
            LOG.log(System.Logger.Level.INFO, "no longer: " + ended.text());
        }
    }

    /** Notes that a topic is gone, and with it all that was to be said of it. */
    public void endAllOf(UUID topicId) {
        endIf(key -> topicId.equals(key.subject().topicId()));
    }

    /** Notes that the conditions of a kind that are not among some have ended. */
    public void retain(Kind kind, Set<FindingKey> stillPresent) {
        endIf(key -> key.kind() == kind && !stillPresent.contains(key));
    }

    private void endIf(Predicate<FindingKey> isOver) {
        List<FindingKey> over;
        synchronized (this) {
            over = present.keySet().stream().filter(isOver).toList();
        }
        over.forEach(this::end);
    }

    /** Registers a listener, which is first called for all findings that are present. */
    public synchronized void add(Finding.Listener listener) {
        listeners.add(listener, present.values());
    }

    /** Returns those that are present, in the order in which they began. */
    public synchronized List<Finding> all() {
        return List.copyOf(new ArrayList<Finding>(present.values()));
    }
}
