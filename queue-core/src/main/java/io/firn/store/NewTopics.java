package io.firn.store;

import io.firn.InvalidOptionException;
import io.firn.Survives;
import io.firn.TopicOptions;
import io.firn.log.LogContext;
import io.firn.log.TierState;
import io.firn.log.TopicContext;
import io.firn.metadata.StoreIdentity;
import io.firn.metadata.TopicFiles;
import io.firn.store.TopicLog.TopicOwner;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import javax.annotation.concurrent.GuardedBy;

/**
 * Creates topics: a topic file is durable before anything is stored in the topic (O5), and what a
 * creation that failed has left is removed before the next one. Thread-safe.
 */
final class NewTopics {
    private static final int JOURNAL_RECORD_BYTES = 2 << 20;

    private final LogContext store;
    private final TopicOwner owner;
    private volatile StoreIdentity identity;

    @GuardedBy("this")
    private final List<TopicFiles> halfCreated = new ArrayList<>();

    NewTopics(LogContext store, TopicOwner owner) {
        this.store = store;
        this.owner = owner;
    }

    /** Sets what names the store. */
    void own(StoreIdentity ofStore) {
        identity = ofStore;
    }

    /**
     * Creates a topic with options that are complete; durable on return. Without {@link #keep} the
     * next creation removes it.
     */
    TopicLog create(String name, TopicOptions options) {
        return create(new TopicLog(store, owner, UUID.randomUUID(), name, options), options);
    }

    /** Creates the topic for a journal, in tiers of the strongest class that there is. */
    TopicLog journal(String name) {
        Survives strongest =
                store.tiers().stream()
                        .filter(tier -> !tier.isDrained())
                        .map(tier -> tier.tier().survives())
                        .max(Comparator.naturalOrder())
                        .orElseThrow();
        int segmentBytes = store.config().journalSegmentBytes();
        TopicOptions options =
                TopicOptions.defaults()
                        .withMinimumClass(strongest)
                        .withSegmentBytes(segmentBytes)
                        .withMaxRecordBytes(Math.min(JOURNAL_RECORD_BYTES, segmentBytes - 1));
        TopicLog wanted = new TopicLog(store, owner, UUID.randomUUID(), name, options);
        int room = wanted.context().segmentBytes() - 1; // a tier may have small blocks
        if (room < options.maxRecordBytes()) {
            options = options.withMaxRecordBytes(room);
            wanted = new TopicLog(store, owner, wanted.id(), name, options);
        }
        return create(wanted, options);
    }

    private synchronized TopicLog create(TopicLog topic, TopicOptions complete) {
        String name = topic.name();
        checkTiersOf(topic.context());
        TopicFiles files = topic.context().files();
        try {
            if (complete.isReplicated()) {
                identity.addFeature(StoreIdentity.REPLICAS); // before older versions could see it
            }
            dropHalfCreated();
            halfCreated.add(files);
            files.create(name, complete);
            topic.startEmpty();
            return topic;
        } catch (IOException e) {
            dropAfter(e);
            throw TopicFiles.failed("topic " + name + " could not be created", e);
        } catch (RuntimeException | Error e) { // of the thread factory, or for a lack of memory
            dropAfter(e);
            throw e;
        }
    }

    @GuardedBy("this")
    private void dropAfter(Throwable failure) {
        try {
            dropHalfCreated();
        } catch (IOException | RuntimeException | Error again) {
            failure.addSuppressed(again); // the next creation tries it again
        }
    }

    /** A topic that was created is served: it stays. */
    synchronized void keep(TopicLog topic) {
        halfCreated.remove(topic.context().files());
    }

    private static void checkTiersOf(TopicContext topic) {
        TopicOptions options = topic.options();
        if (!topic.hasItsClass()) {
            String unknown = topic.unknownTiers();
            throw new InvalidOptionException(
                    "no tier gives "
                            + options.minimumClass()
                            + ", which the topic asks for"
                            + (unknown == null
                                    ? ""
                                    : "; where Firn does not know the file system, declare what it"
                                            + " survives (FileTier.withDeclaredDurable)"));
        }
        if (topic.tiers().stream().allMatch(TierState::isDrained)) {
            throw new InvalidOptionException(topic.lackOfTiers() + ": choose another tier");
        }
        if (topic.segmentBytes() <= options.maxRecordBytes()) {
            throw new InvalidOptionException(
                    "maxRecordBytes "
                            + options.maxRecordBytes()
                            + " does not fit the tiers' blocks of "
                            + topic.segmentBytes()
                            + " bytes");
        }
    }

    /**
     * Removes the topic file that a failed creation may have left, before anything is created: it
     * would be a second topic of that name.
     */
    @GuardedBy("this")
    private void dropHalfCreated() throws IOException {
        while (!halfCreated.isEmpty()) {
            halfCreated.get(0).delete();
            halfCreated.remove(0);
        }
    }

    /** Returns the options with what the first tier survives, unless they have one. */
    TopicOptions complete(TopicOptions chosen) {
        TopicOptions options = chosen.completedBy(TopicOptions.defaults());
        List<TierState> open =
                store.tiers().stream()
                        .filter(tier -> !tier.isDrained())
                        .filter(
                                tier ->
                                        options.tiers().isEmpty()
                                                || options.tiers().contains(tier.label()))
                        .toList();
        if (open.isEmpty()) {
            throw new InvalidOptionException(
                    "the tiers that the topic chooses, "
                            + options.tiers()
                            + ", are drained: choose another one");
        }
        return options.minimumClass() == null
                ? options.withMinimumClass(open.get(0).tier().survives())
                : options;
    }

    /**
     * Throws when a topic chooses tiers that are not there. A tier that was drained may be gone if
     * the topic has another one.
     */
    void checkTiers(String topic, TopicOptions options) {
        List<String> labels =
                store.tiers().stream().filter(TierState::isLabelled).map(TierState::label).toList();
        boolean hasOther = options.tiers().stream().anyMatch(labels::contains);
        for (String chosen : options.tiers()) {
            boolean mayBeGone = hasOther && identity.drainedLabels().contains(chosen);
            if (!labels.contains(chosen) && !mayBeGone) {
                throw new InvalidOptionException(
                        topic
                                + ": no tier is labelled '"
                                + chosen
                                + "', the labels are "
                                + labels
                                + ": label the tiers where the store is opened");
            }
        }
    }
}
