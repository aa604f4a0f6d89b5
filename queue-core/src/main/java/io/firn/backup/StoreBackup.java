package io.firn.backup;

import io.firn.Backup;
import io.firn.Backup.Bytes;
import io.firn.Backup.Part;
import io.firn.BackupOptions;
import io.firn.BusyException;
import io.firn.InvalidOptionException;
import io.firn.MediumException;
import io.firn.RetryableException;
import io.firn.StoreFullException;
import io.firn.UnknownTopicException;
import io.firn.backup.BackupDirectory.Manifest;
import io.firn.backup.BackupSource.SourceTopic;
import io.firn.backup.PartitionCopy.Progress;
import io.firn.backup.StateBundle.Sum;
import io.firn.backup.StorePoint.PartitionPoint;
import io.firn.backup.StorePoint.TopicPoint;
import io.firn.log.LogContext;
import io.firn.log.SegmentedLog;
import io.firn.medium.FileErrors;
import io.firn.medium.FileMedium;
import io.firn.medium.FileMedium.MediumLock;
import io.firn.metadata.TopicFiles;
import io.firn.move.CheckedCopy.Pace;
import io.firn.spi.StorageTier;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Makes a backup, on the thread of the caller; see the package for the order. */
public final class StoreBackup {
    /** As often a backup begins anew because the journal was shortened, or a replica truncated. */
    private static final int MOST_POINTS = 20;

    private final BackupSource source;
    private final LogContext context;
    private final FileMedium medium;
    private final BackupDirectory to;
    private final BackupOptions options;

    /** The log that is being copied; null before the first one. */
    private SegmentedLog current;

    /**
     * A backup.
     *
     * @param source the store, which has one backup at a time
     */
    public StoreBackup(BackupSource source, Path destination, BackupOptions options) {
        this.source = source;
        this.context = source.context();
        this.medium = context.config().medium();
        this.to = new BackupDirectory(medium, destination);
        this.options = options;
    }

    /** Makes it. */
    @SuppressWarnings("try") // the lock is only held
    public Backup run() {
        checkPlaces();
        boolean isOuter = context.beginMove();
        try {
            medium.createDirectories(to.root());
            try (MediumLock lock = medium.lock(to.lock())) { // against other processes
                return runLocked();
            }
        } catch (IOException | InternalError e) {
            throw failed(e);
        } finally {
            if (isOuter) {
                context.endMove();
            }
        }
    }

    private RuntimeException failed(Throwable e) {
        String what =
                "the backup of "
                        + context
                        + " in "
                        + to.root()
                        + " is not complete; the one before, if there is any, was not changed: ";
        if (e instanceof IOException io) {
            String reason = what + FileErrors.describe(io);
            return FileMedium.isNoSpace(io, medium, to.root(), 1)
                    ? new StoreFullException(reason + "; make room and try again", io)
                    : new MediumException(reason, io);
        }
        return new MediumException(what + e.getMessage(), e);
    }

    private void checkPlaces() {
        List<Path> own = new ArrayList<>();
        own.add(context.config().directory());
        for (StorageTier each : context.config().tiers()) {
            own.addAll(each.directories());
        }
        Path destination = real(to.root());
        for (Path each : own) {
            Path known = real(each);
            if (destination.startsWith(known) || known.startsWith(destination)) {
                throw new InvalidOptionException(
                        "the backup "
                                + to.root()
                                + " and "
                                + each
                                + " of the store are one in the other: choose a directory of its"
                                + " own for the backup");
            }
        }
    }

    /** Follows links, also where the last directories do not exist yet. */
    private static Path real(Path path) {
        Path all = path.toAbsolutePath().normalize();
        for (Path existing = all; existing != null; existing = existing.getParent()) {
            try {
                return existing.toRealPath().resolve(existing.relativize(all)).normalize();
            } catch (IOException e) {
                continue; // the one above may be there
            }
        }
        return all;
    }

    private Backup runLocked() throws IOException {
        if (to.isForeign()) {
            throw new InvalidOptionException(
                    to.root() + " has other files, and no backup: choose an empty directory");
        }
        Manifest before = to.read();
        if (before != null && !before.store().equals(source.identity().id())) {
            throw new InvalidOptionException(
                    to.root()
                            + " has a backup of the store "
                            + before.store()
                            + ", and not of "
                            + context
                            + ", which is "
                            + source.identity().id()
                            + ": choose another directory");
        }
        to.store(source.identity().id());
        boolean isContinued = to.begin();
        String why = "";
        for (int i = 0; i < MOST_POINTS; i++) {
            try {
                return run(before == null ? 1 : before.number() + 1, isContinued);
            } catch (PointLostException e) {
                why = e.getMessage();
            }
        }
        throw new BusyException(
                "the backup of "
                        + context
                        + " was begun anew too often, the last time since "
                        + why);
    }

    private Backup run(long number, boolean isContinued) throws IOException, PointLostException {
        context.checkWritable();
        List<SourceTopic> topics = source.topics();
        SavedState state = new SavedState(medium, context.config().directory());
        for (SourceTopic each : topics) {
            state.readCheckpoints(each.context().directory(), each.partitions().size());
        }
        Set<SegmentedLog> held = new HashSet<>();
        try {
            hold(topics, held);
            StorePoint point = StorePoint.of(source, topics);
            Progress progress =
                    new Progress(
                            new Pace(options.control(), this::isWanted),
                            options.isLinking(),
                            isContinued,
                            bytesOf(point));
            Map<TopicPoint, List<SavedPartition>> saved = new LinkedHashMap<>();
            for (TopicPoint topic : point.topics()) {
                List<SavedPartition> partitions = copy(topic, progress, held);
                if (partitions != null) {
                    saved.put(topic, partitions);
                }
            }
            Sum sum = write(to.state(number), saved, state);
            return complete(number, point, saved, sum, progress);
        } finally {
            topics.forEach(topic -> release(topic, held));
        }
    }

