package io.firn.follow;

import io.firn.follow.FollowedOffsets.Published;
import io.firn.log.LogContext;
import io.firn.log.SegmentedLog;
import io.firn.medium.GuardedLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * The file with the offsets that the writing process publishes, while a read-only store believes
 * it, and the logs that follow it. Not thread-safe.
 */
public final class FollowedLogs {
    private static final GuardedLog LOG = GuardedLog.get();

    private final LogContext store;
    private final UUID storeId;
    private final Path lock;
    private final Consumer<FollowedLog> lookFor;
    private final Map<SegmentedLog, Followed> logs = new HashMap<>();

    /** Null while no writer publishes its offsets. */
    private FollowedOffsetsFile file;

    private long changes;
    private long topicChanges;

    /** Whether the writer does not publish some of the logs. */
    private boolean isPartial;

    /** A log that follows its published offsets, and the changes of its segments that were seen. */
    private static final class Followed {
        private final FollowedLog log;
        private long changes;
        private long sequence;
        private long end;
        private long durable;

        Followed(FollowedLog log) {
            this.log = log;
            takeEnds();
        }

        /** Returns whether the offsets are others than at the last call. */
        private boolean takeEnds() {
            long sequenceBefore = sequence;
            long endBefore = end;
            long durableBefore = durable;
            sequence = log.offsets().sequence();
            end = log.offsets().end();
            durable = log.offsets().durable();
            return sequence != sequenceBefore || end != endBefore || durable != durableBefore;
        }
    }

    /**
     * Creates it without a file.
     *
     * @param lock the lock file of the writer
     * @param lookFor as for {@link FollowedLog}
     */
    public FollowedLogs(LogContext store, UUID storeId, Path lock, Consumer<FollowedLog> lookFor) {
        this.store = store;
        this.storeId = storeId;
        this.lock = lock;
        this.lookFor = lookFor;
    }

    /** Whether a writer publishes its offsets, as far as is known. */
    public boolean isOpen() {
        return file != null;
    }

    /** Opens the file, if there is one that may be believed. */
    public void open() {
        try {
            file =
                    FollowedOffsetsFile.open(
                            store.config().medium(), store.config().directory(), storeId, lock);
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "store " + store + ": the published offsets cannot be read",
                    e);
        }
    }

    /**
     * Returns whether the offsets may still be believed.
     *
     * @param isThorough whether to look for a writer that was killed
     */
    public boolean isBelieved(boolean isThorough) throws IOException {
        try {
            boolean mayBeDead = isThorough && !hasNews();
            return mayBeDead ? file.isWritersThere() : file.isLive();
        } catch (InternalError | IllegalStateException e) {
            return false; // it was truncated
        }
    }

    /** Whether the writer has published an end since the last call, so that it was there. */
    private boolean hasNews() {
        boolean hasNews = false;
        for (Followed each : logs.values()) {
            hasNews |= each.takeEnds();
        }
        return hasNews;
    }

    /** Follows the offsets no longer. */
    public void close() {
        if (file != null) {
            logs.keySet().forEach(log -> log.catchUpBy(null));
            logs.clear();
            file.close();
            file = null;
        }
    }

    /** Notes what has changed so far: a look that follows sees it. */
    public void noteChanges() {
        if (file != null) {
            changes = file.changes();
            topicChanges = file.topicChanges();
            logs.values().forEach(each -> each.changes = each.log.offsets().changes());
        }
    }

    /** Whether topics or the places of partitions may have changed since the last note. */
    public boolean hasOtherTopics() {
        return isPartial || file.topicChanges() != topicChanges;
    }

    /** The logs whose segments have changed since the last call. */
    public List<FollowedLog> changed() {
        long now = file.changes();
        if (now == changes) {
            return List.of();
        }
        changes = now; // of before the slots are read
        return logs.values().stream()
                .filter(FollowedLogs::takeChange)
                .map(each -> each.log)
                .toList();
    }

    private static boolean takeChange(Followed each) {
        long now = each.log.offsets().changes();
        boolean isNew = now != each.changes;
        each.changes = now;
        return isNew;
    }

    /** All logs that follow their published offsets. */
    public Collection<SegmentedLog> logs() {
        return logs.keySet();
    }

    /** What a log follows; null for nothing. */
    public FollowedLog of(SegmentedLog log) {
        Followed followed = logs.get(log);
        return followed == null ? null : followed.log;
    }

    /** Returns what was published of each log until now; nothing if the file was truncated. */
    public Map<SegmentedLog, Published> published() {
        Map<SegmentedLog, Published> read = new HashMap<>();
        try {
            logs.forEach(
                    (log, followed) -> {
                        Published now = followed.log.offsets().read();
                        if (now != null) {
                            read.put(log, now);
                        }
                    });
        } catch (InternalError | IllegalStateException e) {
            close();
            read.clear();
        }
        return read;
    }

    /** Lets each log that is served follow its offsets, and no other one. */
    public void follow(Collection<SegmentedLog> served) throws IOException {
        isPartial = false;
        if (file == null) {
            return;
        }
        Map<SegmentedLog, Followed> before = new HashMap<>(logs);
        logs.clear();
        try {
            for (SegmentedLog log : served) {
                Followed followed = followed(before.remove(log), log);
                if (followed == null) {
                    isPartial = true;
                } else {
                    logs.put(log, followed);
                }
            }
        } catch (InternalError | IllegalStateException e) {
            close(); // it was truncated
        }
        before.keySet().forEach(log -> log.catchUpBy(null));
    }

    private Followed followed(Followed before, SegmentedLog log) throws IOException {
        if (before != null && before.log.offsets().isAssigned()) {
            return before;
        }
        FollowedOffsets offsets = file.find(log.topic().id(), log.index());
        if (offsets == null) {
            log.catchUpBy(null);
            return null;
        }
        FollowedLog follows = new FollowedLog(log, offsets, lookFor);
        log.catchUpBy(follows);
        return new Followed(follows);
    }
}
