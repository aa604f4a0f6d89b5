package io.firn.shadow;

import io.firn.ClosedException;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.PoisonedException;
import io.firn.RecordTooLargeException;
import io.firn.StoreFullException;
import io.firn.Topic;
import io.firn.UnknownTopicException;
import io.firn.host.InvalidBatchException;
import io.firn.shadow.source.FollowedPartition;
import io.firn.shadow.source.SourceError;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * Copies one partition. For the shadow's thread, but for {@link #status}.
 *
 * <p>{@link #need} says what is to be asked next:
 *
 * <pre>
 *   a leader epoch that was not checked        answers                fetched
 *  ─────────────────────────────▶ EPOCH_END ──────────────▶ FETCH ◀──────────┐
 *                                  ▲     │ epoch is older      │ │           │
 *             the answer diverges  │     ▼ there               │ └───────────┘
 *                                  └── PROBE                   │ out of range
 *                                        EPOCH_END ◀─ LATEST ◀─┴▶ EARLIEST
 * </pre>
 *
 * An answer to a request that was sent before the leader changed is ignored.
 */
final class PartitionFollower implements FollowedPartition, AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.firn");
    private static final int UNKNOWN = -1;

    /** What is asked of the source next. */
    enum Need {
        NOTHING,
        EPOCH_END,
        PROBE,
        EARLIEST,
        LATEST,
        FETCH
    }

    private final FollowContext context;
    private final Topic topic;
    private final UUID sourceTopicId;
    private final int partition;
    private final PartitionCopy copy;
    private final FollowProgress progress;
    private final RetryPause pause;
    private final FollowEvents events;
    private final LostMarkers lostMarkers;

    private Need need = Need.FETCH;
    private Need asked = Need.NOTHING;
    private boolean isAnswerStale;

    /** Whether the last answer had any. */
    private boolean hadRecords;

    /** Whether nothing of the last answer was below its high watermark. */
    private boolean wasAbove;

    private int leader = UNKNOWN;
    private int leaderEpoch = UNKNOWN;
    private long probeOffset;
    private boolean needsMetadata;
    private ClosedException storeClosed;

    /**
     * Opens the partition.
     *
     * @throws FirnException when its appender cannot be opened
     */
    PartitionFollower(FollowContext context, Topic topic, UUID sourceTopicId, int partition) {
        this.context = context;
        this.topic = topic;
        this.sourceTopicId = sourceTopicId;
        this.partition = partition;
        this.pause = context.newPause();
        this.events = new FollowEvents(context, topic.name(), partition);
        this.copy = new PartitionCopy(topic, partition);
        this.progress = copy.progress();
        this.lostMarkers = new LostMarkers(context, copy, events);
    }

    // What the loop asks.

    /** Returns what is to be asked of the leader now. */
    Need due(long nowMs) {
        if (storeClosed != null) {
            throw storeClosed; // not in an answer, where Kafka's client would only log it
        }
        boolean isReady =
                leader != UNKNOWN
                        && asked == Need.NOTHING
                        && !copy.hasRest()
                        && pause.isOver(nowMs);
        return isReady ? need : Need.NOTHING;
    }

    /** Says that it was asked. */
    void sent() {
        asked = need;
        isAnswerStale = false;
    }

    int leader() {
        return leader;
    }

    /**
     * Returns whether the source gave records when it last answered, and had more. It may not have:
     * what is left below its high watermark may have been compacted.
     */
    boolean isBehind() {
        return hadRecords && progress.isBehind();
    }

    /** Returns whether a broker was asked for records that it had when it last answered. */
    boolean isAnsweredSoon() {
        return asked == Need.FETCH && !isAnswerStale && isBehind();
    }

    /** Returns whether the metadata does not fit what was answered, once. */
    boolean takeNeedsMetadata() {
        boolean result = needsMetadata;
        needsMetadata = false;
        return result;
    }

    /** Returns whether bytes wait for space that is being prepared. */
    boolean hasRest() {
        return copy.hasRest();
    }

    /** Appends what could not be appended yet, unless that failed a moment ago. */
    void appendRest(long nowMs) {
        if (pause.isOver(nowMs)) {
            guarded(this::append);
        }
    }

    PartitionStatus status() {
        return progress.status(context.nowMs());
    }

    /** Says who leads the partition; −1 for nobody. */
    void onLeader(int node, int epoch) {
        if (node == leader && epoch == leaderEpoch) {
            return;
        }
        boolean isNewEpoch = epoch != leaderEpoch;
        leader = node;
        leaderEpoch = epoch;
        progress.leader(node, epoch);
        isAnswerStale = true;
        if (isNewEpoch && !isStopped()) {
            copy.dropRest(); // of a leader whose end was not compared with this one's
            check();
        }
        if (node == UNKNOWN && !isStopped()) {
            progress.waiting("the source has no leader for the partition");
        }
    }

    private boolean isStopped() {
        return need == Need.NOTHING;
    }

    private void check() {
        copy.confirmed(UNKNOWN);
        lostMarkers.forget();
        need = canCompare() ? Need.EPOCH_END : Need.FETCH;
    }

    private boolean canCompare() {
        return leaderEpoch >= 0 && copy.lastEpoch() >= 0;
    }

    // What is asked.

    @Override
    public String topicName() {
        return topic.name();
    }

    @Override
    public int partition() {
        return partition;
    }

    @Override
    public UUID sourceTopicId() {
        return sourceTopicId;
    }

    @Override
    public int leaderEpoch() {
        return leaderEpoch;
    }

    @Override
    public long fetchOffset() {
        return need == Need.PROBE ? probeOffset : copy.position();
    }

    @Override
    public int lastFetchedEpoch() {
        return need == Need.PROBE || leaderEpoch < 0 ? UNKNOWN : copy.epochBeforePosition();
    }

    @Override
    public int askedEpoch() {
        return copy.lastEpoch();
    }

    // What is answered.

    /** Ends a request; returns whether its answer counts. */
    private boolean isAnswered() {
        boolean counts = !isAnswerStale && asked == need && !isStopped();
        asked = Need.NOTHING;
        return counts;
    }

    @Override
    public void onFetched(
            ByteBuffer records,
            boolean isDiverging,
            long highWatermark,
            long lastStableOffset,
            long logStartOffset) {
        context.rate().take(records.remaining(), System.nanoTime());
        hadRecords = records.hasRemaining();
        if (!isAnswered()) {
            return;
        }
        guarded(
                () -> {
                    if (isDiverging && need == Need.FETCH) {
                        need = Need.EPOCH_END;
                        retry("the source does not have the batch before " + copy.position());
                        return;
                    }
                    // A probe asks below the end of this copy, where nothing is that new.
                    boolean mayBeAbove = need == Need.FETCH && !wasAbove;
                    ByteBuffer batches =
                            WholeBatches.of(records, leaderEpoch, highWatermark, mayBeAbove);
                    wasAbove = mayBeAbove && records.hasRemaining() && !batches.hasRemaining();
                    if (need == Need.PROBE) {
                        onProbed(batches, highWatermark);
                        return;
                    }
                    progress.source(highWatermark, logStartOffset);
                    lostMarkers.answered(lastStableOffset, highWatermark);
                    if (copy.take(records, batches)) {
                        append();
                    } // else other partitions took the space, or it is too new: it is asked again
                });
    }

    private void append() {
        if (copy.appendRest()) {
            pause.succeeded();
            progress.following(copy.nextOffset(), context.nowMs());
            switch (lostMarkers.look()) {
                case TRUNCATED -> check();
                case LOST -> stop(FollowState.STOPPED, lostMarkers.message());
                default -> {} // mostly
            }
        }
    }

    /**
     * The source does not know our last epoch, and its own older one goes on beyond our end. Either
     * it has other batches at these offsets, or it has none, because they were compacted before the
     * present leader copied them.
     */
    private void onProbed(ByteBuffer batches, long highWatermark) {
        if (batches.hasRemaining() && WholeBatches.firstOffset(batches) < copy.nextOffset()) {
            diverged(probeOffset, "the source has other records");
        } else if (batches.hasRemaining() || highWatermark >= copy.nextOffset()) {
            need = Need.FETCH;
        } else {
            retry("the high watermark of the source is below the end of this copy");
        }
    }

    @Override
    public void onEpochEnd(int epoch, long endOffset) {
        if (isAnswered()) {
            guarded(() -> compare(epoch, endOffset));
        }
    }

    private void compare(int epoch, long endOffset) {
        long nextOffset = copy.nextOffset();
        int lastEpoch = copy.lastEpoch();
        pause.succeeded();
        if (epoch < 0 || endOffset < 0) {
            diverged(UNKNOWN, "the source does not know leader epoch " + lastEpoch);
        } else if (endOffset < nextOffset) {
            diverged(
                    Math.min(endOffset, copy.endOfEpoch(epoch)),
                    "leader epoch " + epoch + " ends at offset " + endOffset + " in the source");
        } else if (epoch < lastEpoch) {
            copy.confirmed(epoch);
            probeOffset = Math.max(copy.endOfEpoch(epoch), progress.sourceLogStart());
            need = probeOffset < nextOffset ? Need.PROBE : Need.FETCH;
        } else {
            need = Need.FETCH;
        }
    }

    @Override
    public void onOffset(boolean isEarliest, long offset) {
        if (isAnswered()) {
            guarded(
                    () -> {
                        if (isEarliest) {
                            onEarliest(offset);
                        } else {
                            onLatest(offset);
                        }
                    });
        }
    }

    private void onEarliest(long offset) {
        long nextOffset = copy.nextOffset();
        progress.source(progress.highWatermark(), offset);
        if (offset <= copy.position()) {
            need = Need.LATEST;
            return;
        }
        boolean isFirstCopy = nextOffset == 0;
        if (!isFirstCopy && copy.position() == nextOffset) {
            String message = events.gap(nextOffset, offset);
            if (context.onGap() == OnGap.STOP) {
                stop(FollowState.STOPPED, message);
                return;
            }
        }
        copy.continueAt(offset);
        need = Need.FETCH;
    }

    private void onLatest(long offset) {
        progress.source(offset, progress.sourceLogStart());
        if (offset < copy.nextOffset() && !canCompare()) {
            diverged(offset, "the source ends at offset " + offset);
            return;
        }
        check();
        retry("offset " + copy.position() + " was out of range at the source");
    }

    @Override
    public void onFailed(SourceError error, String message) {
        if (!isAnswered()) {
            return;
        }
        switch (error) {
            case OUT_OF_RANGE -> need = Need.EARLIEST;
            case NOT_LEADER, UNKNOWN_TOPIC -> {
                needsMetadata = true;
                retry(message);
            }
            default -> retry(message);
        }
    }

    /** Says that there is no connection to the leader. */
    void onUnreachable(String message) {
        needsMetadata = true; // another broker may lead it by now
        retry(message);
    }

    // What comes of it.

    private void retry(String message) {
        pause.failed(context.nowMs());
        progress.retrying(message);
    }

    private void diverged(long cut, String found) {
        long nextOffset = copy.nextOffset();
        String message =
                found
                        + ", but this copy ends at offset "
                        + nextOffset
                        + " (leader epoch "
                        + copy.lastEpoch()
                        + ")";
        if (context.onDivergence() == OnDivergence.TRUNCATE && cut >= 0) {
            copy.truncate(cut);
        }
        if (copy.nextOffset() < nextOffset) {
            events.truncated(copy.nextOffset(), nextOffset, message);
            check();
        } else {
            stop(FollowState.DIVERGED, events.diverged(cut, nextOffset, message));
        }
    }

    /** Appends nothing any more. */
    void stop(FollowState state, String message) {
        need = Need.NOTHING;
        copy.dropRest();
        progress.stopped(state, message);
    }

    /** Says that the source does not have the topic now. */
    void onMissing(String message) {
        leader = UNKNOWN;
        if (!isStopped()) {
            isAnswerStale = true;
            progress.waiting(message);
        }
    }

    /** What fails here stops or delays this partition only. */
    private void guarded(Runnable work) {
        try {
            work.run();
        } catch (ClosedException e) {
            storeClosed = e;
        } catch (StoreFullException e) {
            retry(e.getMessage()); // the rest is kept
        } catch (InvalidBatchException e) {
            copy.dropRest(); // it may have been damaged on its way
            retry(e.getMessage());
        } catch (RecordTooLargeException | PoisonedException | UnknownTopicException e) {
            events.stopped(e.getMessage());
            stop(FollowState.STOPPED, e.getMessage());
        } catch (FirnException | InvalidOptionException e) {
            copy.dropRest();
            retry(e.getMessage());
        } catch (RuntimeException e) {
            // Kafka's client would only log it, and the partition would wait for ever.
            LOG.log(System.Logger.Level.ERROR, "the copy of a partition failed", e);
            copy.dropRest();
            retry(e.toString());
        }
    }

    @Override
    public void close() {
        copy.close();
    }
}
