package io.firn.store;

import io.firn.Batch;
import io.firn.Cursor;
import io.firn.CursorReader.CursorMetrics;
import io.firn.Finding.Kind;
import io.firn.InvalidOptionException;
import io.firn.IsolationLevel;
import io.firn.Partition;
import io.firn.Tailer;
import io.firn.TailerOptions;
import io.firn.Topic;
import io.firn.TopicAppender;
import io.firn.TopicOptions;
import io.firn.append.TopicLogAppender;
import io.firn.compact.Compactor;
import io.firn.cursor.CursorLags;
import io.firn.cursor.CursorTailer;
import io.firn.cursor.Cursors;
import io.firn.findings.FindingKey;
import io.firn.log.LogContext;
import io.firn.log.SegmentedLog;
import io.firn.log.TopicContext;
import io.firn.medium.GuardedLog;
import io.firn.metadata.TopicFiles;
import io.firn.producer.CheckpointDuty;
import io.firn.producer.ProducerFiles;
import io.firn.producer.ProducerReplay;
import io.firn.producer.ProducerSnapshots;
import io.firn.producer.StoreProducers;
import io.firn.read.LogTailer;
import io.firn.spi.Block;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** A topic and its partitions. */
public final class TopicLog implements Topic {
    private static final GuardedLog LOG = GuardedLog.get();

    private final LogContext store;
    private final TopicOwner owner;
    private final TopicContext context;
    private final ProducerFiles producerFiles;
    private final Cursors cursors;
    private final CursorLags lags;
    // Replaced as a whole when partitions are added.
    private volatile List<PartitionLog> partitions = List.of();

    /** While the function of {@link #updateOptions} runs; guarded by this. */
    private boolean isUpdating;

    /**
     * Creates a topic, without partitions so far.
     *
     * @param owner of the topic, once it is added there
     */
    public TopicLog(
            LogContext store, TopicOwner owner, UUID id, String name, TopicOptions options) {
        this.store = store;
        this.owner = owner;
        this.context = new TopicContext(store, id, name, options);
        this.producerFiles = new ProducerFiles(context.directory());
        this.cursors =
                new Cursors(
                        context,
                        this::partitionCount,
                        i -> partitionLog(i).forcer(),
                        cursor -> onCursorDeleted(id, cursor));
        this.lags = new CursorLags(cursors);
        context.readPositions(cursors);
    }

    private void onCursorDeleted(UUID id, String cursor) {
        owner.producers().openTransactions().onCursorDeleted(id, cursor);
    }

    /** Creates it with empty partitions, for a new topic or one that another process writes. */
    public void startEmpty() {
        growTo(options().partitions());
    }

    private void growTo(int total) {
        List<PartitionLog> all = new ArrayList<>(partitions);
        while (all.size() < total) {
            int index = all.size();
            all.add(partition(PartitionLog.Recovered.empty(index, replayOf(index))));
        }
        partitions = List.copyOf(all);
        compactByItself();
    }

    private PartitionLog partition(PartitionLog.Recovered recovered) {
        return new PartitionLog(this, context, owner.compactor(), recovered);
    }

    private ProducerReplay replayOf(int partition) {
        return new ProducerReplay(context, partition, producerFiles, owner.producers());
    }

    /** Makes the store's own thread compact it, if the options say so. */
    private void compactByItself() {
        if (options().cleanup().isCompacting() && !store.isReadOnly() && !store.isInvoker()) {
            store.background().startCompacting();
            partitions.forEach(PartitionLog::compactByItself);
        }
    }

    /** Creates it with what the tiers hold. */
    public void recover(List<Block> blocks) throws IOException {
        List<List<Block>> byPartition = new ArrayList<>();
        for (int i = 0; i < options().partitions(); i++) {
            byPartition.add(new ArrayList<>());
        }
        for (Block block : blocks) {
            int partition = block.mark().partition();
            if (partition >= byPartition.size()) {
                store.findings()
                        .begin(
                                FindingKey.of(
                                        Kind.UNKNOWN_CONTENT, context.subject(), block.name()),
                                block.name()
                                        + ": topic "
                                        + name()
                                        + " has no partition "
                                        + partition
                                        + "; kept, not served: if partitions were added, "
                                        + context.files().topicFile()
                                        + " is from before that, restore the newer one");
            } else {
                byPartition.get(partition).add(block);
            }
        }
        List<PartitionLog> all = new ArrayList<>();
        for (PartitionLog.Recovered each : recoverAll(byPartition)) {
            all.add(partition(each));
        }
        partitions = List.copyOf(all);
        compactByItself();
        producerFiles.onRecovered();
    }

