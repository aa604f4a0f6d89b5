package io.firn.open;

import io.firn.Finding.Kind;
import io.firn.TopicOptions;
import io.firn.findings.FindingKey;
import io.firn.findings.Subject;
import io.firn.log.LogContext;
import io.firn.metadata.TopicFiles;
import io.firn.metadata.TopicScan;
import io.firn.metadata.UnreadableTopics;
import io.firn.metadata.UnreadableTopics.Unreadable;
import io.firn.producer.ProducerFiles;
import io.firn.replica.TruncationFiles;
import io.firn.spi.Block;
import io.firn.store.PartitionLimit;
import io.firn.store.TopicLog;
import io.firn.store.Topics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Opens the topics of a store that is opened for writing: reads their files before anything is
 * changed, then recovers those that can be served, and keeps everything of the others.
 */
final class TopicOpener {
    private final LogContext context;
    private final Topics topics;

    TopicOpener(LogContext context, Topics topics) {
        this.context = context;
        this.topics = topics;
    }

    /** Reads everything that a newer version may have written, before anything is changed. */
    TopicScan read() throws IOException {
        TopicScan scan = TopicScan.of(context.files());
        scan.strangers()
                .forEach(path -> noteUnknown(context.subject(), path.toString(), "is no topic"));
        scan.refuse(each -> topics.limit().whyImpossible(each.options().partitions()));
        topics.limit().checkOpen(partitionsOf(scan));
        for (Map.Entry<UUID, TopicFiles.Description> e : scan.readable().entrySet()) {
            if (!e.getValue().deleted()) {
                checkVersions(e.getKey(), e.getValue());
            }
        }
        return scan;
    }

    private void noteUnknown(Subject subject, String what, String why) {
        context.findings()
                .begin(
                        FindingKey.of(Kind.UNKNOWN_CONTENT, subject, what),
                        what + " " + why + "; it is kept: move it away when it is not needed");
    }

    private void checkVersions(UUID id, TopicFiles.Description description) throws IOException {
        int partitions = description.options().partitions();
        TopicFiles files = new TopicFiles(context.files(), id, description.name());
        files.checkVersions(partitions);
        new ProducerFiles(files.directory()).checkVersions(partitions);
        new TruncationFiles(files.directory()).checkVersions(partitions);
    }

    /**
     * Recovers the topics that are served, and removes what deletions have left.
     *
     * @param found the blocks of each topic; changed
     */
    void open(TopicScan scan, Map<UUID, List<Block>> found) throws IOException {
        try {
            openAll(scan, found);
        } catch (OutOfMemoryError e) {
            throw new IOException(PartitionLimit.tooMany(partitionsOf(scan)), e);
        }
    }

    private static long partitionsOf(TopicScan scan) {
        long partitions = 0;
        for (TopicFiles.Description each : scan.readable().values()) {
            partitions += each.deleted() ? 0 : each.options().partitions();
        }
        return partitions;
    }

    private void openAll(TopicScan scan, Map<UUID, List<Block>> found) throws IOException {
        List<Unreadable> unreadable = new ArrayList<>(scan.unreadable());
        for (Map.Entry<UUID, TopicFiles.Description> e : scan.readable().entrySet()) {
            UUID id = e.getKey();
            TopicFiles files = new TopicFiles(context.files(), id, e.getValue().name());
            List<Block> blocks = found.getOrDefault(id, List.of());
            Unreadable lost = lostStart(id, e.getValue(), blocks);
            if (lost != null) {
                unreadable.add(lost);
            } else {
                if (!context.cleanClose().wasFound()) {
                    files.directory().forceNames();
                }
                openTopic(id, e.getValue(), blocks);
                found.remove(id);
            }
        }
        for (UUID id : scan.empty()) {
            if (!found.containsKey(id)) {
                // A creation that did not reach the file, or a deletion that did not remove the
                // directory.
                new TopicFiles(context.files(), id).delete();
            }
        }
        keepOrphans(unreadable, found);
        topics.unreadable(new UnreadableTopics(unreadable));
    }

    /** Returns why a topic could assign offsets again; null when it knows its next offsets. */
    private Unreadable lostStart(UUID id, TopicFiles.Description description, List<Block> blocks)
            throws IOException {
        if (description.deleted()) {
            return null;
        }
        TopicFiles files = new TopicFiles(context.files(), id, description.name());
        ProducerFiles producers = new ProducerFiles(files.directory());
        Set<Integer> filled = new HashSet<>();
        blocks.forEach(block -> filled.add(block.mark().partition()));
        for (int i = 0; i < description.options().partitions(); i++) {
            if (!filled.contains(i) && files.isLogStartDamaged(i) && producers.read(i) == null) {
                return new Unreadable(
                        id,
                        files.startFile(i),
                        description.name(),
                        "the file is damaged, and there are no segments: nothing says which offset"
                                + " comes next in partition "
                                + i,
                        true);
            }
        }
        return null;
    }

    /** Keeps segments of topics without a topic file: they show that a topic was lost (O5). */
    private void keepOrphans(List<Unreadable> unreadable, Map<UUID, List<Block>> found) {
        found.forEach(
                (id, orphans) -> {
                    Subject topic = Subject.topic(id, null);
                    orphans.forEach(
                            each ->
                                    noteUnknown(
                                            topic,
                                            each.name(),
                                            "belongs to no topic that is served"));
                    if (unreadable.stream().noneMatch(each -> each.id().equals(id))) {
                        unreadable.add(
                                new Unreadable(
                                        id,
                                        new TopicFiles(context.files(), id).topicFile(),
                                        null,
                                        "the topic file is missing, there are "
                                                + orphans.size()
                                                + " segments, the first of them "
                                                + orphans.get(0).name(),
                                        true));
                    }
                });
    }

    private void openTopic(UUID id, TopicFiles.Description description, List<Block> blocks)
            throws IOException {
        if (description.deleted()) {
            for (Block block : blocks) {
                block.delete();
            }
            new TopicFiles(context.files(), id).delete();
            context.tiers().forEach(tier -> tier.forgetTopic(id));
            return;
        }
        TopicOptions options = description.options();
        TopicLog topic = new TopicLog(context, topics, id, description.name(), options);
        Path file = topic.context().files().topicFile();
        topics.checkTiers("topic " + topic.name() + ", from " + file, options);
        String unknown = topic.context().unknownTiers();
        if (unknown != null) {
            Subject subject = topic.context().subject();
            context.findings().begin(FindingKey.of(Kind.TIER_CLASS_UNKNOWN, subject), unknown);
        }
        topic.recover(blocks);
        topics.add(topic);
    }
}
