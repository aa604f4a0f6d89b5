package io.firn.crashlab;

import io.firn.CleanupPolicy;
import io.firn.Compression;
import io.firn.Durability;
import io.firn.FirnException;
import io.firn.LogStore;
import io.firn.StoreFullException;
import io.firn.Topic;
import io.firn.TopicOptions;
import io.firn.crashlab.ExpectedTopic.Presence;
import io.firn.sim.SimulatedFileMedium;
import java.time.Duration;
import java.util.Arrays;
import org.agrona.concurrent.CachedEpochClock;

/**
 * A store on simulated media, with what it has promised so far. Outlives the incarnations of the
 * store: opens it, closes it, and opens it again after a power cut.
 */
final class TestedStore {
    static final int ROLL_AGE_MS = 1_000;

    private static final long START_MS = 1_700_000_000_000L;
    static final int SEGMENT_BYTES = 64 * 1024;
    private static final int[] PREPARED_BYTES = {8 * 1024, 24 * 1024, SEGMENT_BYTES};

    final Media media;
    final Machine machine;
    final ExpectedState expected = new ExpectedState();
    final CachedEpochClock clock = new CachedEpochClock();

    private final boolean mayFail;
    private final ExpectedTopic[] topics = new ExpectedTopic[Action.TOPICS];

    /** Null before the first open, and after an end from which the workload does not continue. */
    private LogStore store;

    TestedStore(Media media, SimulatedFileMedium medium, boolean mayFail) {
        this.media = media;
        this.machine = new Machine(medium);
        this.mayFail = mayFail;
        clock.update(START_MS);
    }

    /** Whether actions may fail, because the medium returns errors. */
    boolean mayFail() {
        return mayFail;
    }

    boolean isOpen() {
        return store != null;
    }

    LogStore store() {
        return store;
    }

    /** Returns an existing topic, the first one in place of one that was never created, or null. */
    ExpectedTopic topic(int number) {
        ExpectedTopic topic = topics[number] == null ? topics[0] : topics[number];
        return topic != null && topic.presence == Presence.EXISTS ? topic : null;
    }

    /** Opens the store; if that fails where the medium may fail, tries once more. */
    void open(int variant) {
        store = null;
        try {
            store = media.open(machine.medium(), clock, variant);
        } catch (FirnException e) {
            tolerate(e);
            store = media.open(machine.medium(), clock, variant);
        }
    }

    void close() {
        try {
            if (store != null) {
                store.close();
            }
        } catch (FirnException e) {
            tolerate(e);
        }
    }

    /** Opens the store after a power cut, compares it with the promises, and continues with it. */
    void restart() {
        store = null;
        store = media.open(machine.restart(), clock, 0);
        expected.check(store);
        expected.adopt(store);
        Arrays.fill(topics, null);
        for (ExpectedTopic topic : expected.topics) {
            if (topic.presence == Presence.EXISTS) {
                topics[Integer.parseInt(topic.name.substring(1))] = topic;
            }
        }
    }

    /**
     * Closes the store and opens it again. Only closes it if a force had failed: recovery then
     * writes the same bytes again, so that the operating system regards them as dirty again, but
     * the simulation sees no change in such a write and would lose them.
     */
    void reopen(int variant) {
        boolean isPoisoned =
                store.metrics().partitions().stream().anyMatch(each -> each.isPoisoned());
        close();
        if (isPoisoned) {
            store = null;
            return;
        }
        open(variant);
        for (ExpectedTopic topic : topics) {
            if (topic != null) {
                Topic found = store.openTopic(topic.name);
                Violation.require(
                        found.partition(0).nextOffset() >= topic.durable(),
                        topic.name + " lost records when it was closed");
                topic.exists(found);
                topic.forget(topic.partition.nextOffset());
            }
        }
        expected.transactions.reopened(store);
    }

    /** Throws the exception again unless it may happen; forgets what was refused. */
    void tolerate(FirnException e) {
        if (!mayFail && !(e instanceof StoreFullException)) {
            throw e;
        }
        for (ExpectedTopic topic : topics) {
            if (topic != null && topic.partition != null && topic.presence == Presence.EXISTS) {
                // What was refused was not stored; what was stored may become durable later.
                topic.forget(topic.partition.nextOffset());
            }
        }
    }

    /** Advances the clock and runs the background work that has become due. */
    void pass(long ms) {
        clock.advance(ms);
        for (int i = 0; i < 3; i++) {
            store.doWork();
        }
    }

    /** Creates a topic whose options follow from the variant, unless its number is in use. */
    void createTopic(int number, int variant) {
        if (topics[number] != null) {
            return;
        }
        ExpectedTopic topic = new ExpectedTopic("t" + number, media.isCompacted());
        TopicOptions options = TopicOptions.defaults().withSegmentBytes(SEGMENT_BYTES);
        options = options.withDurability(Durability.values()[variant % 2]);
        Compression[] all = Compression.values();
        options =
                options.withCompression(
                        all[Math.max(0, variant / 2 % (2 * all.length) - all.length)]);
        if (media.hasMoves()) {
            // Only sealed segments can move.
            options = options.withRollAge(Duration.ofMillis(ROLL_AGE_MS));
        }
        if (variant / 32 % 4 == 0) {
            topic.isRetained = true;
            options = options.withRetentionBytes(SEGMENT_BYTES);
        }
        if (variant / 128 % 4 == 0) {
            options = options.withForce(1 << 20, Duration.ofSeconds(10));
        }
        if (variant / 512 % 4 == 1) {
            options = options.withPreparedBytes(PREPARED_BYTES[variant / 2048 % 3]);
        }
        if (media.isCompacted()) {
            options =
                    options.withCleanup(CleanupPolicy.COMPACT)
                            .withTombstoneRetention(Duration.ZERO);
        }
        expected.topics.add(topic);
        topic.exists(store.createTopic(topic.name, options));
        topics[number] = topic;
    }

    /** Deletes a topic; the first one always remains. */
    void deleteTopic(int number) {
        ExpectedTopic topic = topics[number];
        if (number == 0 || topic == null) {
            return;
        }
        topic.presence = Presence.MAY_EXIST;
        topics[number] = null;
        store.deleteTopic(topic.name);
        topic.presence = Presence.GONE;
    }
}
