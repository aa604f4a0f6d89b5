package io.firn.store;

import io.firn.Batch;
import io.firn.Cursor;
import io.firn.FirnException;
import io.firn.InvalidOptionException;
import io.firn.Partition;
import io.firn.Tailer;
import io.firn.Topic;
import io.firn.TopicAppender;
import io.firn.TopicOptions;
import io.firn.batch.BatchEncoder;
import io.firn.spi.Block;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/** A topic and its partitions. */
final class TopicLog implements Topic {
    private final Store store;
    private final UUID id;
    private final String name;
    private volatile TopicOptions options;
    private final TopicFiles files;
    private final List<TierState> tiers;
    private final int segmentBytes;
    // Replaced as a whole when partitions are added.
    private volatile List<PartitionLog> logs = List.of();
    private final Map<String, CursorLog> cursors = new TreeMap<>();
    private final CursorUpkeep cursorUpkeep;
    private volatile boolean allCursorsKnown;
    private final Signal published = new Signal();

    TopicLog(Store store, UUID id, String name, TopicOptions options) {
        this.store = store;
        this.id = id;
        this.name = name;
        this.options = options;
        this.files = new TopicFiles(store, id);
        this.cursorUpkeep = new CursorUpkeep(store, this);
        this.tiers =
                store.tiers().stream()
                        .filter(tier -> isChosen(options, tier))
                        .filter(
                                state ->
                                        state.tier()
                                                        .durabilityClass()
                                                        .compareTo(options.minimumClass())
                                                >= 0)
                        .toList();
        int bytes = options.segmentBytes();
        for (TierState state : tiers) {
            bytes = Math.min(bytes, state.tier().maxSegmentBytes());
        }
        this.segmentBytes = bytes;
    }

    private static boolean isChosen(TopicOptions options, TierState tier) {
        return options.tiers().isEmpty()
                || (tier.isLabelled() && options.tiers().contains(tier.label()));
    }

    /** Creates it with empty partitions, for a new topic or one that another process writes. */
    void startEmpty() {
        growTo(options.partitions());
    }

    private void growTo(int total) {
        List<PartitionLog> all = new ArrayList<>(logs);
        while (all.size() < total) {
            all.add(new PartitionLog(this, all.size(), RecoveredPartition.empty()));
        }
        logs = List.copyOf(all);
    }

    /** Creates it with what the tiers hold. */
    void recover(List<Block> blocks) throws IOException {
        List<List<Block>> byPartition = new ArrayList<>();
        for (int i = 0; i < options.partitions(); i++) {
            byPartition.add(new ArrayList<>());
        }
        for (Block block : blocks) {
            int partition = block.mark().partition();
            if (partition >= byPartition.size()) {
                store.addFinding(
                        block.name()
                                + ": topic "
                                + name
                                + " has no partition "
                                + partition
                                + "; kept, not served");
            } else {
                byPartition.get(partition).add(block);
            }
        }
        List<PartitionLog> all = new ArrayList<>();
        for (int i = 0; i < byPartition.size(); i++) {
            RecoveredPartition recovered =
                    new PartitionRecovery(this, i).recover(byPartition.get(i));
            all.add(new PartitionLog(this, i, recovered));
        }
        logs = List.copyOf(all);
    }

    Store store() {
        return store;
    }

    /** Wakes threads that wait for records of several partitions. */
    Signal published() {
        return published;
    }

    /** In a read-only store: the present content of the topic file. */
    synchronized void follow(TopicOptions found) {
        if (!found.equals(options)) {
            options = found;
            if (found.partitions() > logs.size()) {
                growTo(found.partitions());
                store.listPartitions();
            }
        }
    }

    TopicFiles files() {
        return files;
    }

    List<PartitionLog> logs() {
        return logs;
    }

    PartitionLog log(int index) {
        if (index < 0 || index >= logs.size()) {
            throw new InvalidOptionException(
                    "topic "
                            + name
                            + " has partitions 0 to "
                            + (logs.size() - 1)
                            + ", not "
                            + index);
        }
        return logs.get(index);
    }

