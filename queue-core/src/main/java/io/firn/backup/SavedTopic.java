package io.firn.backup;

import io.firn.medium.FileErrors.DamagedFileException;
import io.firn.metadata.TopicFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A topic in a backup.
 *
 * @param partitions by their numbers
 */
record SavedTopic(UUID id, String name, List<SavedPartition> partitions) {
    private static final String TOPIC = "topic ";

    /** Returns whether it is the one with the journal of transactions. */
    boolean isJournal() {
        return name.equals(TopicFiles.JOURNAL);
    }

    /** Returns it as text: a line for the topic, for each partition and each segment. */
    byte[] encode() {
        StringBuilder text = new StringBuilder(TOPIC).append(name).append('\n');
        partitions.forEach(each -> each.encode(text));
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Reads what {@link #encode} returned.
     *
     * @param file where it is, for messages
     */
    static SavedTopic decode(Path file, UUID id, byte[] content) throws DamagedFileException {
        List<String> lines = new String(content, StandardCharsets.UTF_8).lines().toList();
        if (lines.isEmpty() || !lines.get(0).startsWith(TOPIC)) {
            throw new DamagedFileException(file + " is damaged: it has no name of topic " + id);
        }
        SavedTopic topic =
                new SavedTopic(id, lines.get(0).substring(TOPIC.length()), new ArrayList<>());
        for (String line : lines.subList(1, lines.size())) {
            topic.add(file, line);
        }
        return topic;
    }

    private void add(Path file, String line) throws DamagedFileException {
        if (SavedPartition.isBegunBy(line)) {
            partitions.add(SavedPartition.begin(file, line));
        } else if (partitions.isEmpty()) {
            throw new DamagedFileException(file + " is damaged: no partition before " + line);
        } else {
            SavedPartition last = partitions.get(partitions.size() - 1);
            last.segments().add(SavedSegment.decode(file, id, line));
        }
    }
}
