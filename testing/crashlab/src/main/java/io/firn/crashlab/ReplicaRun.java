package io.firn.crashlab;

import io.firn.Durability;
import io.firn.LogStore;
import io.firn.LogStore.MoveControl;
import io.firn.Partition;
import io.firn.StoreFullException;
import io.firn.StoreSnapshot;
import io.firn.TopicOptions;
import io.firn.crashlab.ReplicaSource.Stored;
import io.firn.host.HostedPartition;
import io.firn.host.ReplicaAppender;
import io.firn.sim.SimulatedFileMedium;
import io.firn.sim.Survival;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.agrona.collections.LongHashSet;
import org.agrona.concurrent.CachedEpochClock;

/**
 * A workload on a replicated topic, by a seed: batches of the source are appended, leaders change,
 * the log is truncated and continues with other batches, segments move and are deleted. The power
 * is cut before operations, each of a truncation. What is left has to keep its promises, also when
 * it goes on, and when its recovery is cut.
 */
final class ReplicaRun {
    private static final String TOPIC = "replica";
    private static final int IMAGES = 6;
    private static final int CUT_RECOVERIES = 5;

    /** Of the operations that are no part of a truncation, one of so many is looked at. */
    private static final int OTHERS = 8;

    private static final long MILLIS = 1_700_000_000_000L;

    private final Media media;
    private final long seed;
    private final BooleanSupplier isEnough;
    private final Runnable onImage;
    private final SplittableRandom random;
    private final SplittableRandom choices;
    private final CachedEpochClock clock = new CachedEpochClock();
    private final ReplicaPromise promise = new ReplicaPromise();
    private final ReplicaSource source;
    private final SimulatedFileMedium medium;
    private final LongHashSet distinct = new LongHashSet();
    private final List<String> failures = new ArrayList<>();
    private final TopicOptions options;
    private LogStore store;
    private ReplicaAppender appender;
    private String doing = "open";
    private int truncations;
    private int moves;

    ReplicaRun(Media media, long seed, BooleanSupplier isEnough, Runnable onImage) {
        this.media = media;
        this.seed = seed;
        this.isEnough = isEnough;
        this.onImage = onImage;
        this.random = new SplittableRandom(seed);
        this.choices = random.split();
        this.source = new ReplicaSource(random.split());
        this.medium = media.empty();
        boolean isWritten = seed % 3 == 1;
        this.options =
                TopicOptions.defaults()
                        .withSegmentBytes(64 << 10)
                        .withMaxRecordBytes(32 << 10)
                        .withDurability(isWritten ? Durability.WRITTEN : Durability.DURABLE)
                        .withReplicated(true);
        clock.update(MILLIS);
    }

    int truncations() {
        return truncations;
    }

    /** How many of the images were different. */
    int distinct() {
        return distinct.size();
    }

    int moves() {
        return moves;
    }

    /** Runs it, and returns what was violated. */
    List<String> run(int actions) {
        SeededIds.seed(seed);
        medium.onOperation(this::cut);
        open();
        store.createTopic(TOPIC, options);
        promise.exists();
        appender = HostedPartition.of(store.openTopic(TOPIC).partition(0)).openReplicaAppender();
        for (int i = 0; i < actions && failures.isEmpty() && !isEnough.getAsBoolean(); i++) {
            act();
            promise.durable(partition());
        }
        doing = "close";
        appender.close();
        store.close();
        return failures;
    }

    private void open() {
        store = media.open(medium, clock, (int) seed);
    }

    private Partition partition() {
        return store.openTopic(TOPIC).partition(0);
    }

    private void act() {
        int what = random.nextInt(20);
        if (what < 9) {
            append(1 + random.nextInt(6));
        } else if (what < 11) {
            doing = "force";
            appender.force();
        } else if (what < 14) {
            doing = "pass time";
            clock.advance(random.nextInt(2_000));
            work();
        } else if (what == 14) {
            source.elect();
        } else if (what < 18) {
            truncate();
        } else if (what == 18) {
            move();
        } else if (random.nextBoolean()) {
            reopen();
        } else {
            deleteRecords();
        }
    }

    private void append(int batches) {
        doing = "append";
        for (int i = 0; i < batches; i++) {
            source.append();
        }
        promise.sends(source.batches());
        if (appender.nextOffset() == partition().logStartOffset()) {
            // An empty log begins where its source goes on.
            source.batches().stream()
                    .mapToLong(Stored::base)
                    .filter(base -> base >= appender.nextOffset())
                    .findFirst()
                    .ifPresent(promise::raises);
        }
        replicate(store, appender, source.batches());
    }

    private static void replicate(LogStore to, ReplicaAppender appender, List<Stored> batches) {
        while (appender.nextOffset() < ReplicaPromise.last(batches).next()) {
            if (appender.append(ReplicaSource.bytes(batches, appender.nextOffset(), 3)) == 0) {
                to.doWork();
            }
        }
    }

    private void truncate() {
        List<Stored> all = source.batches();
        if (all.isEmpty()) {
            return;
        }
        int back = Math.min(all.size(), 1 + random.nextInt(random.nextInt(2) == 0 ? 40 : 8));
        long offset = all.get(all.size() - back).base();
        if (offset < partition().logStartOffset() || offset > appender.nextOffset()) {
            return;
        }
        doing = "truncate to " + offset;
        promise.truncates(offset);
        appender.truncate(offset);
        promise.truncated();
        source.truncate(offset);
        promise.sends(source.batches());
        truncations++;
    }