    /** The tiers that its segments may be in, hottest first. */
    List<TierState> tiers() {
        return tiers;
    }

    /** Its tiers that work; all of them when none does. */
    List<TierState> tiersInRotation() {
        for (TierState tier : tiers) {
            if (!tier.isInRotation()) {
                List<TierState> working = tiers.stream().filter(TierState::isInRotation).toList();
                return working.isEmpty() ? tiers : working;
            }
        }
        return tiers;
    }

    /**
     * The positions of the cursors in a partition, by name, without cursors that have none there.
     */
    Map<String, Long> cursorOffsets(int partition) {
        if (!allCursorsKnown) {
            cursorNames().forEach(this::cursor);
            allCursorsKnown = true; // new ones are added by cursor()
        }
        Map<String, Long> offsets = new TreeMap<>();
        synchronized (cursors) {
            for (CursorLog cursor : cursors.values()) {
                long offset = cursor.offset(partition);
                if (offset >= 0) {
                    offsets.put(cursor.name(), offset);
                }
            }
        }
        return offsets;
    }

    /** The room in a segment: what the topic asks for, or what a block of its tiers holds. */
    int segmentBytes() {
        return segmentBytes;
    }

    Batch newBatch() {
        return new BatchEncoder(store.clock(), options.compression(), options.maxRecordBytes());
    }

