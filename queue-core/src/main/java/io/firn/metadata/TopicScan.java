package io.firn.metadata;

import io.firn.medium.FileErrors;
import io.firn.medium.FileErrors.DamagedFileException;
import io.firn.medium.FileErrors.UnexpectedFileException;
import io.firn.medium.FileErrors.UnsupportedVersionException;
import io.firn.metadata.TopicFiles.Description;
import io.firn.metadata.UnreadableTopics.Unreadable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;

/**
 * Reads what is in a store's directory of topics, and changes nothing. A topic's file is the first
 * of its files to be created and the last to be deleted (O5). So a directory with other files but
 * without that one has lost it, and a directory without files is an interrupted creation or
 * deletion.
 */
public final class TopicScan {
    private final StoreFiles store;
    private final Map<UUID, Description> readable = new LinkedHashMap<>();
    private final List<UUID> empty = new ArrayList<>();
    private final List<Unreadable> unreadable = new ArrayList<>();
    private final List<Path> strangers = new ArrayList<>();

    private TopicScan(StoreFiles store) {
        this.store = store;
    }

    /**
     * Reads the directory.
     *
     * @throws UnsupportedVersionException when a newer Firn wrote some of it
     */
    public static TopicScan of(StoreFiles store) throws IOException {
        TopicScan scan = new TopicScan(store);
        Path directory = store.topics();
        for (String name : store.medium().list(directory)) {
            UUID id = idOf(name);
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
            List<String> others = description == null ? files.directory().names() : List.of();
            if (!others.isEmpty()) {
                description = files.read(); // another process may have created it just now
            }
            if (description != null) {
                readable.put(id, description);
            } else if (others.isEmpty()) {
                empty.add(id);
            } else {
                String reason = "the topic file is missing, there are only " + others;
                unreadable.add(new Unreadable(id, files.topicFile(), null, reason, true));
            }
        } catch (UnsupportedVersionException e) {
            throw e;
        } catch (UnknownOptionsException e) {
            unreadable.add(new Unreadable(id, files.topicFile(), e.name(), e.getMessage(), true));
        } catch (DamagedFileException | UnexpectedFileException e) {
            unreadable.add(
                    new Unreadable(id, files.topicFile(), null, FileErrors.describe(e), true));
        } catch (IOException e) {
            unreadable.add(
                    new Unreadable(id, files.topicFile(), null, FileErrors.describe(e), false));
        }
    }

    /** Returns the id that a directory of a topic is named by; null when it is not one. */
    public static UUID idOf(String name) {
        try {
            UUID id = UUID.fromString(name);
            return id.toString().equals(name) ? id : null; // it also reads shorter forms
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /**
     * Takes those out of the readable ones of which something is wrong.
     *
     * @param check returns what is wrong with a topic that is not being deleted; null for nothing
     */
    public void refuse(Function<Description, String> check) {
        for (UUID id : List.copyOf(readable.keySet())) {
            Description found = readable.get(id);
            String reason = found.deleted() ? null : check.apply(found);
            if (reason != null) {
                readable.remove(id);
                Path file = new TopicFiles(store, id).topicFile();
                unreadable.add(new Unreadable(id, file, found.name(), reason, true));
            }
        }
    }

    /** The topics by id, including those that are being deleted. */
    public Map<UUID, Description> readable() {
        return readable;
    }

    /** Directories without any file that counts. */
    public List<UUID> empty() {
        return empty;
    }

    public List<Unreadable> unreadable() {
        return unreadable;
    }

    /** What belongs to no topic. */
    public List<Path> strangers() {
        return strangers;
    }

    /** The names that several topics share, each with the ids of these topics. */
    public Map<String, List<UUID>> sharedNames() {
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

    /**
     * Thrown for a topic file that is intact but contains something that this version does not
     * know.
     */
    static final class UnknownOptionsException extends IOException {
        private static final long serialVersionUID = 1L;
        private final String name;

        UnknownOptionsException(String name, String message, Throwable cause) {
            super(message, cause);
            this.name = name;
        }

        /** The topic's name. */
        String name() {
            return name;
        }
    }
}
