package io.firn.backup;

import io.firn.Backup;
import io.firn.InvalidOptionException;
import io.firn.LogStore.MoveControl;
import io.firn.MediumException;
import io.firn.RestoreOptions;
import io.firn.StoreFullException;
import io.firn.backup.RestorePlan.Piece;
import io.firn.backup.RestorePlan.PlannedPartition;
import io.firn.backup.RestorePlan.PlannedTopic;
import io.firn.cursor.CursorSnapshot;
import io.firn.log.LogContext;
import io.firn.log.LogSegment;
import io.firn.log.SegmentIndexes;
import io.firn.log.StoreConfig;
import io.firn.log.TierState;
import io.firn.log.TopicContext;
import io.firn.medium.FileErrors;
import io.firn.medium.FileMedium;
import io.firn.medium.FileMedium.MediumLock;
import io.firn.medium.WholeFile;
import io.firn.metadata.StoreIdentity;
import io.firn.metadata.TopicFiles;
import io.firn.move.CheckedCopy;
import io.firn.move.CheckedCopy.Pace;
import io.firn.producer.AbortedFiles;
import io.firn.producer.ProducerFiles;
import io.firn.spi.Block;
import io.firn.spi.BlockCopy;
import io.firn.spi.Mark;
import io.firn.spi.StorageTier;
import io.firn.spi.StorageTier.TierContext;
import io.firn.spi.View;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Makes a store of a backup. The order, each step durable before the next one:
 *
 * <ol>
 *   <li>the small files, among them where each log starts and how far cursors are;
 *   <li>the segments, each published by its tier when it was forced and compared;
 *   <li>the file with the identity of the store. Without it, a directory with topics is not opened,
 *       so what an interrupted restore has left is never taken for a store.
 * </ol>
 */
public final class StoreRestore {
    private static final byte[] NOTHING = {};

    private final StoreConfig config;
    private final FileMedium medium;
    private final Path directory;
    private final Path backup;
    private final UUID id = UUID.randomUUID();
    private final LogContext context;
    private long epoch;
    private long bytes;

    /**
     * A restore.
     *
     * @param config where to, as of a store that is to be opened
     */
    public StoreRestore(StoreConfig config, Path backup) {
        this.config = config;
        this.medium = config.medium();
        this.directory = config.directory();
        this.backup = backup;
        this.context = new LogContext(config, (thread, why) -> {});
    }

    /** Makes it; the tiers are closed afterwards. */
    @SuppressWarnings("try") // the lock is only held
    public Backup run(RestoreOptions options, MoveControl control) {
        try {
            SavedBackup saved = new SavedBackup(medium, backup, control);
            RestorePlan plan = new RestorePlan(saved, options);
            if (!medium.list(directory).isEmpty()) {
                throw new InvalidOptionException(
                        directory
                                + " is not empty: a store is restored into an empty directory;"
                                + " delete what an interrupted restore has left, in the tiers, too");
            }
            medium.createDirectories(directory);
            AutoCloseable use = medium.use();
            try (MediumLock lock = medium.lock(directory.resolve("lock"))) {
                make(saved, plan);
            } finally {
                end(use);
            }
            return saved.describe(directory, plan.parts(), bytes, bytes);
        } catch (IOException | InternalError e) {
            throw failed(e);
        } finally {
            context.background().close();
        }
    }

