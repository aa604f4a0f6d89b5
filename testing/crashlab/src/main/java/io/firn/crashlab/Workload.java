package io.firn.crashlab;

import io.firn.crashlab.Action.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The actions that a store under test executes, and what they were generated from. The same media,
 * seed and length give the same actions. A third of the seeds gives workloads of each style.
 */
record Workload(Media media, long seed, List<Action> actions) {
    /** WRITTEN, without compression and retention, forced every 10 s: see {@link TestedStore}. */
    private static final int LAZY_TOPIC = 1 + 32;

    /** The same, in whose files space is prepared. */
    private static final int LAZY_PREPARED_TOPIC = LAZY_TOPIC + 512 + 2048;

    /** In most cases this number of large values does not fit into one segment. */
    static final int APPENDS_TO_ROLL = 5;

    /** Styles of workloads. */
    enum Style {
        /** The store is opened once and runs until the end. */
        PLAIN,
        /** The power is cut repeatedly; each incarnation continues from what it recovers. */
        INCARNATIONS,
        /**
         * The same with WRITTEN topics that are rarely forced, which leads to segments that were
         * rolled and are not sealed, and to blocks that are reused.
         */
        UNFORCED
    }

    /** Returns the style of a seed's workload. */
    static Style styleOf(long seed) {
        long hash = seed * 0x9E3779B97F4A7C15L;
        return Style.values()[(int) Math.floorMod(hash ^ hash >>> 32, 3L)];
    }

    /** Generates a workload of the seed's style. */
    static Workload of(Media media, long seed, int length) {
        return of(styleOf(seed), media, seed, length);
    }

    /** Generates a workload of a style. */
    static Workload of(Style style, Media media, long seed, int length) {
        SplittableRandom random = new SplittableRandom(~seed);
        List<Action> actions =
                switch (style) {
                    case PLAIN -> plain(media, seed, length);
                    case INCARNATIONS -> withCuts(plain(media, seed, length), random);
                    case UNFORCED -> withCuts(unforced(media, random, length), random);
                };
        return new Workload(media, seed, actions);
    }

    /** Returns this workload with only some of its actions, given by their indexes. */
    Workload keep(List<Integer> kept) {
        return new Workload(media, seed, kept.stream().map(actions::get).toList());
    }

    private static List<Action> plain(Media media, long seed, int length) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Kind> kinds = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            boolean isPossible =
                    switch (kind) {
                        case MOVE -> media.hasMoves();
                        case RECYCLE -> media.hasFiles();
                        case DRAIN -> media.hasDrains();
                        case COMPACT -> media.isCompacted();
                        case TRANSACTION -> media.hasTransactions();
                        default -> true;
                    };
            if (isPossible) {
                add(kinds, kind, kind.weight());
            }
        }
        List<Action> actions = new ArrayList<>();
        actions.add(new Action(Kind.CREATE, 0, random.nextInt(1 << 20), 0));
        while (actions.size() < length) {
            Kind kind = kinds.get(random.nextInt(kinds.size()));
            actions.add(
                    new Action(
                            kind,
                            random.nextInt(Action.TOPICS),
                            random.nextInt(1 << 20),
                            random.nextInt(1 << 20)));
        }
        return actions;
    }

    private static List<Action> withCuts(List<Action> actions, SplittableRandom random) {
        List<Action> all = new ArrayList<>(actions);
        int half = all.size() / 2;
        for (int i = 1; i < all.size(); i++) {
            // The second of two consecutive CUT actions cuts at once, so at least one cut happens.
            if (random.nextInt(10) == 0 || i == half || i == half + 1) {
                all.set(i, new Action(Kind.CUT, 0, random.nextInt(1 << 20), 0));
            }
        }
        return all;
    }

    private static List<Action> unforced(Media media, SplittableRandom random, int length) {
        List<Kind> kinds = new ArrayList<>();
        add(kinds, Kind.APPEND_BULK, 14);
        add(kinds, Kind.APPEND_ASYNC, 8);
        add(kinds, Kind.APPEND_IDEMPOTENT, 3);
        add(kinds, Kind.PASS, 5);
        add(kinds, Kind.CREATE, 1);
        add(kinds, Kind.DELETE, 1);
        add(kinds, Kind.CURSOR, 1);
        add(kinds, Kind.FORCE, 1);
        add(kinds, Kind.DELETE_RECORDS, 1);
        add(kinds, Kind.MOVE, media.hasMoves() ? 3 : 0);
        add(kinds, Kind.RECYCLE, media.hasFiles() ? 3 : 0);
        add(kinds, Kind.DRAIN, media.hasDrains() ? 1 : 0);
        add(kinds, Kind.COMPACT, media.isCompacted() ? 6 : 0);
        add(kinds, Kind.TRANSACTION, media.hasTransactions() ? 30 : 0);
        List<Action> actions = new ArrayList<>();
        addFreshTopic(actions, 0, random);
        while (actions.size() < length) {
            Kind kind = kinds.get(random.nextInt(kinds.size()));
            if (kind == Kind.DELETE) {
                actions.add(new Action(Kind.DELETE, 1, 0, 0));
                addFreshTopic(actions, 1, random);
                continue;
            }
            int topic = random.nextInt(2); // two topics fill their segments sooner than three
            int a =
                    switch (kind) {
                        case CREATE -> topic == 0 ? LAZY_TOPIC : LAZY_PREPARED_TOPIC;
                        case PASS -> random.nextInt(2); // short
                        default -> random.nextInt(1 << 20);
                    };
            actions.add(new Action(kind, topic, a, random.nextInt(1 << 20)));
        }
        return actions.subList(0, length);
    }

    /** Adds a topic whose first segment is rolled before any of it was forced. */
    private static void addFreshTopic(List<Action> actions, int topic, SplittableRandom random) {
        int variant = topic == 0 ? LAZY_TOPIC : LAZY_PREPARED_TOPIC;
        actions.add(new Action(Kind.CREATE, topic, variant, 0));
        for (int i = 0; i < APPENDS_TO_ROLL; i++) {
            actions.add(new Action(Kind.APPEND_BULK, topic, random.nextInt(1 << 20), 0));
        }
        actions.add(new Action(Kind.PASS, topic, 0, 0));
    }

    private static void add(List<Kind> kinds, Kind kind, int weight) {
        for (int i = 0; i < weight; i++) {
            kinds.add(kind);
        }
    }
}
