package io.firn.file;

import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/** Finds the segments in a tier's directory. Changes nothing before {@link #recover}. */
final class TierScan {
    private static final int MAX_TRIES = 3;

    private final BlockOwner owner;
    private final Path root;
    private final FileMedium medium;
    private final boolean readOnly;
    private final Map<Path, FileBlock> segments = new TreeMap<>();
    private final Set<FileBlock> made = new HashSet<>();
    private final List<String> strangers = new ArrayList<>();
    private final List<Path> topics = new ArrayList<>();
    private final Map<PartitionDirectory, PartitionScan> partitions = new LinkedHashMap<>();

    TierScan(BlockOwner owner, Path root, FileMedium medium, boolean readOnly) {
        this.owner = owner;
        this.root = root;
        this.medium = medium;
        this.readOnly = readOnly;
    }

    /** Returns the segments that were found, by {@link FileBlock#key}. */
    Map<Path, FileBlock> segments() {
        return segments;
    }

    List<String> strangers() {
        return strangers;
    }

    /**
     * Scans the directories.
     *
     * @param known segments found earlier, which are reused if they still exist
     */
    void run(Map<Path, FileBlock> known) throws IOException {
        Set<String> own = FileNames.atRoot();
        for (String name : medium.list(root)) {
            UUID topicId = FileNames.parseTopic(name);
            if (topicId != null) {
                scanTopic(topicId, root.resolve(name), known);
            } else if (!own.contains(name)) {
                strangers.add(root.resolve(name) + ": not a file of Firn's");
            }
        }
    }

    /** Scans the directory of one partition. */
    void run(PartitionDirectory directory, Map<Path, FileBlock> known) throws IOException {
        scanPartition(directory, known);
    }

    private void scanTopic(UUID topicId, Path path, Map<Path, FileBlock> known) throws IOException {
        List<String> names = listOrReport(path);
        if (names == null) {
            return;
        }
        topics.add(path);
        for (String name : names) {
            int partition = FileNames.parsePartition(name);
            if (partition < 0) {
                strangers.add(path.resolve(name) + ": not a partition");
            } else if (listOrReport(path.resolve(name)) != null) {
                PartitionDirectory directory =
                        PartitionDirectory.of(medium, readOnly, root, topicId, partition);
                scanPartition(directory, known);
            }
        }
    }

    private List<String> listOrReport(Path path) throws IOException {
        try {
            return medium.list(path);
        } catch (NotDirectoryException e) {
            strangers.add(path + ": a file, where a directory was expected");
            return null;
        }
    }

    private void scanPartition(PartitionDirectory directory, Map<Path, FileBlock> known)
            throws IOException {
        Map<Path, FileBlock> candidates = new HashMap<>(known);
        PartitionScan scan;
        int tries = 0;
        do {
            scan = new PartitionScan(owner, directory, candidates);
            try {
                scan.run();
            } finally {
                made.addAll(scan.segments());
                scan.segments().forEach(segment -> candidates.put(segment.key(), segment));
            }
            tries++;
        } while (readOnly && scan.wasChanging() && tries < MAX_TRIES);
        scan.segments().forEach(segment -> segments.put(segment.key(), segment));
        strangers.addAll(scan.strangers());
        partitions.put(directory, scan);
    }

    /** Releases the blocks that this scan created, except those that are wanted. */
    void releaseAllExcept(Set<FileBlock> wanted) {
        made.stream().filter(segment -> !wanted.contains(segment)).forEach(FileBlock::release);
    }

    /**
     * Makes names durable that a killed process may not have forced, and deletes files that a crash
     * left incomplete or only partly deleted.
     *
     * @param areDurable whether the names are, since the last process has closed the store
     * @return directories whose names are durable
     */
    Set<Path> recover(boolean areDurable) throws IOException {
        if (!areDurable) {
            forceNames();
        }
        Set<Path> durable = new HashSet<>();
        for (Map.Entry<PartitionDirectory, PartitionScan> entry : partitions.entrySet()) {
            PartitionDirectory directory = entry.getKey();
            cleanUp(directory, entry.getValue());
            if (!deleteIfEmpty(medium, directory.path())) {
                durable.add(directory.path());
            }
        }
        for (Path topic : topics) {
            deleteIfEmpty(medium, topic);
        }
        return durable;
    }

    /** A name that an earlier process created may so far exist in memory only. */
    private void forceNames() throws IOException {
        medium.forceDirectory(root);
        for (Map.Entry<PartitionDirectory, PartitionScan> entry : partitions.entrySet()) {
            entry.getKey().force();
            for (Map.Entry<Path, MarkPages.Found> each :
                    entry.getValue().sealedInPages().entrySet()) {
                try (MediumFile file = medium.open(each.getKey(), true)) {
                    MarkPages.restore(file, each.getValue());
                }
            }
            for (Path marked : entry.getValue().marked()) {
                medium.forceDirectory(marked);
            }
        }
    }

    private void cleanUp(PartitionDirectory directory, PartitionScan found) throws IOException {
        for (Path temporary : found.temporaries()) {
            unlessInUse(temporary, () -> medium.delete(temporary));
        }
        for (long epoch : found.spares()) {
            // A partition without segments may be of a topic that is gone: nobody would remove it.
            if (found.segments().isEmpty() || owner.spareFiles().hasOne(directory)) {
                medium.delete(directory.spare(epoch));
            } else {
                owner.spareFiles().adopt(directory, epoch);
            }
        }
        for (long base : found.deleted()) {
            FilesInPartition files = directory.plain(base);
            unlessInUse(files.path, files::deleteRest);
        }
        for (long base : found.copies()) {
            FilesInPartition files = directory.plain(base);
            unlessInUse(files.path, files::deleteLeftCopy);
        }
        for (FilesInDirectory copy : found.rewrittenCopies()) {
            unlessInUse(copy.path, copy::deleteLeftCopy);
        }
        for (FilesInDirectory files : found.rewrittenDeleted()) {
            unlessInUse(files.path, files::deleteRest);
        }
        if (!medium.canChangeFilesInUse()) {
            for (FileBlock segment : found.segments()) {
                segment.dropTail(); // it was mapped when it was sealed
            }
        }
    }

    /** What a reader in another process still has open or mapped, the next open removes. */
    private void unlessInUse(Path what, SpareDescriptors.Work removal) throws IOException {
        try {
            removal.run();
        } catch (IOException e) {
            if (medium.canChangeFilesInUse()) {
                throw e;
            }
            strangers.add(what + ": could not be removed, the next open tries again: " + e);
        }
    }

    /**
     * Deletes a directory that has nothing in it. No force is needed: a directory that is there
     * again after a crash is an empty one, or has what a recovery deletes.
     *
     * @return false when it stays, because of what is in it
     */
    static boolean deleteIfEmpty(FileMedium medium, Path directory) throws IOException {
        try {
            if (!medium.list(directory).isEmpty()) {
                return false;
            }
            medium.delete(directory);
            return true;
        } catch (NotDirectoryException | DirectoryNotEmptyException e) {
            return false; // a file of somebody else's, there or in it
        }
    }
}
