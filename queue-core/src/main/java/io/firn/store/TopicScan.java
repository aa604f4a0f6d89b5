package io.firn.store;

import io.firn.spi.UnsupportedVersionException;
import io.firn.store.TopicFiles.Description;
import io.firn.store.UnreadableTopics.Unreadable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * What lies in a store's directory of topics; nothing is changed by looking. A topic's file is the
 * first of its files to come and the last to go (O5), so a directory with other files and without
 * it has lost it, and one without any is a creation or a deletion that was cut short.
 */
final class TopicScan {
    private final Store store;
    private final Map<UUID, Description> readable = new LinkedHashMap<>();
    private final List<UUID> empty = new ArrayList<>();
    private final List<Unreadable> unreadable = new ArrayList<>();
    private final List<Path> strangers = new ArrayList<>();

    private TopicScan(Store store) {
        this.store = store;
    }

    /**
     * Looks.
     *
     * @throws UnsupportedVersionException when a newer Firn wrote some of it
     */
    static TopicScan of(Store store) throws IOException {
        TopicScan scan = new TopicScan(store);
        Path directory = TopicFiles.topicsIn(store.config().directory());
        for (String name : store.config().medium().list(directory)) {
            UUID id = StoreOpener.idOf(name);
            if (id == null) {
                scan.strangers.add(directory.resolve(name));
            } else {
                scan.look(id);
            }
        }
        return scan;
    }

    private void look(UUID id) throws IOException {
        TopicFiles files = new TopicFiles(store, id);
        try {
            Description description = files.read();
            List<String> others = description == null ? files.parts() : List.of();
            if (!others.isEmpty()) {
                description = files.read(); // another process may just have created it
            }
            if (description != null) {
                readable.put(id, description);
            } else if (others.isEmpty()) {
                empty.add(id);
            } else {
                String reason = "the topic file is missing, there are only " + others;
                unreadable.add(new Unreadable(id, files.topicFile(), null, reason));
            }
        } catch (UnsupportedVersionException e) {
            throw e;
        } catch (TopicFiles.UnknownOptionsException e) {
            unreadable.add(new Unreadable(id, files.topicFile(), e.name(), e.getMessage()));
        } catch (IOException e) {
            unreadable.add(new Unreadable(id, files.topicFile(), null, e.getMessage()));
        }
    }

    /** By id, those that are being deleted among them. */
    Map<UUID, Description> readable() {
        return readable;
    }

    /** Without any file that means something. */
    List<UUID> empty() {
        return empty;
    }

    List<Unreadable> unreadable() {
        return unreadable;
    }

    /** What is no topic's. */
    List<Path> strangers() {
        return strangers;
    }

    /** The names that more than one topic has, each with the topics' ids. */
    Map<String, List<UUID>> sharedNames() {
        Map<String, List<UUID>> byName = new TreeMap<>();
        readable.forEach(
                (id, description) -> {
                    if (!description.deleted()) {
                        byName.computeIfAbsent(description.name(), n -> new ArrayList<>()).add(id);
                    }
                });
        for (Unreadable each : unreadable) {
            if (each.name() != null) {
                byName.computeIfAbsent(each.name(), n -> new ArrayList<>()).add(each.id());
            }
        }
        byName.values().removeIf(ids -> ids.size() == 1);
        return byName;
    }
}
