package io.firn.store;

import io.firn.ExclusiveAppender;
import io.firn.InvalidOptionException;
import io.firn.IsolationLevel;
import io.firn.MediumException;
import io.firn.PartitionReader.CompactionMetrics;
import io.firn.PartitionReader.DamagedRange;
import io.firn.PartitionReader.PartitionMetrics;
import io.firn.PartitionReader.TimestampedOffset;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.append.OpenAppenders;
import io.firn.block.NextBlock;
import io.firn.compact.Compactor;
import io.firn.compact.PartitionCompaction;
import io.firn.compact.ReplacedSegments;
import io.firn.follow.FollowedTransactions;
import io.firn.force.PartitionForcer;
import io.firn.host.AbortedTransaction;
import io.firn.host.AppenderHolder;
import io.firn.host.BatchReader;
import io.firn.host.HostedAppender;
import io.firn.host.HostedPartition;
import io.firn.host.ReplicaAppender;
import io.firn.host.VisibleListener;
import io.firn.log.LogContext;
import io.firn.log.LogSegment;
import io.firn.log.RecoveredPartition;
import io.firn.log.SegmentedLog;
import io.firn.log.TopicContext;
import io.firn.producer.CheckpointDuty;
import io.firn.producer.ProducerAppends;
import io.firn.producer.ProducerReplay;
import io.firn.producer.Producers;
import io.firn.read.LogBatchReader;
import io.firn.read.TimestampSearch;
import io.firn.recovery.PartitionRecovery;
import io.firn.replica.PartitionReplicaAppender;
import io.firn.replica.TruncationDuty;
import io.firn.replica.TruncationHistory;
import io.firn.spi.Block;
import io.firn.spi.StorageTier;
import io.firn.tx.TxPartition;
import io.firn.upkeep.PartitionUpkeep;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import javax.annotation.concurrent.GuardedBy;

/**
 * A partition as its users see it: the log ({@link SegmentedLog}) and the parts that are built on
 * it, which append, force, read, and tidy up.
 */
public final class PartitionLog implements HostedPartition {
    private final Topic topic;
    private final SegmentedLog log;
    private final LogContext store;
    private final PartitionForcer forcer;
    private final OpenAppenders appenders;
    private final PartitionUpkeep upkeep;
    private final ProducerAppends producerAppends;
    private CheckpointDuty checkpoints;
    private final Compactor compactor;

    /** What truncates it; null unless its topic is replicated. */
    private final TruncationDuty truncation;

    @GuardedBy("this")
    private PartitionCompaction compaction;

    /**
     * What was found of a partition at open.
     *
     * @param producers what is known of its producers
     * @param truncated what it was truncated to
     */
    record Recovered(
            RecoveredPartition log, ProducerReplay producers, TruncationHistory truncated) {
        /** Of a partition that is new, or that another process writes. */
        static Recovered empty(int index, ProducerReplay producers) {
            return new Recovered(
                    RecoveredPartition.empty(index), producers, TruncationHistory.NONE);
        }

        /** Recovers a partition from its blocks. */
        static Recovered of(
                TopicContext topic, int index, List<Block> blocks, ProducerReplay producers)
                throws IOException {
            RecoveredPartition log =
                    new PartitionRecovery(topic, index, ReplacedSegments::among, producers)
                            .recover(blocks);
            // A truncation is over only when what it left is durable (O28).
            TruncationHistory truncated =
                    topic.isReplicated()
                            ? TruncationDuty.recover(topic, index)
                            : TruncationHistory.NONE;
            return new Recovered(log, producers, truncated);
        }
    }

    /**
     * Creates a partition from what was recovered of it.
     *
     * @param topic what its user sees of its topic
     */
    PartitionLog(Topic topic, TopicContext context, Compactor compactor, Recovered from) {
        RecoveredPartition recovered = from.log();
        ProducerReplay found = from.producers();
        this.topic = topic;
        this.compactor = compactor;
        this.log = new SegmentedLog(context, recovered, found.producers().transactions());
        this.store = log.store();
        this.forcer = new PartitionForcer(log);
        NextBlock nextBlock = new NextBlock(log);
        Producers producers = found.producers();
        this.producerAppends = new ProducerAppends(log, producers, found.ofStore());
        this.appenders =
                new OpenAppenders(log, forcer, nextBlock, recovered.active(), producerAppends);
        this.upkeep =
                new PartitionUpkeep(log, appenders, nextBlock, () -> createCheckpoints(found));
        this.truncation =
                context.isReplicated()
                        ? new TruncationDuty(log, forcer, upkeep, checkpoints, from.truncated())
                        : null;
        log.connect(forcer, appenders.alarm(), upkeep);
        upkeep.onRecovered();
        if (!context.isReplicated()) {
            producers.limit(found.ofStore());
        }
        if (store.isReadOnly()) {
            producers.transactions().follow(new FollowedTransactions(log, found));
        }
    }

    private CheckpointDuty createCheckpoints(ProducerReplay found) {
        checkpoints = new CheckpointDuty(store.tidying(), log, forcer, found);
        return checkpoints;
    }

    // ---- its parts

    public SegmentedLog log() {
        return log;
    }

    PartitionForcer forcer() {
        return forcer;
    }

    PartitionUpkeep upkeep() {
        return upkeep;
    }

    CheckpointDuty checkpoints() {
        return checkpoints;
    }

    /** Its compaction, which is made when it is first needed. */
    synchronized PartitionCompaction compaction() {
        if (compaction == null) {
            compaction = new PartitionCompaction(compactor, log, upkeep);
        }
        return compaction;
    }

    /** Compacts it when the topic's options say so, from now on. */
    void compactByItself() {
        PartitionCompaction duty = compaction();
        upkeep.onFinished(duty::call);
        duty.call();
    }

