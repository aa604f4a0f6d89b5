package io.firn.backup;

import io.firn.backup.StateBundle.Sum;
import io.firn.medium.Fields;
import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.medium.SmallFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** The files of a backup, see the package. */
final class BackupDirectory {
    static final String TEMPORARY = ".";

    private static final String LOCK = "lock";
    private static final String UNFINISHED = "unfinished";
    private static final String MANIFEST = "backup";
    private static final int VERSION = 1;
    private static final String STATE = "state-";
    private static final String STORE = "store";
    private static final String NUMBER = "number";
    private static final String TIME = "timeMs";
    private static final String FEATURES = "features";
    private static final String STATE_BYTES = "stateBytes";
    private static final String STATE_CRC = "stateCrc";

    private final FileMedium medium;
    private final Path root;
    private Path segments;

    BackupDirectory(FileMedium medium, Path root) {
        this.medium = medium;
        this.root = root.toAbsolutePath().normalize();
    }

    /**
     * What says that a backup is complete.
     *
     * @param store the id of the store that it is of
     * @param number grows with each backup in the directory
     * @param timeMs of its point in time
     * @param features those of the store
     * @param state what its state has
     */
    record Manifest(UUID store, long number, long timeMs, List<String> features, Sum state) {}

    FileMedium medium() {
        return medium;
    }

    Path root() {
        return root;
    }

    Path lock() {
        return root.resolve(LOCK);
    }

    Path state(long number) {
        return root.resolve(STATE + number);
    }

    /** Sets whose segments they are: those of another store may have the same names. */
    void store(UUID id) {
        segments = root.resolve(id.toString());
    }

    Path partition(UUID topicId, int partition) {
        return segments.resolve(topicId.toString()).resolve(Integer.toString(partition));
    }

    Path fileOf(SavedSegment segment) {
        return partition(segment.mark().topicId(), segment.mark().partition())
                .resolve(segment.fileName());
    }

    /**
     * Notes that a backup is begun; returns whether the last one was interrupted, so that names may
     * not be durable.
     */
    boolean begin() throws IOException {
        if (medium.exists(begun())) {
            return true;
        }
        // Durable by the time it matters: the first partition's directory forces this one.
        medium.create(begun()).close();
        return false;
    }

    /** Returns whether there are files, and no backup was begun. */
    boolean isForeign() throws IOException {
        List<String> names = new ArrayList<>(medium.list(root));
        boolean isBegun = names.contains(UNFINISHED) || names.contains(MANIFEST);
        names.remove(LOCK);
        return !names.isEmpty() && !isBegun;
    }

    private Path begun() {
        return root.resolve(UNFINISHED);
    }

    /** Returns null when no backup was completed here. */
    Manifest read() throws IOException {
        Fields fields = Fields.read(medium, root.resolve(MANIFEST), MANIFEST, VERSION);
        return fields == null
                ? null
                : new Manifest(
                        fields.id(STORE),
                        fields.offset(NUMBER),
                        fields.offset(TIME),
                        fields.words(FEATURES),
                        new Sum(
                                fields.offset(STATE_BYTES),
                                fields.integer(STATE_CRC, Integer.MIN_VALUE, Integer.MAX_VALUE)));
    }

    /** Completes a backup, durably. */
    void write(Manifest manifest) throws IOException {
        Map<String, String> values = new LinkedHashMap<>();
        values.put(STORE, manifest.store().toString());
        values.put(NUMBER, Long.toString(manifest.number()));
        values.put(TIME, Long.toString(manifest.timeMs()));
        values.put(FEATURES, String.join(" ", manifest.features()));
        values.put(STATE_BYTES, Long.toString(manifest.state().bytes()));
        values.put(STATE_CRC, Integer.toString(manifest.state().crc()));
        SmallFile.write(medium, root.resolve(MANIFEST), MANIFEST, VERSION, values);
    }

    long sizeOf(Path file) throws IOException {
        FileMedium.FileStatus status = medium.statusOf(file);
        if (status != null) {
            return status.bytes();
        }
        try (MediumFile in = medium.open(file, false)) {
            return in.size();
        }
    }

    /** Deletes what a complete backup does not need; a crash may bring some of it back. */
    void sweep(long number, Set<Path> needed) throws IOException {
        medium.delete(begun());
        for (String name : medium.list(root)) {
            if (name.startsWith(STATE) && !root.resolve(name).equals(state(number))) {
                medium.delete(root.resolve(name));
            }
        }
        Set<Path> used = new HashSet<>();
        for (Path each : needed) {
            used.add(each.getParent());
            used.add(each.getParent().getParent());
        }
        for (String topic : medium.list(segments)) {
            for (String partition : medium.list(segments.resolve(topic))) {
                sweep(segments.resolve(topic).resolve(partition), needed, used);
            }
            if (!used.contains(segments.resolve(topic))) {
                medium.delete(segments.resolve(topic));
            }
        }
    }

    private void sweep(Path partition, Set<Path> needed, Set<Path> used) throws IOException {
        for (String name : medium.list(partition)) {
            if (!needed.contains(partition.resolve(name))) {
                medium.delete(partition.resolve(name));
            }
        }
        if (!used.contains(partition)) {
            medium.delete(partition);
        }
    }
}
