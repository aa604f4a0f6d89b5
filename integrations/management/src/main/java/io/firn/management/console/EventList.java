package io.firn.management.console;

import io.firn.ClosedException;
import io.firn.Finding;
import io.firn.LogReader;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import javax.annotation.concurrent.GuardedBy;

/** Findings that began and ended since the start, the latest of them. Thread-safe. */
final class EventList implements Finding.Listener, AutoCloseable {
    private static final int MOST = 200;

    private final LogReader store;
    private final long startMs = Instant.now().toEpochMilli();

    @GuardedBy("this")
    private final Deque<Event> latest = new ArrayDeque<>();

    @GuardedBy("this")
    private long count;

    EventList(LogReader store) {
        this.store = store;
        store.addFindingListener(this);
    }

    /**
     * Something that happened.
     *
     * @param ended false if the finding began then
     */
    record Event(long timeMs, boolean ended, ShownFinding finding) {}

    /**
     * The answer.
     *
     * @param count how many there were since the start
     * @param events latest first
     */
    record Answer(long startMs, long count, List<Event> events) {}

    @Override
    public void onBegin(Finding finding) {
        add(new Event(finding.since().toEpochMilli(), false, ShownFinding.of(finding)));
    }

    @Override
    public void onEnd(Finding finding) {
        add(new Event(Instant.now().toEpochMilli(), true, ShownFinding.of(finding)));
    }

    private synchronized void add(Event event) {
        count++;
        latest.addFirst(event);
        if (latest.size() > MOST) {
            latest.removeLast();
        }
    }

    synchronized Answer answer() {
        List<Event> events = new ArrayList<>(latest);
        return new Answer(startMs, count, Collections.unmodifiableList(events));
    }

    @Override
    public void close() {
        try {
            store.removeFindingListener(this);
        } catch (ClosedException e) {
            return; // the store has none any more
        }
    }
}
