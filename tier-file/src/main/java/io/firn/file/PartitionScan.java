package io.firn.file;

import io.firn.file.FileNames.Kind;
import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.spi.Block.Sidecar;
import io.firn.spi.Mark;
import io.firn.spi.Mark.SegmentState;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Finds the segments in a partition's directory, from the files alone. Changes nothing.
 *
 * <ul>
 *   <li>{@code BASE.log} is a finished segment. If {@code BASE.mark} was lost, the mark is rebuilt
 *       from the size and the modification time of the file.
 *   <li>{@code BASE.GEN} is a directory with such a segment, which compaction made.
 *   <li>A hidden file with the epoch of a {@code BASE.mark}, or with a seal in its mark pages, is a
 *       sealed segment that is not finished. So is a {@code BASE.log} that still has such pages
 *       after its end. The mark file is the newer one of the two, if it can be read.
 *   <li>The mark pages of any other hidden file describe its segment.
 * </ul>
 */
final class PartitionScan {
    private final BlockOwner owner;
    private final PartitionDirectory directory;
    private final FileMedium medium;
    private final Map<Path, FileBlock> known;
    private final Map<Kind, TreeSet<Long>> numbers = new EnumMap<>(Kind.class);
    private final Map<Long, SealMark> seals = new TreeMap<>();
    private final List<FilesInDirectory> rewritten = new ArrayList<>();
    private final List<FilesInDirectory> rewrittenCopies = new ArrayList<>();
    private final List<FilesInDirectory> rewrittenDeleted = new ArrayList<>();
    private final List<Path> marked = new ArrayList<>();
    private final Map<Path, MarkPages.Found> inPages = new LinkedHashMap<>();

    /** Base offsets of segments that are sealed and not finished. */
    private final Set<Long> unfinished = new HashSet<>();

    private final List<FileBlock> segments = new ArrayList<>();
    private final List<String> strangers = new ArrayList<>();
    private final List<Path> temporaries = new ArrayList<>();
    private boolean changing;

    /**
     * Creates a scan.
     *
     * @param known segments found earlier, by {@link FileBlock#key}
     */
    PartitionScan(BlockOwner owner, PartitionDirectory directory, Map<Path, FileBlock> known) {
        this.owner = owner;
        this.directory = directory;
        this.medium = directory.medium();
        this.known = known;
        for (Kind kind : Kind.values()) {
            numbers.put(kind, new TreeSet<>());
        }
    }

    List<FileBlock> segments() {
        return segments;
    }

    List<String> strangers() {
        return strangers;
    }

    /** Returns files that a crash left incomplete. */
    List<Path> temporaries() {
        return temporaries;
    }

    /** Returns the epochs of files that are kept for the next segment. */
    Iterable<Long> spares() {
        return numbers.get(Kind.SPARE);
    }

    /** Returns the base offsets of segments whose deletion a crash interrupted. */
    Iterable<Long> deleted() {
        return numbers.get(Kind.DELETED);
    }

    /** Returns the base offsets of copies that a crash interrupted. */
    Iterable<Long> copies() {
        return numbers.get(Kind.COPY);
    }

    /** Returns the rewritten segments whose making a crash interrupted. */
    List<FilesInDirectory> rewrittenCopies() {
        return rewrittenCopies;
    }

    /** Returns the rewritten segments whose deletion a crash interrupted. */
    List<FilesInDirectory> rewrittenDeleted() {
        return rewrittenDeleted;
    }

    /**
     * Returns the directories of rewritten segments whose marks were replaced since: all other
     * names in such a directory were durable before its own was.
     */
    List<Path> marked() {
        return marked;
    }

    /** Returns the files in whose mark pages there is a seal that is needed. */
    Map<Path, MarkPages.Found> sealedInPages() {
        return inPages;
    }

    /** Returns whether files changed during the scan, so that another scan would find more. */
    boolean wasChanging() {
        return changing;
    }

    void run() throws IOException {
        for (String name : medium.list(directory.path())) {
            FileNames.Entry entry = FileNames.parse(name);
            switch (entry.kind()) {
                case UNKNOWN -> stranger(directory.path().resolve(name), "not a file of Firn's");
                case TEMPORARY -> temporaries.add(directory.path().resolve(name));
                case REWRITTEN -> rewritten.add(filesOf(entry));
                case REWRITTEN_COPY -> rewrittenCopies.add(filesOf(entry));
                default -> numbers.get(entry.kind()).add(entry.number());
            }
        }
        for (long base : numbers.get(Kind.MARK)) {
            SealMark seal = directory.plain(base).readSeal();
            if (seal != null) {
                seals.put(base, seal);
            }
        }
        for (long base : numbers.get(Kind.LOG)) {
            unlessVanished(() -> addLog(base), () -> changing = true);
        }
        for (FilesInDirectory files : rewritten) {
            unlessVanished(() -> addRewritten(files), () -> changing = true);
        }
        for (long epoch : numbers.get(Kind.ACTIVE)) {
            unlessVanished(() -> addHidden(epoch), () -> addRenamed(epoch));
        }
        for (long epoch : numbers.get(Kind.SEAL)) {
            temporaries.add(directory.path().resolve(FileNames.reservedSeal(epoch)));
        }
        reportOrphans(Kind.MARK, "has no segment to its mark");
        reportOrphans(Kind.INDEX, "has no segment to its index");
        reportOrphans(Kind.TIMEINDEX, "has no segment to its index");
    }

