package io.firn.server.log;

import io.firn.FirnException;
import io.firn.MediumException;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.medium.FileMedium;
import io.firn.medium.SmallFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The files with the configuration of topics, one small text file each: what {@link
 * TopicConfigSources} says of a topic. Version 1 had only what clients had named.
 *
 * <p>A change that also changes the options of the topic is in two files. The order: first this
 * file has the choices before the change and, with {@code next.} before their keys, those after it,
 * and which texts the options will have ({@code to.}); then the options are changed; then this file
 * has the choices after it alone. After a crash, the change took place if the options have these
 * texts; the start that finds this out writes it down.
 */
final class TopicConfigFiles {
    private static final System.Logger LOG = System.getLogger("io.firn.server");
    private static final String MAGIC = "topic-config";
    private static final int VERSION = 2;
    private static final String NEXT = "next.";
    private static final String TO = "to.";

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

    /**
     * Returns what was chosen for a topic. A change that a crash had interrupted is over then:
     * later the application may give an option the same value.
     */
    TopicConfigSources read(Topic topic) {
        Map<String, String> text = text(topic);
        if (text == null) {
            return TopicConfigSources.NONE;
        }
        TopicConfigSources choices = choices(topic.options(), text);
        if (text.keySet().stream().anyMatch(key -> key.startsWith(TO))) {
            try {
                write(topic, choices);
            } catch (FirnException e) { // there may be no room; the file still says the same
                LOG.log(System.Logger.Level.WARNING, "tried again at the next start", e);
            }
        }
        return choices;
    }

    private Map<String, String> text(Topic topic) {
        try {
            return SmallFile.read(medium, file(topic), MAGIC, VERSION);
        } catch (IOException e) {
            throw new MediumException(
                    "the configuration of topic "
                            + topic.name()
                            + " cannot be read: "
                            + e.getMessage(),
                    e);
        }
    }

    private static TopicConfigSources choices(TopicOptions options, Map<String, String> text) {
        Map<String, String> before = new TreeMap<>();
        Map<String, String> next = new TreeMap<>();
        boolean isBegun = false;
        boolean isDone = true;
        for (Map.Entry<String, String> each : text.entrySet()) {
            String key = each.getKey();
            if (key.startsWith(TO)) {
                isBegun = true;
                isDone &=
                        TopicOptionKeys.isShown(
                                options, key.substring(TO.length()), each.getValue());
            } else if (key.startsWith(NEXT)) {
                next.put(key.substring(NEXT.length()), each.getValue());
            } else {
                before.put(key, each.getValue());
            }
        }
        return TopicConfigSources.ofText(isBegun && isDone ? next : before);
    }

    /** Replaces what was chosen for a topic, durably; its options stay. */
    void write(Topic topic, TopicConfigSources choices) {
        write(topic, choices.toText());
    }

    /**
     * Changes what was chosen for a topic, and its options, durably.
     *
     * @param before the choices before the change
     * @param onChanged is called as soon as the change has taken place
     */
    void change(
            Topic topic,
            TopicConfigSources before,
            TopicConfigSources.Change change,
            Runnable onChanged) {
        TopicOptions changed = change.applyTo(topic.options());
        Map<String, String> to = new TreeMap<>();
        for (String key : change.texts().keySet()) {
            String text = TopicOptionKeys.shown(changed, key);
            if (!TopicOptionKeys.isShown(topic.options(), key, text)) {
                to.put(TO + key, text);
            }
        }
        if (!to.isEmpty()) {
            to.putAll(before.toText());
            change.choices().toText().forEach((key, value) -> to.put(NEXT + key, value));
            write(topic, to);
            // Only these options: the application may have changed others meanwhile.
            topic.updateOptions(change::applyTo);
            onChanged.run();
        }
        write(topic, change.choices());
        onChanged.run();
    }

    private void write(Topic topic, Map<String, String> text) {
        try {
            SmallFile.write(medium, file(topic), MAGIC, VERSION, text);
        } catch (IOException e) {
            throw new MediumException(
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