    @Override
    public UUID id() {
        return id;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public TopicOptions options() {
        return options;
    }

    @Override
    public synchronized void changeOptions(TopicOptions changed) {
        Objects.requireNonNull(changed, "options");
        TopicOptions fixed =
                new TopicOptions(
                        options.partitions(),
                        options.durability(),
                        options.segmentBytes(),
                        changed.rollMs(),
                        changed.retentionBytes(),
                        changed.retentionMs(),
                        options.maxRecordBytes(),
                        changed.compression(),
                        changed.forceBytes(),
                        changed.forceMs(),
                        options.minimumClass(),
                        options.tiers());
        if (!fixed.equals(changed)) {
            throw new InvalidOptionException(
                    "of topic "
                            + name
                            + " only retention, roll age, compression and force interval can be"
                            + " changed: it has "
                            + options
                            + ", requested was "
                            + changed);
        }
        write(changed, () -> {});
        for (PartitionLog log : logs) {
            log.upkeep().onNewLimits();
            log.forcer().call();
        }
    }

    @Override
    public synchronized void addPartitions(int total) {
        if (total <= logs.size()) {
            throw new InvalidOptionException(
                    "topic "
                            + name
                            + " has "
                            + logs.size()
                            + " partitions, not fewer than "
                            + total);
        }
        write(options.withPartitions(total), () -> growTo(total));
        store.listPartitions();
    }

    /**
     * Writes the topic's file, then publishes the change, so that it is durable before anybody can
     * append to a new partition. All of it happens before or after a deletion or the close of the
     * store, both of which end all partitions.
     */
    private void write(TopicOptions changed, Runnable show) {
        store.checkWritable();
        logs.get(0).state().checkReadable();
        try {
            store.changeTopic(
                    () -> {
                        files.create(name, changed);
                        options = changed;
                        show.run();
                    },
                    this);
        } catch (IOException e) {
            throw TopicFiles.failed("topic " + name + " could not be changed", e);
        }
    }

    @Override
    public int partitionCount() {
        return logs.size();
    }

    @Override
    public Partition partition(int index) {
        return log(index);
    }

    @Override
    public TopicAppender openAppender() {
        return new TopicLogAppender(this);
    }

    @Override
    public Tailer openTailer(int... partitions) {
        Objects.requireNonNull(partitions, "partitions");
        if (partitions.length == 0) {
            return openTailer(logs);
        }
        List<PartitionLog> chosen = new ArrayList<>();
        for (int partition : partitions) {
            PartitionLog log = log(partition);
            if (chosen.contains(log)) {
                throw new InvalidOptionException("partition " + partition + " is named twice");
            }
            chosen.add(log);
        }
        return openTailer(chosen);
    }

    /** Opens a tailer over some of the topic's logs. */
    Tailer openTailer(List<PartitionLog> chosen) {
        return new LogTailer(
                chosen,
                chosen.size() == 1 ? chosen.get(0).published() : published,
                store::lookAgain,
                store.isInvoker() ? store::doWork : null,
                this::checkCursor);
    }

    private void checkCursor(Cursor cursor) {
        if (cursor instanceof CursorLog known && !known.topic().id().equals(id)) {
            throw new InvalidOptionException(
                    "cursor "
                            + cursor.name()
                            + " belongs to topic "
                            + known.topic().name()
                            + " with the id "
                            + known.topic().id()
                            + ", this tailer reads topic "
                            + name
                            + " with the id "
                            + id);
        }
    }

    @Override
    public Cursor cursor(String cursorName) {
        Objects.requireNonNull(cursorName, "name");
        if (!TopicFiles.isCursorName(cursorName)) {
            throw new InvalidOptionException(
                    "a cursor's name has 1 to "
                            + TopicFiles.MAX_CURSOR_NAME
                            + " characters and is to fit into a file's name with each byte of its"
                            + " UTF-8 other than a-z A-Z 0-9 . _ - taking three; this one has "
                            + cursorName.length());
        }
        logs.get(0).state().checkReadable();
        synchronized (cursors) {
            CursorLog cursor = cursors.get(cursorName);
            if (cursor == null) {
                try {
                    cursor = new CursorLog(this, cursorName, files.readCursor(cursorName));
                } catch (IOException e) {
                    throw TopicFiles.failed("cursor " + cursorName + " could not be read", e);
                }
                cursors.put(cursorName, cursor);
            }
            return cursor;
        }
    }

    @Override
    public List<String> cursorNames() {
        try {
            TreeSet<String> names = new TreeSet<>(files.cursorNames());
            if (!store.isReadOnly()) {
                synchronized (cursors) {
                    names.addAll(cursors.keySet());
                }
            }
            return List.copyOf(names);
        } catch (IOException e) {
            throw TopicFiles.failed("the cursors of topic " + name + " could not be listed", e);
        }
    }

    @Override
    public void deleteCursor(String cursorName) {
        Objects.requireNonNull(cursorName, "name");
        store.checkWritable();
        synchronized (cursors) {
            try {
                CursorLog cursor = cursors.remove(cursorName);
                if (cursor != null) {
                    cursor.delete();
                } else if (TopicFiles.isCursorName(cursorName)) {
                    files.deleteCursor(cursorName);
                }
            } catch (IOException e) {
                throw TopicFiles.failed("cursor " + cursorName + " could not be deleted", e);
            }
        }
    }

    /** Persists the cursors. */
    void writeCursors() {
        List<CursorLog> all;
        synchronized (cursors) {
            all = List.copyOf(cursors.values());
        }
        FirnException failure = null;
        for (CursorLog cursor : all) {
            try {
                cursor.write();
            } catch (FirnException e) {
                failure = e; // of this cursor; the others are written nevertheless
            } catch (IOException e) {
                failure = TopicFiles.failed("cursor " + cursor.name() + " could not be written", e);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Called when a cursor was advanced; it is persisted before long. */
    void onCursorChanged() {
        cursorUpkeep.call();
    }

    /** Whether it was deleted, or the store is closed. */
    boolean isGone() {
        return logs.get(0).state().isGone();
    }

    /**
     * Writes producer checkpoints of partitions that have changed, and makes all of them durable at
     * once; there are no more appends.
     */
    void writeCheckpoints(long nowMs) throws IOException {
        int[] written = {0};
        for (PartitionLog log : logs) {
            store.background()
                    .attempt(
                            log,
                            () -> {
                                written[0] +=
                                        log.upkeep().checkpoints().writeUnnamed(nowMs) ? 1 : 0;
                                return 0;
                            });
        }
        if (written[0] > 0) {
            files.forceNames();
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