    private static void hold(List<SourceTopic> topics, Set<SegmentedLog> held) {
        for (SourceTopic topic : topics) {
            if (topic.context().options().cleanup().isCompacting()) {
                topic.partitions()
                        .forEach(
                                each -> {
                                    each.log().state().holdCompaction();
                                    held.add(each.log());
                                });
            }
        }
    }

    private static void release(SourceTopic topic, Set<SegmentedLog> held) {
        for (int i = 0; i < topic.partitions().size(); i++) {
            release(topic, i, held);
        }
    }

    private static void release(SourceTopic topic, int index, Set<SegmentedLog> held) {
        SegmentedLog log = topic.partitions().get(index).log();
        if (held.remove(log)) {
            log.state().releaseCompaction();
            topic.onReleased().accept(index);
        }
    }

    /** Writes the state, without topics that were deleted meanwhile. */
    private Sum write(Path file, Map<TopicPoint, List<SavedPartition>> saved, SavedState state)
            throws IOException {
        medium.delete(file); // of a backup that was interrupted
        try (StateBundle.Writer bundle = new StateBundle.Writer(medium, file)) {
            for (TopicPoint topic : List.copyOf(saved.keySet())) {
                if (!state.add(topic, saved.get(topic), bundle)) {
                    saved.remove(topic);
                }
            }
            state.addFiles(bundle);
            return bundle.finish();
        }
    }

    private static long bytesOf(StorePoint point) {
        long bytes = 0;
        for (TopicPoint topic : point.topics()) {
            for (PartitionPoint each : topic.partitions()) {
                bytes += each.log().segmentList().bytes();
            }
        }
        return bytes;
    }

    private boolean isWanted() {
        return current.state().mayMove();
    }

    /** Returns null when the topic was deleted. */
    private List<SavedPartition> copy(TopicPoint topic, Progress progress, Set<SegmentedLog> held)
            throws IOException, PointLostException {
        List<SavedPartition> saved = new ArrayList<>();
        for (PartitionPoint each : topic.partitions()) {
            current = each.log();
            current.state().beginMove(); // a close and a deletion wait for the end
            try {
                SavedPartition copied = new PartitionCopy(to, each, progress).run();
                if (copied == null && isGone()) {
                    return null;
                }
                saved.add(copied);
                requireWholeJournal(topic, each);
            } finally {
                current.state().endMove();
            }
            release(topic.source(), current.index(), held);
        }
        return saved;
    }

    /** A decision that was still to be carried out at that time may be among what is missing. */
    private static void requireWholeJournal(TopicPoint topic, PartitionPoint partition)
            throws PointLostException {
        if (topic.context().name().equals(TopicFiles.JOURNAL)
                && partition.log().logStartOffset() != partition.start()) {
            throw new PointLostException("the journal of transactions was shortened");
        }
    }

    /** Returns whether the topic was deleted; otherwise says why its log is not copied. */
    private boolean isGone() throws PointLostException {
        context.checkOpen();
        try {
            current.state().checkReadable();
        } catch (UnknownTopicException e) {
            return true;
        }
        if (current.state().areMovesPaused()) {
            throw new PointLostException(current + " is being truncated");
        }
        current.state().checkMovable();
        throw new RetryableException(
                "the backup of "
                        + context
                        + " in "
                        + to.root()
                        + " was cancelled; the next one goes on with what was copied");
    }

    /**
     * The state is forced: its name is made durable and it is read back, before the manifest says
     * that it is complete; then what is not needed is deleted.
     */
    private Backup complete(
            long number,
            StorePoint point,
            Map<TopicPoint, List<SavedPartition>> saved,
            Sum sum,
            Progress progress)
            throws IOException {
        medium.forceDirectory(to.root());
        StateBundle.read(medium, to.state(number), sum, (name, content) -> {});
        Set<Path> needed = new HashSet<>();
        List<Part> parts = new ArrayList<>();
        long bytes = 0;
        for (Map.Entry<TopicPoint, List<SavedPartition>> e : saved.entrySet()) {
            for (SavedPartition each : e.getValue()) {
                if (!e.getKey().context().name().equals(TopicFiles.JOURNAL)) {
                    String topic = e.getKey().context().name();
                    parts.add(new Part(topic, each.index(), each.start(), each.end()));
                }
                for (SavedSegment segment : each.segments()) {
                    needed.add(to.fileOf(segment));
                    bytes += segment.length();
                }
            }
        }
        context.checkWritable(); // or the files of the store may be another process's
        to.write(
                new Manifest(
                        source.identity().id(),
                        number,
                        point.timeMs(),
                        source.identity().features(),
                        sum));
        to.sweep(number, needed);
        return new Backup(
                to.root(),
                Instant.ofEpochMilli(point.timeMs()),
                parts,
                new Bytes(bytes, progress.copied(), progress.linked()));
    }
}
