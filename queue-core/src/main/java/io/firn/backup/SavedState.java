package io.firn.backup;

import io.firn.backup.StorePoint.TopicPoint;
import io.firn.medium.Fields;
import io.firn.medium.FileMedium;
import io.firn.medium.MediumFile;
import io.firn.metadata.TopicDirectory;
import io.firn.producer.ProducerFiles;
import io.firn.producer.ProducerSnapshots;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What is saved of a store besides its segments. Names in the bundle are paths below the store's
 * directory, and {@code segments/ID} for the list of the segments of a topic.
 */
final class SavedState {
    static final String SEGMENTS = "segments/";
    static final String TOPICS = "topics/";

    /** The counters, and what a server and a shadow keep in the store's directory. */
    private static final List<String> OF_STORE =
            List.of("epochs", "producer-ids", "server", "shadow");

    private static final int MOST_BYTES = 64 << 20;

    private final FileMedium medium;
    private final Path store;

    /**
     * The checkpoints of producers before the point in time, by topic's directory and partition.
     */
    private final Map<Path, Fields> checkpoints = new HashMap<>();

    SavedState(FileMedium medium, Path store) {
        this.medium = medium;
        this.store = store;
    }

    /** Reads the checkpoints of a topic, none of which is above a later point in time. */
    void readCheckpoints(TopicDirectory topic, int partitions) throws IOException {
        ProducerFiles files = new ProducerFiles(topic);
        for (int i = 0; i < partitions; i++) {
            Fields checkpoint = files.read(i);
            if (checkpoint != null) {
                checkpoints.put(topic.fileOf(ProducerFiles.fileName(i)), checkpoint);
            }
        }
    }

    /** Adds the files of a topic, as of a point in time; returns false when it was deleted. */
    boolean add(TopicPoint topic, List<SavedPartition> partitions, StateBundle.Writer to)
            throws IOException {
        String prefix = TOPICS + topic.context().id() + "/";
        TopicDirectory directory = topic.context().directory();
        byte[] options = read(topic.context().files().topicFile());
        if (options == null) {
            return false;
        }
        to.add(prefix + "topic", options);
        ProducerFiles producers = new ProducerFiles(directory);
        long[] ends = new long[partitions.size()];
        for (SavedPartition each : partitions) {
            ends[each.index()] = each.end();
            to.add(
                    prefix + "start-" + each.index(),
                    topic.context().files().logStartFile(each.index(), each.start()));
            Fields checkpoint = checkpoint(directory, producers, each);
            if (checkpoint != null) {
                to.add(
                        prefix + ProducerFiles.fileName(each.index()),
                        producers.content(each.index(), checkpoint.values()));
            }
        }
        for (Map.Entry<String, byte[]> e : topic.cursors().files(ends).entrySet()) {
            to.add(prefix + e.getKey(), e.getValue());
        }
        for (String name : directory.names()) {
            boolean isAdded =
                    ProducerFiles.isCheckpoint(name)
                            || name.startsWith("start-")
                            || name.startsWith("cursor-");
            byte[] content = isAdded ? null : read(directory.fileOf(name));
            if (content != null) {
                to.add(prefix + name, content);
            }
        }
        SavedTopic saved = new SavedTopic(topic.context().id(), topic.context().name(), partitions);
        to.add(SEGMENTS + saved.id(), saved.encode());
        return true;
    }

    /**
     * Returns the latest checkpoint that is not above the point in time: it would say that records
     * were lost. One from before covers what retention had deleted by then.
     */
    private Fields checkpoint(TopicDirectory topic, ProducerFiles files, SavedPartition partition)
            throws IOException {
        Fields now = files.read(partition.index());
        if (now != null && ProducerSnapshots.offsetOf(now) <= partition.end()) {
            return now;
        }
        Fields before = checkpoints.get(topic.fileOf(ProducerFiles.fileName(partition.index())));
        return before != null && ProducerSnapshots.offsetOf(before) <= partition.end()
                ? before
                : null;
    }

    /** Adds the files of the store itself: after the segments, whose numbers they must cover. */
    void addFiles(StateBundle.Writer to) throws IOException {
        for (String name : OF_STORE) {
            add(name, store.resolve(name), to);
        }
    }

    private void add(String name, Path path, StateBundle.Writer to) throws IOException {
        if (name.substring(name.lastIndexOf('/') + 1).startsWith(".")) {
            return; // a temporary file
        }
        List<String> below = isDirectory(path) ? medium.list(path) : null;
        if (below == null) {
            byte[] content = read(path);
            if (content != null) {
                to.add(name, content);
            }
            return;
        }
        for (String each : below) {
            add(name + "/" + each, path.resolve(each), to);
        }
    }

    private boolean isDirectory(Path path) throws IOException {
        try {
            return !medium.list(path).isEmpty();
        } catch (NotDirectoryException e) {
            return false;
        }
    }

    /**
     * Reads a file until two reads give the same, as a file that was opened and then replaced may
     * be overwritten with another one's content (O26).
     *
     * @return null when there is none
     */
    private byte[] read(Path file) throws IOException {
        byte[] found = readOnce(file);
        while (found != null) {
            byte[] again = readOnce(file);
            if (Arrays.equals(found, again)) {
                return found;
            }
            found = again;
        }
        return null;
    }

    private byte[] readOnce(Path file) throws IOException {
        if (!medium.exists(file)) {
            return null;
        }
        try (MediumFile in = medium.open(file, false)) {
            if (in.size() > MOST_BYTES) {
                throw new IOException(
                        file + " has " + in.size() + " bytes, at most " + MOST_BYTES + " expected");
            }
            byte[] bytes = new byte[(int) in.size()];
            int length = Math.max(0, in.read(0, bytes, 0, bytes.length));
            return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
        } catch (NoSuchFileException e) {
            return null;
        }
    }
}