    private static void end(AutoCloseable use) throws IOException {
        try {
            use.close();
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    private RuntimeException failed(Throwable e) {
        String what = "the backup in " + backup + " was not restored to " + directory + ": ";
        if (e instanceof IOException io) {
            String reason = what + FileErrors.describe(io);
            return FileMedium.isNoSpace(io, medium, directory, 1)
                    ? new StoreFullException(reason, io)
                    : new MediumException(reason, io);
        }
        return new MediumException(what + e.getMessage(), e);
    }

    private void make(SavedBackup saved, RestorePlan plan) throws IOException {
        List<StorageTier> opened = new ArrayList<>();
        try {
            for (StorageTier tier : config.tiers()) {
                tier.open(new TierContext(id, true, false));
                opened.add(tier);
                if (!tier.list().isEmpty()) {
                    throw new IOException(tier.name() + " is not empty: name tiers that are new");
                }
                epoch = Math.max(epoch, tier.highestFreeEpoch());
            }
            writeFiles(saved, plan);
            saved.expect(plan.segments());
            for (PlannedTopic topic : plan.topics().values()) {
                for (PlannedPartition each : topic.partitions()) {
                    each.pieces().forEach(piece -> epoch = Math.max(epoch, piece.mark().epoch()));
                }
            }
            for (PlannedTopic topic : plan.topics().values()) {
                writeSegments(saved, topic);
            }
            List<String> tiers = new ArrayList<>();
            for (StorageTier tier : opened) {
                tiers.add(tier.id().toString());
            }
            StoreIdentity.create(medium, directory, id, tiers, saved.features());
        } finally {
            for (StorageTier each : opened) {
                each.close();
            }
        }
    }

    // ---- small files

    private void writeFiles(SavedBackup saved, RestorePlan plan) throws IOException {
        Set<Path> directories = new LinkedHashSet<>();
        saved.visit(
                (name, content) -> {
                    if (!name.startsWith(SavedState.SEGMENTS) && isWanted(plan, name)) {
                        Path file = directory.resolve(name).normalize();
                        if (!file.startsWith(directory)) {
                            throw new IOException("the backup names a file outside: " + name);
                        }
                        if (directories.add(file.getParent())) {
                            medium.createDirectories(file.getParent());
                        }
                        WholeFile.replace(medium, file, content);
                    }
                });
        for (Path each : directories) {
            medium.forceDirectory(each);
        }
        for (PlannedTopic topic : plan.topics().values()) {
            if (topic.isCut()) {
                TopicFiles files = new TopicFiles(context.files(), topic.saved().id());
                for (int i = 0; i < topic.partitions().size(); i++) {
                    files.writeLogStart(i, topic.partitions().get(i).start());
                }
                CursorSnapshot.lower(files.directory(), topic.ends());
            }
        }
    }

    /** What is known of producers at the end of a log is left out where the log ends before. */
    private static boolean isWanted(RestorePlan plan, String name) throws IOException {
        if (!name.startsWith(SavedState.TOPICS)) {
            return true;
        }
        String[] path = name.substring(SavedState.TOPICS.length()).split("/", 2);
        PlannedTopic topic = plan.topics().get(UUID.fromString(path[0]));
        if (topic == null) {
            return false;
        }
        for (int i = 0; i < topic.partitions().size(); i++) {
            boolean isOfEnd =
                    path[1].equals(ProducerFiles.fileName(i)) || AbortedFiles.isOf(i, path[1]);
            if (isOfEnd && topic.partitions().get(i).isCut()) {
                return false;
            }
        }
        return true;
    }

    // ---- segments

    private void writeSegments(SavedBackup saved, PlannedTopic planned) throws IOException {
        UUID topicId = planned.saved().id();
        TopicFiles.Description described = new TopicFiles(context.files(), topicId).read();
        if (described == null || described.deleted()) {
            return;
        }
        TopicContext topic =
                new TopicContext(context, topicId, described.name(), described.options());
        for (PlannedPartition each : planned.partitions()) {
            for (Piece piece : each.pieces()) {
                write(saved, topic, piece);
                bytes += piece.mark().position();
            }
        }
    }

    /**
     * Writes a segment to the coldest tier that has room: it is old, and a migrator may move it.
     */
    private void write(SavedBackup saved, TopicContext topic, Piece piece) throws IOException {
        StoreFullException full = null;
        List<TierState> tiers = topic.tiers();
        for (int i = tiers.size() - 1; i >= 0; i--) {
            try {
                if (piece.mark().position() <= tiers.get(i).tier().maxSegmentBytes()) {
                    write(saved, topic, piece, tiers.get(i));
                    return;
                }
            } catch (StoreFullException e) {
                full = e;
            }
        }
        if (full != null) {
            throw full;
        }
        throw new InvalidOptionException(
                "topic "
                        + topic
                        + " may be in none of the tiers that were named, with segments of "
                        + piece.mark().position()
                        + " bytes: it asks for "
                        + topic.options().minimumClass()
                        + " and for tiers "
                        + (topic.options().tiers().isEmpty()
                                ? "of any label"
                                : topic.options().tiers())
                        + "; name another tier");
    }

    private void write(SavedBackup saved, TopicContext topic, Piece piece, TierState tier)
            throws IOException {
        Mark mark = piece.mark();
        BlockCopy copy = tier.beginCopy(mark, ++epoch);
        boolean isPublished = false;
        try {
            CheckedCopy target = new CheckedCopy(copy, "a segment in tier " + tier);
            saved.read(
                    piece.segment(),
                    (position, source, length) -> {
                        int wanted = Math.min(length, mark.position() - position);
                        if (wanted > 0) {
                            target.write(source, 0, wanted);
                        }
                    });
            target.finish(new Pace(MoveControl.UNLIMITED, () -> true));
            Block made = copy.publish(mark, NOTHING, NOTHING);
            isPublished = true;
            index(topic, made, mark);
        } finally {
            if (!isPublished) {
                copy.abandon();
            }
        }
    }

    private static void index(TopicContext topic, Block block, Mark mark) {
        LogSegment segment =
                new LogSegment(block, mark.baseOffset(), mark.position(), mark.offset())
                        .ofReplica(topic.isReplicated());
        SegmentIndexes.rebuild(segment);
        View view = segment.detachView();
        if (view != null) {
            view.leave();
        }
    }
}
