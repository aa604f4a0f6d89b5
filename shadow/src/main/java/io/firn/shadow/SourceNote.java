package io.firn.shadow;

import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.MediumException;
import io.firn.Topic;
import io.firn.medium.Fields;
import io.firn.medium.FileErrors.DamagedFileException;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import io.firn.medium.WithoutLinks;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Where a topic was copied from: the ids of the cluster and of the topic there. A log does not
 * contain them, and without them the records of two topics of one name could be mixed.
 *
 * <p>It is a small file, {@code STORE/shadow/ID}, with the id of the topic here: a topic that is
 * deleted and created again has another note. It is durable before the first batch is appended, so
 * a topic without a note is empty.
 */
record SourceNote(String clusterId, UUID topicId) {
    private static final String DIRECTORY = "shadow";
    private static final String KIND = "shadow";
    private static final int VERSION = 1;
    private static final String CLUSTER = "cluster";
    private static final String TOPIC = "topic";

    private static Path file(LogStore store, Topic topic) {
        return store.directory().resolve(DIRECTORY).resolve(topic.id().toString());
    }

    private static FileMedium medium(LogStore store) {
        return WithoutLinks.below(List.of(store.directory()), FileMedium.real());
    }

    /**
     * Reads the note of a topic; returns null if it has none.
     *
     * @throws NeedsDecisionException when it is damaged
     * @throws FirnException when it cannot be read now
     */
    static SourceNote read(LogStore store, Topic topic) {
        Path file = file(store, topic);
        try {
            Fields fields = Fields.read(medium(store), file, KIND, VERSION);
            return fields == null ? null : new SourceNote(fields.text(CLUSTER), fields.id(TOPIC));
        } catch (DamagedFileException e) {
            throw new NeedsDecisionException(
                    file
                            + ", which says where "
                            + topic.name()
                            + " is copied from, is damaged ("
                            + e.getMessage()
                            + "): restore it, or delete the topic here, to copy it anew",
                    e);
        } catch (IOException e) {
            throw new MediumException(
                    "could not read " + file + ", which says where a topic is copied from", e);
        }
    }

    /** Writes the note of a topic, durably. */
    void write(LogStore store, Topic topic) {
        Path file = file(store, topic);
        try {
            FileMedium medium = medium(store);
            medium.createDirectories(file.getParent());
            SmallFile.write(
                    medium,
                    file,
                    KIND,
                    VERSION,
                    Map.of(CLUSTER, clusterId, TOPIC, topicId.toString()));
        } catch (IOException e) {
            throw new MediumException(
                    "could not write " + file + ", which says where a topic is copied from", e);
        }
    }

    /** Deletes the note of a topic that is deleted. */
    static void delete(LogStore store, Topic topic) {
        Path file = file(store, topic);
        try {
            FileMedium medium = medium(store);
            if (medium.exists(file)) {
                medium.delete(file);
            }
        } catch (IOException e) {
            throw new MediumException("could not delete " + file, e);
        }
    }
}