    private void move() {
        doing = "move";
        for (StoreSnapshot.PartitionPlace place : store.snapshot().partitions()) {
            for (StoreSnapshot.SegmentPlace segment : place.segments()) {
                int tiers = store.metrics().tiers().size();
                if (segment.isMovable() && tiers > 1 && random.nextInt(3) > 0) {
                    String tier = segment.tier().equals("tier-0") ? "tier-1" : "tier-0";
                    store.migrate(TOPIC, 0, segment.baseOffset(), tier, MoveControl.UNLIMITED);
                    moves++;
                }
            }
        }
    }

    private void reopen() {
        doing = "close";
        appender.close();
        store.close();
        doing = "open";
        open();
        appender = HostedPartition.of(store.openTopic(TOPIC).partition(0)).openReplicaAppender();
    }

    private void deleteRecords() {
        doing = "delete records";
        long start = partition().logStartOffset();
        long end = partition().durableOffset();
        long to = start + (end - start) / 3;
        promise.raises(to);
        partition().deleteRecordsBefore(to);
        work();
    }

    private void work() {
        for (int i = 0; i < 3; i++) {
            store.doWork();
        }
    }

    private void cut(int number) {
        boolean isLookedAt = doing.startsWith("truncate") || choices.nextInt(OTHERS) == 0;
        if (!isLookedAt || !failures.isEmpty() || isEnough.getAsBoolean()) {
            return;
        }
        int[] looked = {0};
        new Images(medium, seed + number, 4, 3)
                .each(
                        (image, left) -> {
                            SeededIds.during(seed + image, () -> look(number, image, left));
                            return failures.isEmpty() && ++looked[0] < IMAGES;
                        });
    }

    private void look(int number, int image, SimulatedFileMedium left) {
        onImage.run();
        distinct.add(left.fingerprint());
        try {
            if (choices.nextInt(CUT_RECOVERIES) == 0) {
                cutRecovery(left);
            } else {
                recoverAndGoOn(left);
            }
        } catch (AssertionError | RuntimeException e) {
            failures.add(
                    String.format(
                            "%s, seed %d, %s, before operation %d (%s), image %d: %s",
                            media,
                            seed,
                            doing,
                            number,
                            medium.history().get(number - 1),
                            image,
                            Traces.of(e)));
        }
    }

    private void cutRecovery(SimulatedFileMedium left) {
        int chosen = choices.nextInt(20);
        int[] operation = {0};
        left.onOperation(
                again -> {
                    if (operation[0]++ == chosen) {
                        recoverAndGoOn(left.crash(Choice.nothing()));
                        recoverAndGoOn(left.crash(Survival.random(seed + again)));
                    }
                });
        try (LogStore again = media.open(left, clock, (int) seed)) {
            left.onOperation(ignored -> {});
            promise.check(again);
        }
    }

    /** Another leader's batches continue what is left, after a part of it was cut off or not. */
    private void recoverAndGoOn(SimulatedFileMedium left) {
        List<Stored> expected;
        try (LogStore again = media.open(left, clock, (int) seed)) {
            List<Stored> found = promise.check(again);
            if (found == null) {
                return;
            }
            expected = new ArrayList<>(found);
            Partition partition = again.openTopic(TOPIC).partition(0);
            try (ReplicaAppender next =
                    HostedPartition.of(again.openTopic(TOPIC).partition(0)).openReplicaAppender()) {
                if (!found.isEmpty() && choices.nextInt(3) == 0) {
                    int back = 1 + choices.nextInt(Math.min(found.size(), 10));
                    long cut = found.get(found.size() - back).base();
                    if (cut >= partition.logStartOffset()) {
                        next.truncate(cut);
                        expected.removeIf(each -> each.base() >= cut);
                    }
                }
                expected.addAll(goOn(again, next, choices.split()));
            } catch (StoreFullException e) {
                requireAllBlocksInUse(again, e);
                return;
            }
            SimulatedFileMedium after = left.crash(Choice.nothing());
            try (LogStore last = media.open(after, clock, (int) seed)) {
                ReplicaPromise went = new ReplicaPromise();
                went.hasTruncations(HostedPartition.of(partition).truncations());
                went.exists();
                went.durable(partition);
                went.sends(expected);
                List<Stored> kept = went.check(last);
                Violation.require(
                        kept.size() == expected.size(),
                        kept.size() + " batches went on, not " + expected.size());
            }
        }
    }

    /** A pool may be full, of segments that the log has. */
    private void requireAllBlocksInUse(LogStore full, StoreFullException why) {
        long segments =
                full.snapshot().partitions().stream()
                        .flatMap(each -> each.segments().stream())
                        .filter(each -> each.tier().equals("tier-0"))
                        .count();
        if (!media.hasMemory() || segments < media.blocks()) {
            throw new AssertionError(segments + " segments of the log fill the tier", why);
        }
    }

    private static List<Stored> goOn(LogStore in, ReplicaAppender next, SplittableRandom random) {
        ReplicaSource other = new ReplicaSource(random);
        other.continueFrom(next.nextOffset(), Math.max(0, next.lastEpoch()));
        other.append();
        other.append();
        replicate(in, next, other.batches());
        next.force();
        return other.batches();
    }
}