    /**
     * Several at once: most of the time goes into forces. No partition depends on another one, each
     * keeps its order (O1), and none is visible before all are recovered.
     */
    private PartitionLog.Recovered[] recoverAll(List<List<Block>> byPartition) throws IOException {
        PartitionLog.Recovered[] recovered = new PartitionLog.Recovered[byPartition.size()];
        AtomicReference<IOException> failure = new AtomicReference<>();
        List<Runnable> steps = new ArrayList<>();
        for (int i = 0; i < recovered.length; i++) {
            int index = i;
            steps.add(
                    () -> {
                        try {
                            recovered[index] =
                                    PartitionLog.Recovered.of(
                                            context,
                                            index,
                                            byPartition.get(index),
                                            replayOf(index));
                        } catch (IOException e) {
                            failure.compareAndSet(null, e);
                        }
                    });
        }
        store.background().sideBySide().run(steps);
        if (failure.get() != null) {
            throw failure.get();
        }
        return recovered;
    }

    /** In a read-only store: the present content of the topic file. */
    public synchronized void follow(TopicOptions found) {
        if (!found.equals(options())) {
            context.options(found);
            if (found.partitions() > partitions.size()) {
                growTo(found.partitions());
                owner.onPartitionsAdded();
            }
        }
    }

    // ---- its parts

    /** What its partitions share. */
    public TopicContext context() {
        return context;
    }

    Cursors cursors() {
        return cursors;
    }

    List<PartitionLog> logs() {
        return partitions;
    }

    public List<SegmentedLog> segmentedLogs() {
        return partitions.stream().map(PartitionLog::log).toList();
    }

    /** The same if it is replicated, otherwise none. */
    public List<SegmentedLog> replicatedLogs() {
        return options().isReplicated() ? segmentedLogs() : List.of();
    }

    public PartitionLog partitionLog(int index) {
        if (index < 0 || index >= partitions.size()) {
            throw new InvalidOptionException(
                    "topic "
                            + name()
                            + " has partitions 0 to "
                            + (partitions.size() - 1)
                            + ", not "
                            + index);
        }
        return partitions.get(index);
    }

    // ---- what its users see

    @Override
    public UUID id() {
        return context.id();
    }

    @Override
    public String name() {
        return context.name();
    }

    @Override
    public TopicOptions options() {
        return context.options();
    }

    @Override
    public int partitionCount() {
        return partitions.size();
    }

    @Override
    public Partition partition(int index) {
        return partitionLog(index);
    }

    @Override
    public Batch newBatch() {
        return context.newBatch();
    }

    @Override
    public TopicAppender openAppender() {
        return new TopicLogAppender(partitions, context::newBatch);
    }

    @Override
    public Tailer openTailer(TailerOptions options) {
        int[] chosen = options.partitions();
        if (chosen.length == 0) {
            chosen = IntStream.range(0, partitionCount()).toArray();
        }
        Cursor cursor = options.cursor() == null ? null : cursor(options.cursor());
        List<SegmentedLog> logs = new ArrayList<>();
        for (int partition : chosen) {
            SegmentedLog log = partitionLog(partition).log();
            if (logs.contains(log)) {
                throw new InvalidOptionException("partition " + partition + " is named twice");
            }
            logs.add(log);
        }
        Tailer tailer = openTailer(logs, options.isolation());
        if (cursor != null) {
            return CursorTailer.open(tailer, cursor, options, chosen);
        }
        options.moveToStart(tailer);
        return tailer;
    }

    private Tailer openTailer(List<SegmentedLog> logs, IsolationLevel isolation) {
        return new LogTailer(logs, cursors::checkOwn, isolation);
    }

    @Override
    public Cursor cursor(String cursorName) {
        return cursors.cursor(cursorName);
    }

    @Override
    public boolean hasCursor(String cursorName) {
        context.store().checkOpen();
        return cursors.has(cursorName);
    }

    @Override
    public List<String> cursorNames() {
        context.store().checkOpen();
        return cursors.names();
    }

    @Override
    public void deleteCursor(String cursorName) {
        cursors.delete(cursorName);
    }

    @Override
    public List<CursorMetrics> cursorMetrics() {
        return lags.of(partitions);
    }

    // ---- changes

    @Override
    public synchronized void changeOptions(TopicOptions options) {
        checkNoUpdate();
        OptionsToChange change = OptionsToChange.of(name(), options(), options);
        String impossible = change.impossibleWithoutGrowing();
        if (!impossible.isEmpty()) {
            throw new InvalidOptionException(
                    "of topic "
                            + name()
                            + " only retention, compaction, roll age, compression, force interval"
                            + " and prepared space can be changed: "
                            + impossible);
        }
        change(change.wanted());
    }