    /**
     * Lets nothing new be appended in a tier that is drained: ends the active segment, unless an
     * append or a claim is under way in it, and gives back the reserved block.
     */
    @SuppressWarnings("ReferenceEquality") // this very tier
    void leave(StorageTier tier) {
        LogSegment active = log.activeSegment();
        if (active != null && active.block().tier() == tier) {
            appenders.endSegment(active);
        }
        upkeep.leave(tier);
    }

    /** Whether an appender is open. */
    boolean hasAppenders() {
        return appenders.isAny();
    }

    /** What transactions see of it. */
    TxPartition inTransactions() {
        return new TxPartition(this, log, appenders, forcer, producerAppends);
    }

    /** See {@link OpenAppenders#awaitAppends}. */
    String awaitAppends(long deadlineNs) {
        return appenders.awaitAppends(deadlineNs);
    }

    /** It may be compacted again, and what was due meanwhile is. */
    synchronized void compactAgain() {
        if (compaction != null) {
            compaction.call();
        }
    }

    /** The options of its topic have changed. */
    synchronized void noteFindings() {
        if (compaction != null) {
            compaction.noteFindings();
        }
    }

    // ---- what is published

    @Override
    public Topic topic() {
        return topic;
    }

    @Override
    public int index() {
        return log.index();
    }

    @Override
    public long logStartOffset() {
        log.catchUp();
        return log.logStartOffset();
    }

    @Override
    public long durableOffset() {
        log.catchUp();
        return log.durableOffset();
    }

    @Override
    public long nextOffset() {
        log.catchUp();
        return log.nextOffset();
    }

    @Override
    public long visibleOffset(IsolationLevel isolation) {
        log.catchUp();
        return log.visibleOffset(isolation);
    }

    @Override
    public long truncations() {
        log.catchUp();
        return log.truncations().count();
    }

    @Override
    public long truncatedSince(long truncations) {
        log.catchUp();
        return log.truncations().lowestSince(truncations);
    }

    @Override
    public long activeOffset() {
        LogSegment active = log.activeSegment();
        return active == null ? nextOffset() : active.baseOffset();
    }

    @Override
    public void addVisibleListener(VisibleListener listener) {
        log.readers().add(listener);
    }

    @Override
    public void removeVisibleListener(VisibleListener listener) {
        log.readers().remove(listener);
    }

    @Override
    public List<DamagedRange> damage() {
        return log.damage();
    }

    @Override
    public PartitionMetrics metrics() {
        return new PartitionCounts(
                topic.name(),
                index(),
                logStartOffset(),
                durableOffset(),
                nextOffset(),
                log.segments().length,
                log.segmentList().bytes(),
                forcer.forces(),
                forcer.forcedBytes(),
                log.rolls(),
                appenders.stalls(),
                upkeep.backlogBytes(),
                upkeep.unreadDeleted(),
                undecided(),
                log.state().isPoisoned(),
                compactionMetrics());
    }

    private long undecided() {
        long committed =
                log.visibleOffset(IsolationLevel.READ_COMMITTED); // first: the other one advances
        return log.visibleOffset(IsolationLevel.READ_UNCOMMITTED) - committed;
    }

    private Optional<CompactionMetrics> compactionMetrics() {
        boolean isCompacted = topic.options().cleanup().isCompacting() && !store.isReadOnly();
        return isCompacted ? Optional.of(compaction().metrics()) : Optional.empty();
    }

    // ---- appending

    @Override
    public ExclusiveAppender openExclusiveAppender() {
        return appenders.openExclusive();
    }

    @Override
    public HostedAppender openAppender() {
        return appenders.openShared();
    }

    @Override
    public HostedAppender openAppender(AppenderHolder holder) {
        return appenders.openShared(Objects.requireNonNull(holder, "holder"));
    }

    @Override
    public ReplicaAppender openReplicaAppender() {
        return PartitionReplicaAppender.open(appenders, truncation);
    }

    @Override
    public void force() {
        if (durableOffset() < nextOffset() && store.isReadOnly()) {
            store.checkWritable(); // says that the other process has to
        }
        forcer.awaitDurable(nextOffset());
    }

    // ---- reading

    @Override
    public Tailer openTailer() {
        return topic.openTailer(TailerOptions.defaults().withPartitions(index()));
    }

    @Override
    public BatchReader openBatchReader(IsolationLevel isolation) {
        return new LogBatchReader(this, log, isolation);
    }

    @Override
    public List<AbortedTransaction> abortedTransactions(long from, long to) {
        log.state().checkReadable();
        return producerAppends.producers().transactions().aborted().between(from, to);
    }

    @Override
    public TimestampedOffset findTimestamp(long timestampMs, IsolationLevel isolation) {
        log.state().checkReadable();
        return new TimestampSearch(log, isolation).find(timestampMs);
    }

    @Override
    public TimestampedOffset findLatestTimestamp(IsolationLevel isolation) {
        log.state().checkReadable();
        return new TimestampSearch(log, isolation).findLatest();
    }

    // ---- deleting

    @Override
    public long deleteRecordsBefore(long offset) {
        store.checkWritable();
        log.state().checkReadable();
        if (offset < 0 || offset > durableOffset()) {
            throw new InvalidOptionException(
                    this
                            + ": records can be deleted up to the durable offset "
                            + durableOffset()
                            + ", not before "
                            + offset);
        }
        try {
            log.raiseLogStart(offset);
        } catch (IOException e) {
            throw new MediumException(this + ": the new log start offset could not be written", e);
        }
        return logStartOffset();
    }

    @Override
    public String toString() {
        return log.toString();
    }
}