    /** A step that opens files. */
    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    /**
     * In a read-only tier, a file that was listed may be renamed or deleted before it is opened.
     */
    private void unlessVanished(Step step, Step otherwise) throws IOException {
        try {
            step.run();
        } catch (NoSuchFileException e) {
            if (!directory.readOnly()) {
                throw e;
            }
            otherwise.run();
        }
    }

    /**
     * Beside a writer that rolls often, another scan could miss the next segment in the same way.
     */
    private void addRenamed(long epoch) throws IOException {
        SealMark seal = directory.findSeal(epoch);
        if (seal == null) {
            changing = true;
            return;
        }
        long base = seal.mark().baseOffset();
        seals.put(base, seal);
        unlessVanished(() -> addLog(base), () -> changing = true);
    }

    private FilesInDirectory filesOf(FileNames.Entry entry) {
        return directory.rewritten(entry.number(), entry.generation());
    }

    private void addRewritten(FilesInDirectory files) throws IOException {
        List<String> names;
        try {
            names = medium.list(files.path);
        } catch (NotDirectoryException e) {
            stranger(files.path, "a file, where a directory was expected");
            return;
        }
        if (files.isDeleted(names)) {
            rewrittenDeleted.add(files);
            changing = true; // what replaces it may have been published after the names were listed
            return;
        }
        for (String name : names) {
            if (FileNames.parse(name).kind() == Kind.TEMPORARY) {
                temporaries.add(files.path.resolve(name));
            } else if (!files.names().contains(name)) {
                stranger(files.path.resolve(name), "not a file of Firn's");
            }
        }
        if (!medium.exists(files.log())) {
            changing = true;
            stranger(files.path, "has no segment in it");
            return;
        }
        SealMark seal = files.readSeal();
        if (seal != null && seal.mark().generation() > files.generation) {
            marked.add(files.path);
        }
        addLog(files, seal);
    }

    private void addLog(long base) throws IOException {
        addLog(directory.plain(base), seals.get(base));
    }

    private void addLog(SegmentFiles files, SealMark found) throws IOException {
        Path log = files.log();
        SealMark seal = found;
        try (MediumFile file = medium.open(log, false)) {
            long size = file.size();
            if (size > Integer.MAX_VALUE) {
                stranger(log, "larger than any segment, " + size + " bytes");
                return;
            }
            boolean isLonger = seal == null || size > seal.mark().position();
            MarkPages.Found inPages = isLonger ? uncut(files, file, size) : null;
            if (inPages != null) {
                addSealed(files, seal == null ? inPages.seal() : seal, log, inPages);
                return;
            }
            if (seal == null) {
                if (medium.exists(files.mark())) {
                    stranger(files.mark(), "damaged; made up again from " + log);
                }
                seal = new SealMark(rebuiltMark(files, (int) size, file.modifiedMs()), -1, null);
            }
            reportLength(log, size, seal.mark().position());
            FileState state = FileState.finished(files, seal, size);
            add(new FileBlock(owner, directory, files, seal.fileEpoch(), state));
        }
    }

    /**
     * Returns the marks after the end of a segment whose file has its final name; null when there
     * are none, because it was cut.
     */
    private MarkPages.Found uncut(SegmentFiles files, MediumFile file, long size)
            throws IOException {
        if (files.generation > 0) {
            return null; // it never had any
        }
        MarkPages.Found found = MarkPages.read(file, size);
        SealMark seal = found.seal();
        boolean fits =
                seal != null
                        && directory.owns(seal.mark())
                        && seal.mark().baseOffset() == files.baseOffset
                        && seal.mark().position() <= MarkPages.capacity(size);
        return fits ? found : null;
    }

    /** Adds a segment that is sealed and not finished, with a seal in its mark pages or without. */
    private void addSealed(SegmentFiles files, SealMark seal, Path path, MarkPages.Found found)
            throws IOException {
        if (found.seal() != null) {
            inPages.put(path, found);
        }
        unfinished.add(files.baseOffset);
        FileState state =
                FileState.unfinished(FileState.Stage.SEALED, path, found.fileBytes(), seal.mark());
        add(new FileBlock(owner, directory, files, seal.fileEpoch(), state));
    }