    @Override
    public synchronized void updateOptions(UnaryOperator<TopicOptions> change) {
        checkNoUpdate();
        TopicOptions changed;
        isUpdating = true;
        try {
            changed = change.apply(options());
        } finally {
            isUpdating = false;
        }
        changeOptions(Objects.requireNonNull(changed, "the function's options"));
    }

    /** A change by the function of an update would be lost when the update is written. */
    private void checkNoUpdate() {
        if (isUpdating) {
            throw new IllegalStateException(
                    "the function of updateOptions changes topic "
                            + name()
                            + " itself: it must only return the options that are wanted");
        }
    }

    /** Gives the topic the options that are set, and returns what that has changed. */
    synchronized List<TopicOptions.Change> ensure(TopicOptions options) {
        checkNoUpdate();
        OptionsToChange change = OptionsToChange.of(name(), options(), options);
        String impossible = change.impossible();
        if (!impossible.isEmpty()) {
            throw new InvalidOptionException(
                    "topic "
                            + name()
                            + " exists with other options, which cannot be changed: "
                            + impossible
                            + "; open it as it is (openTopic), or create another one");
        }
        List<TopicOptions.Change> changes = change.changes();
        if (!changes.isEmpty()) {
            change(change.wanted());
            LOG.log(
                    System.Logger.Level.INFO,
                    "ensureTopic changed topic " + name() + ": " + changes);
        }
        return changes;
    }

    private void change(TopicOptions wanted) {
        Cursors.checkNames(wanted.retainUntilRead());
        int before = partitions.size();
        write(wanted, () -> growTo(wanted.partitions()));
        if (partitions.size() > before) {
            owner.onPartitionsAdded();
        }
        for (PartitionLog partition : partitions) {
            partition.log().state().needKeys(context.needsKeys());
            partition.upkeep().onNewLimits();
            partition.forcer().call();
            partition.noteFindings();
        }
        compactByItself();
    }

    @Override
    public synchronized void addPartitions(int total) {
        checkNoUpdate();
        if (total <= partitions.size()) {
            throw new InvalidOptionException(
                    "topic "
                            + name()
                            + " has "
                            + partitions.size()
                            + " partitions, not fewer than "
                            + total);
        }
        write(options().withPartitions(total), () -> growTo(total));
        owner.onPartitionsAdded();
    }

    /**
     * Writes the topic's file, then publishes the change, so that it is durable before anybody can
     * append to a new partition. All of it happens before or after a deletion or the close of the
     * store, both of which end all partitions.
     */
    private void write(TopicOptions changed, Runnable show) {
        store.checkWritable();
        partitionLog(0).log().state().checkReadable();
        try {
            owner.change(
                    this,
                    changed.partitions() - options().partitions(),
                    () -> {
                        context.files().create(name(), changed);
                        context.options(changed);
                        show.run();
                        store.onTopics();
                    });
        } catch (IOException e) {
            throw TopicFiles.failed("topic " + name() + " could not be changed", e);
        }
    }

    // ---- the end

    /**
     * Writes the producer checkpoints of partitions that have changed, into one file; there are no
     * more appends. What the file has of the other partitions stays in it: it may be all that there
     * is.
     */
    void writeCheckpoints(long nowMs) throws IOException {
        ProducerSnapshots all = producerFiles.readAtClose();
        int[] changed = {0};
        for (PartitionLog partition : partitions) {
            CheckpointDuty checkpoints = partition.checkpoints();
            store.background()
                    .attempt(
                            partition.log().subject(),
                            () -> {
                                int index = partition.index();
                                Map<String, String> last = checkpoints.takeLast(nowMs);
                                if (last != null && all.add(index, last)) {
                                    changed[0]++;
                                } else if (last != null) {
                                    producerFiles.write(index, last);
                                }
                                return 0;
                            });
        }
        if (changed[0] > 0) {
            producerFiles.writeAtClose(all);
        }
    }

    @Override
    public String toString() {
        return name();
    }

    /** The collection of topics that a topic is in, for changes of the topic. Thread-safe. */
    interface TopicOwner {
        /**
         * Changes a topic, unless it is being deleted: a tombstone must not be overwritten, and
         * nothing is added to a topic that a deletion has ended.
         *
         * @param morePartitions how many partitions the change adds
         * @param change writes the topic's file, then shows the change
         */
        void change(Topic topic, int morePartitions, TopicFiles.Change change) throws IOException;

        /** Returns what compacts partitions. */
        Compactor compactor();

        /** Returns what the producers of all partitions share. */
        StoreProducers producers();

        /** Partitions were added to a topic. */
        void onPartitionsAdded();
    }
}
