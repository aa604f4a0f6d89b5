package io.firn.server.log;

import io.firn.FirnException;
import io.firn.Topic;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** The files with the configuration of topics, one small text file each. */
final class TopicConfigFiles {
    private static final System.Logger LOG = System.getLogger("io.firn.server");
    private static final String MAGIC = "topic-config";
    private static final int VERSION = 1;

    private final FileMedium medium;
    private final Path directory;

    TopicConfigFiles(FileMedium medium, Path directory) throws IOException {
        this.medium = medium;
        this.directory = directory;
        medium.createDirectories(directory);
    }

    private Path file(Topic topic) {
        return directory.resolve(topic.id().toString());
    }

    /** Returns what was set for a topic. */
    Map<String, String> read(Topic topic) {
        try {
            Map<String, String> set = SmallFile.read(medium, file(topic), MAGIC, VERSION);
            return set == null ? Map.of() : set;
        } catch (IOException e) {
            throw new FirnException(
                    "the configuration of topic "
                            + topic.name()
                            + " cannot be read: "
                            + e.getMessage(),
                    e);
        }
    }

    /** Replaces what is set for a topic, durably. */
    void write(Topic topic, Map<String, String> set) {
        try {
            SmallFile.write(medium, file(topic), MAGIC, VERSION, set);
        } catch (IOException e) {
            throw new FirnException(
                    "the configuration of topic "
                            + topic.name()
                            + " could not be written: "
                            + e.getMessage(),
                    e);
        }
    }

    /** Deletes the file of a deleted topic. */
    void delete(Topic topic) {
        try {
            medium.delete(file(topic));
        } catch (IOException e) {
            // Deleted at the next start. It has no effect: ids are not used twice.
            LOG.log(
                    System.Logger.Level.WARNING,
                    "could not delete, left in place: " + file(topic),
                    e);
        }
    }

    /** Deletes the files of all topics but these. */
    void deleteOthers(Set<UUID> topicIds) throws IOException {
        Set<String> kept = topicIds.stream().map(UUID::toString).collect(Collectors.toSet());
        for (String file : medium.list(directory)) {
            if (!kept.contains(file)) {
                medium.delete(directory.resolve(file));
            }
        }
    }
}