    private Mark rebuiltMark(SegmentFiles files, int size, long sealTimeMs) {
        return new Mark(
                SegmentState.SEALED,
                directory.topicId(),
                directory.partition(),
                -1,
                files.baseOffset,
                size,
                -1,
                sealTimeMs,
                0,
                files.generation,
                Mark.NEVER_COMPACTED);
    }

    /**
     * Opens a segment that another process has begun.
     *
     * @return null when there is none with the epoch in its name, or it is sealed already
     */
    FileBlock findActive(long epoch) throws IOException {
        unlessVanished(() -> addHidden(epoch), () -> {});
        return segments.isEmpty() ? null : segments.get(0);
    }

    private void addHidden(long epoch) throws IOException {
        Path path = directory.active(epoch);
        SealMark seal = sealOf(epoch);
        if (seal != null && numbers.get(Kind.LOG).contains(seal.mark().baseOffset())) {
            stranger(path, "was finished already, as " + directory.plain(seal.mark().baseOffset()));
            return;
        }
        MediumFile file = medium.open(path, seal == null && !directory.readOnly());
        boolean kept = false;
        try {
            MarkPages.Found found = MarkPages.read(file, file.size());
            if (seal != null) {
                long size = file.size();
                if (size < seal.mark().position()) {
                    reportLength(path, size, seal.mark().position());
                }
                addSealed(directory.plain(seal.mark().baseOffset()), seal, path, found);
                return;
            }
            if (found.newest() != null && !directory.owns(found.newest())) {
                stranger(path, "belongs to " + describe(found.newest()));
                return;
            }
            if (found.seal() != null) {
                addSealedInPages(epoch, path, found);
                return;
            }
            int room = MarkPages.capacity(found.fileBytes());
            kept = add(new FileBlock(owner, directory, epoch, file, found, room, false));
        } finally {
            if (!kept) {
                file.close();
            }
        }
    }

    private void addSealedInPages(long epoch, Path path, MarkPages.Found found) throws IOException {
        SealMark seal = found.seal();
        FilesInPartition files = directory.plain(seal.mark().baseOffset());
        if (seal.fileEpoch() != epoch) {
            stranger(path, "its seal is that of epoch " + seal.fileEpoch());
        } else if (numbers.get(Kind.LOG).contains(files.baseOffset)) {
            stranger(path, "was finished already, as " + files);
        } else {
            addSealed(files, seal, path, found);
        }
    }

    /**
     * Adds a segment, or the block that is already known of it; returns whether the new one is
     * used.
     */
    private boolean add(FileBlock found) throws IOException {
        FileBlock earlier = known.get(found.key());
        if (earlier == null) {
            segments.add(found);
            return true;
        }
        earlier.refreshMark();
        segments.add(earlier);
        return false;
    }

    private SealMark sealOf(long fileEpoch) {
        for (SealMark seal : seals.values()) {
            if (seal.fileEpoch() == fileEpoch) {
                return seal;
            }
        }
        return null;
    }

    private void reportOrphans(Kind kind, String reason) {
        for (long base : numbers.get(kind)) {
            SealMark seal = seals.get(base);
            boolean owned =
                    numbers.get(Kind.LOG).contains(base)
                            || numbers.get(Kind.DELETED).contains(base)
                            || numbers.get(Kind.COPY).contains(base)
                            || unfinished.contains(base)
                            || (seal != null
                                    && numbers.get(Kind.ACTIVE).contains(seal.fileEpoch()));
            if (!owned) {
                changing = true;
                String name = name(kind, base);
                String lost = seal == null ? "" : "; there was one of " + describe(seal.mark());
                stranger(directory.path().resolve(name), reason + lost);
            }
        }
    }

    private static String name(Kind kind, long base) {
        return switch (kind) {
            case INDEX -> FileNames.sidecar(base, Sidecar.INDEX);
            case TIMEINDEX -> FileNames.sidecar(base, Sidecar.TIMEINDEX);
            default -> FileNames.mark(base);
        };
    }

    private void reportLength(Path path, long size, int expected) {
        boolean mayBeUncut = size > expected && !medium.canChangeFilesInUse();
        if (size != expected && !mayBeUncut) {
            stranger(path, size + " bytes long, sealed with " + expected);
        }
    }

    private void stranger(Path path, String reason) {
        strangers.add(path + ": " + reason);
    }

    private static String describe(Mark mark) {
        return "topic "
                + mark.topicId()
                + ", partition "
                + mark.partition()
                + ", offsets from "
                + mark.baseOffset()
                + " to below "
                + mark.offset()
                + ", "
                + mark.position()
                + " bytes";
    }
}
